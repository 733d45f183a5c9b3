import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import type { TokenView } from '@tollgate/contracts/api/token';
import { useTranslation } from 'react-i18next';
import { useOutletContext, useParams } from 'react-router';
import { FailedDrawer } from '../../shared/form/failed-drawer.tsx';
import { NumberInput, SelectInput, SwitchInput, TextInput } from '../../shared/form/fields.tsx';
import { FormDrawer } from '../../shared/form/form-drawer.tsx';
import { MoneyInput } from '../../shared/form/money-input.tsx';
import { NamesInput } from '../../shared/form/names-input.tsx';
import { useZodForm } from '../../shared/form/use-zod-form.ts';
import { formatFigure } from '../../shared/format.ts';
import { useListUsableGroupsQuery, useListUsableModelsQuery, useMoneyDisplay } from '../../shared/site.ts';
import { useCloseEditor } from '../../shared/ui/editor-outlet.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { WaitingDrawer } from '../../shared/ui/side-drawer.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useCreateTokenMutation, useGetTokenQuery, useUpdateTokenMutation } from './api.ts';
import { ExpiryInput } from './expiry-input.tsx';
import { bodiesOf, countPresets, initialValues, quotaPresets, tokenForm } from './token-form.ts';

/** What the page below is told: the tokens that were made. */
export type TokensMade = (tokens: TokenView[]) => void;

/** The editor of a token: a new one at /token/add, an existing one at /token/edit/{id}. */
export function TokenDrawer() {
  const { t } = useTranslation('tokens');
  const { id } = useParams();
  const close = useCloseEditor('/token');
  const onCreated = useOutletContext<TokensMade>();
  const { data, error } = useGetTokenQuery(Number(id), { skip: id === undefined, refetchOnMountOrArgChange: true });
  if (id === undefined) return <TokenEditor onClose={close} onCreated={onCreated} />;
  if (data) return <TokenEditor key={id} token={data} onClose={close} />;
  if (error) return <FailedDrawer title={t('editTitle')} error={error} onClose={close} />;
  return <WaitingDrawer title={t('editTitle')} onClose={close} />;
}

function TokenEditor({ token, onClose, onCreated }: { token?: TokenView; onClose: () => void; onCreated?: (tokens: TokenView[]) => void }) {
  const { t } = useTranslation(['tokens', 'shared']);
  const { quotaPerUnit } = useMoneyDisplay();
  const { data: groups = {} } = useListUsableGroupsQuery();
  const { data: models = [] } = useListUsableModelsQuery();
  const [create, creating] = useCreateTokenMutation();
  const [update, updating] = useUpdateTokenMutation();
  const { control, handleSubmit, watch, setValue, formState } = useZodForm(tokenForm, initialValues(token, quotaPerUnit));
  const [unlimited, limited, count] = watch(['unlimited_quota', 'model_limits_enabled', 'count']);
  const groupOptions = [
    { value: '', label: t('ownGroup') },
    ...Object.entries(groups).map(([name, { desc, ratio }]) => ({ value: name, label: `${name} · ${desc} · ${formatFigure(ratio)}×` })),
  ];
  // A token may be in a group that its owner may no longer choose; it is shown, not dropped.
  if (token?.group && !groups[token.group]) groupOptions.push({ value: token.group, label: token.group });

  const submit = handleSubmit(async (values) => {
    const { count: _count, ...body } = values;
    if (token) {
      if ((await update({ id: token.id, ...body })).error) return;
      toast('success', t('updated'));
    } else {
      const answers = [];
      for (const each of bodiesOf(values)) answers.push(await create(each));
      const failure = answers.find((answer) => answer.error);
      if (failure) {
        if (answers.every((answer) => answer.error)) return;
        toast('error', messageOf(failure.error));
      }
      toast('success', t('created', { count: answers.filter((answer) => !answer.error).length }));
      onCreated?.(answers.flatMap((answer) => answer.data ?? []));
    }
    onClose();
  });

  return (
    <FormDrawer
      title={token ? t('editTitle') : t('createTitle')}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={token ? t('shared:save') : t('create')}
      dirty={formState.isDirty}
      submitting={formState.isSubmitting || formState.isSubmitSuccessful}
      error={creating.error ?? updating.error}
    >
      <TextInput control={control} name="name" label={t('fields.name')} autoFocus slotProps={{ htmlInput: { maxLength: 30 } }} />
      <ExpiryInput control={control} name="expired_time" label={t('fields.expires')} />
      <SwitchInput control={control} name="unlimited_quota" label={t('fields.unlimited')} />
      <MoneyInput
        control={control}
        name="remain_quota"
        label={t('fields.quota')}
        hint={t('quotaNote')}
        presets={quotaPresets}
        disabled={unlimited ?? false}
      />
      {!token && (
        <div>
          <NumberInput
            control={control}
            name="count"
            label={t('fields.count')}
            slotProps={{ htmlInput: { min: 1, max: 100 } }}
            hint={count > 1 ? t('countNote') : undefined}
          />
          <Box sx={{ display: 'flex', gap: 0.5, mt: 0.75 }}>
            {countPresets.map((preset) => (
              <Chip
                key={preset}
                label={preset}
                variant={preset === count ? 'filled' : 'outlined'}
                onClick={() => setValue('count', preset, { shouldDirty: true })}
              />
            ))}
          </Box>
        </div>
      )}
      <SelectInput control={control} name="group" label={t('fields.group')} options={groupOptions} />
      <SwitchInput control={control} name="model_limits_enabled" label={t('fields.limitModels')} hint={t('limitModelsNote')} />
      {limited && <NamesInput control={control} name="model_limits" label={t('fields.models')} options={models} />}
      <TextInput
        control={control}
        name="allow_ips"
        label={t('fields.allowIps')}
        hint={t('allowIpsNote')}
        multiline
        minRows={2}
        maxRows={8}
      />
    </FormDrawer>
  );
}
