import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NamesInput } from '../../shared/form/names-input.tsx';
import { namesIn } from '../../shared/format.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useFetchModelsMutation, useFetchModelsOfMutation, useListKnownModelsQuery } from './api.ts';
import type { ChannelForm } from './channel-form.ts';
import { relatedModels } from './channel-type.ts';

const ModelsDialog = lazyPart(async () => (await import('./models-dialog.tsx')).ModelsDialog);

/** The models a channel serves: chosen, typed or pasted, brought along by the type, or asked of the provider. */
export function ModelsInput({ form, channelId }: { form: ChannelForm; channelId: number | undefined }) {
  const { t } = useTranslation(['channels', 'shared']);
  const { control, watch, setValue, getValues } = form;
  const { data: known = [] } = useListKnownModelsQuery();
  const [fetchOf, fetchingOf] = useFetchModelsOfMutation();
  const [fetchNew, fetchingNew] = useFetchModelsMutation();
  const chosen = namesIn(watch('models'));
  const options = [...new Set([...relatedModels(watch('type')), ...known])];
  const set = (names: string[]): void =>
    setValue('models', [...new Set(names)].join(','), { shouldDirty: true, shouldTouch: true, shouldValidate: true });

  const [isListOpen, setListOpen] = useState(false);
  const [missing, setMissing] = useState<string[]>([]);
  const gone = missing.filter((name) => chosen.includes(name));

  const ask = async (): Promise<void> => {
    const { type, key, base_url } = getValues();
    if (channelId === undefined && key.trim() === '') return toast('warning', t('keyForModels'));
    const { data, error } = await (channelId === undefined ? fetchNew({ type, key, base_url: base_url ?? '' }) : fetchOf(channelId));
    if (error) return toast('error', `${t('fetchFailed')} ${messageOf(error)}`);
    const added = (data ?? []).filter((name) => !chosen.includes(name));
    set([...chosen, ...added]);
    setMissing(chosen.filter((name) => !data?.includes(name)));
    toast('info', t('fetched', { count: data?.length ?? 0, added: added.length }));
  };

  return (
    <div>
      <NamesInput
        control={control}
        name="models"
        label={t('fields.models')}
        hint={t('modelsChosen', { count: chosen.length })}
        options={options}
        onDuplicate={() => toast('warning', t('modelsDialog.someThere'))}
      />
      <Box sx={{ display: 'flex', gap: 0.5, flexWrap: 'wrap', mt: 0.5 }}>
        <Button onClick={() => set(relatedModels(getValues('type')))}>{t('fillRelated')}</Button>
        <Button onClick={() => set([...chosen, ...known])}>{t('fillAll')}</Button>
        <Button loading={fetchingOf.isLoading || fetchingNew.isLoading} onClick={ask}>
          {t('fetchModels')}
        </Button>
        <Button color="inherit" onClick={() => set([])}>
          {t('clearModels')}
        </Button>
        <Button color="inherit" aria-haspopup="dialog" onClick={() => setListOpen(true)}>
          {t('modelsDialog.open')}
        </Button>
      </Box>
      {gone.length > 0 && (
        <Alert
          severity="info"
          sx={{ mt: 0.5, overflowWrap: 'anywhere' }}
          action={
            <Button color="inherit" onClick={() => set(chosen.filter((name) => !gone.includes(name)))}>
              {t('modelsDialog.dropGone')}
            </Button>
          }
        >
          {t('modelsDialog.gone', { count: gone.length, names: gone.slice(0, 8).join(', ') })}
        </Alert>
      )}
      {isListOpen && (
        <ModelsDialog
          record={`models/${channelId ?? 'new'}`}
          chosen={chosen}
          known={options}
          onApply={set}
          onClose={() => setListOpen(false)}
        />
      )}
    </div>
  );
}
