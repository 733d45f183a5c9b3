import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import type { UpdateTagBody } from '@tollgate/contracts/api/channel-bodies';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../../shared/form/fields.tsx';
import { FormDialog } from '../../shared/form/form-dialog.tsx';
import { NamesInput } from '../../shared/form/names-input.tsx';
import { useKeptForm } from '../../shared/form/use-kept.ts';
import { useLateFailure } from '../../shared/form/use-late-failure.ts';
import { useListGroupsQuery } from '../../shared/site.ts';
import { toast } from '../../shared/ui/toasts.ts';
import { useUndo } from '../../shared/ui/use-undo.ts';
import { useListKnownModelsQuery, useUpdateTagMutation } from './api.ts';
import { templates } from './channel-form.ts';

/** As they stand in the fields; '' leaves the channels as they are. */
interface TagValues {
  newTag: string;
  models: string;
  groups: string;
  modelMapping: string;
  priority: string;
  weight: string;
}

/** Changes all channels of a tag alike; what is left blank stays. */
export function TagEditor({ tag, count, onClose }: { tag: string; count: number; onClose: () => void }) {
  const { t } = useTranslation(['channels', 'shared']);
  const { data: known = [] } = useListKnownModelsQuery();
  const { data: groups = [] } = useListGroupsQuery();
  const [update, { isLoading, error }] = useUpdateTagMutation();
  const failedLate = useLateFailure(t('tagEditor.title'));
  const undo = useUndo();
  const form = useForm<TagValues>({
    defaultValues: { newTag: tag, models: '', groups: '', modelMapping: '', priority: '', weight: '' },
  });
  const { control, handleSubmit, setError, setValue, formState } = form;
  useKeptForm(`tag/${tag}`, form);

  const save = async (values: TagValues): Promise<void> => {
    const wrong = (name: keyof TagValues, message: string): void => setError(name, { message }, { shouldFocus: true });
    if (values.modelMapping.trim() !== '' && !isJsonObject(values.modelMapping))
      return wrong('modelMapping', t('shared:form.modelMapJson'));
    if (values.priority.trim() !== '' && !/^-?\d+$/.test(values.priority.trim())) return wrong('priority', t('tagEditor.priorityWrong'));
    if (values.weight.trim() !== '' && !/^\d+$/.test(values.weight.trim())) return wrong('weight', t('tagEditor.weightWrong'));
    const changes = changesIn(values, tag);
    if (Object.keys(changes).length === 0) return toast('warning', t('tagEditor.nothing'));
    const answer = await update({ tag, ...changes });
    if (answer.error) return failedLate(answer.error);
    toast('success', t('tagEditor.saved'), undo(answer.data));
    onClose();
  };

  return (
    <FormDialog
      title={t('tagEditor.of', { tag })}
      submit={t('shared:save')}
      onSubmit={handleSubmit(save)}
      onClose={onClose}
      dirty={formState.isDirty}
      isBusy={isLoading}
      error={error}
      width="sm"
    >
      <Alert severity="info">{t('tagEditor.note', { count })}</Alert>
      <TextInput control={control} name="newTag" label={t('tagEditor.newTag')} hint={t('tagEditor.newTagNote')} autoFocus />
      <NamesInput control={control} name="models" label={t('fields.models')} options={known} />
      <NamesInput control={control} name="groups" label={t('fields.groups')} options={groups} />
      <div>
        <TextInput control={control} name="modelMapping" label={t('fields.modelMapping')} multiline minRows={2} maxRows={10} />
        <Box sx={{ display: 'flex', gap: 2, mt: 0.5, ml: 0.25 }}>
          <FieldLink onClick={() => setValue('modelMapping', templates.model_mapping, { shouldDirty: true })}>
            {t('fillTemplate')}
          </FieldLink>
          <FieldLink onClick={() => setValue('modelMapping', '{}', { shouldDirty: true })}>{t('tagEditor.clearMapping')}</FieldLink>
          <FieldLink onClick={() => setValue('modelMapping', '', { shouldDirty: true })}>{t('tagEditor.keepMapping')}</FieldLink>
        </Box>
      </div>
      <Box sx={{ display: 'grid', gridTemplateColumns: { sm: '1fr 1fr' }, gap: 2 }}>
        <TextInput control={control} name="priority" label={t('columns.priority')} />
        <TextInput control={control} name="weight" label={t('columns.weight')} />
      </Box>
    </FormDialog>
  );
}

function FieldLink({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Link component="button" type="button" variant="caption" onClick={onClick}>
      {children}
    </Link>
  );
}

function changesIn(values: TagValues, tag: string): Omit<UpdateTagBody, 'tag'> {
  const { newTag, models, groups, modelMapping, priority, weight } = values;
  return {
    ...(newTag.trim() !== tag && { new_tag: newTag.trim() }),
    ...(models !== '' && { models }),
    ...(groups !== '' && { groups }),
    ...(modelMapping.trim() !== '' && { model_mapping: modelMapping.trim() }),
    ...(priority.trim() !== '' && { priority: Number(priority) }),
    ...(weight.trim() !== '' && { weight: Number(weight) }),
  };
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
