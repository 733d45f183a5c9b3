import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import type { TokenView } from '@tollgate/contracts/api/token';
import { drawingModes } from '@tollgate/contracts/tasks';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useOutletContext, useParams } from 'react-router';
import { EditorNotices } from '../../shared/form/editor-notices.tsx';
import { ExpiryInput } from '../../shared/form/expiry-input.tsx';
import { NumberInput, SelectInput, SwitchInput, TextInput } from '../../shared/form/fields.tsx';
import { FormDrawer } from '../../shared/form/form-drawer.tsx';
import { limitLabels } from '../../shared/form/limits-in.ts';
import { isLimit, LimitsInput } from '../../shared/form/limits-input.tsx';
import { MoneyInput } from '../../shared/form/money-input.tsx';
import { NamesInput } from '../../shared/form/names-input.tsx';
import { UnreadyDrawer } from '../../shared/form/unready-drawer.tsx';
import { useEditor } from '../../shared/form/use-editor.ts';
import { useFreshRow } from '../../shared/form/use-fresh-row.ts';
import { formatDateTime, formatQuota } from '../../shared/format.ts';
import { useListUsableGroupsQuery, useListUsableModelsQuery, useMoneyDisplay } from '../../shared/site.ts';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { GroupOption } from '../../shared/ui/group-tag.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useCloseEditor } from '../../shared/ui/use-close-editor.ts';
import { useCreateTokenMutation, useLazyGetTokenQuery, useUpdateTokenMutation } from './api.ts';
import { countPresets, initialValues, quotaPresets, type TokenFormResult, tokenForm } from './token-form.ts';

const spans = [
  ['hour', 3600],
  ['day', 86_400],
  ['month', 30 * 86_400],
] as const;

/** Quick choices of when a token expires, in unix seconds; -1 is never. */
function ExpirySpans({ value, onChoose }: { value: number; onChoose: (seconds: number) => void }) {
  const { t } = useTranslation('tokens');
  return (
    <Box sx={{ display: 'flex', gap: 0.5, mt: 0.75, flexWrap: 'wrap' }}>
      <Chip label={t('spans.never')} variant={value === -1 ? 'filled' : 'outlined'} onClick={() => onChoose(-1)} />
      {spans.map(([span, length]) => (
        <Chip key={span} label={t(`spans.${span}`)} variant="outlined" onClick={() => onChoose(Math.floor(Date.now() / 1000) + length)} />
      ))}
    </Box>
  );
}

/** What the page below is told: the tokens that were made. */
export type TokensMade = (tokens: TokenView[]) => void;

/** The editor of a token: a new one at /token/add, an existing one at /token/edit/{id}. */
export function TokenDrawer() {
  const { id } = useParams();
  const close = useCloseEditor('/token');
  if (id === undefined) return <TokenEditor onClose={close} />;
  return <EditedToken key={id} id={Number(id)} onClose={close} />;
}

function EditedToken({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation('tokens');
  const [load] = useLazyGetTokenQuery();
  const { row, error } = useFreshRow(load, id);
  if (row) return <TokenEditor token={row} onClose={onClose} />;
  return <UnreadyDrawer title={t('editTitle')} error={error} onClose={onClose} />;
}

function TokenEditor({ token, onClose }: { token?: TokenView; onClose: () => void }) {
  const { t } = useTranslation(['tokens', 'shared']);
  const money = useMoneyDisplay();
  const confirm = useConfirm();
  const onCreated = useOutletContext<TokensMade>();
  const { data: groups = {} } = useListUsableGroupsQuery();
  const { data: models = [] } = useListUsableModelsQuery();
  const [create] = useCreateTokenMutation();
  const [update] = useUpdateTokenMutation();
  const title = token ? t('editTitle') : t('createTitle');

  const createAll = async (values: TokenFormResult): Promise<{ error?: unknown }> => {
    const { data: made, error } = await create(values);
    if (error) return { error };
    toast('success', t('created', { count: made.length }));
    onCreated(made);
    return {};
  };
  const editor = useEditor({
    record: `token/${token?.id ?? 'new'}`,
    title,
    schema: tokenForm,
    row: token,
    valuesOf: (row: TokenView | undefined) => initialValues(row, money.quotaPerUnit),
    mayStart: async ({ expired_time }, changes) => {
      if (!('expired_time' in changes) || expired_time === -1 || expired_time * 1000 > Date.now()) return true;
      return confirm({ title: t('pastTitle'), text: t('pastText', { time: formatDateTime(expired_time) }), action: t('pastAction') });
    },
    save: async (changes, whole, version) => {
      if (!token) return createAll(whole);
      const { count: _count, ...changed } = changes;
      const answer = await update({ id: token.id, ...(version !== undefined && { version }), ...changed });
      if (!answer.error) toast('success', t('updated'));
      return answer;
    },
    onSaved: onClose,
  });
  const { control, watch, setValue } = editor.form;
  const [expiry, unlimited, limited, count, group] = watch(['expired_time', 'unlimited_quota', 'model_limits_enabled', 'count', 'group']);
  const groupOptions: { value: string; label: ReactNode }[] = [
    { value: '', label: t('ownGroup') },
    ...Object.entries(groups).map(([name, group]) => ({ value: name, label: <GroupOption name={name} {...group} /> })),
  ];
  // A token may be in a group that its owner may no longer choose; it is shown, not dropped.
  for (const other of new Set([token?.group, group])) if (other && !groups[other]) groupOptions.push({ value: other, label: other });

  return (
    <FormDrawer title={title} onClose={onClose} submitLabel={token ? t('shared:save') : t('create')} {...editor.drawer}>
      <EditorNotices editor={editor} labelOf={labelOf} textOf={textOf} />
      <TextInput control={control} name="name" label={t('fields.name')} autoFocus slotProps={{ htmlInput: { maxLength: 30 } }} />
      <div>
        <ExpiryInput
          control={control}
          name="expired_time"
          label={t('fields.expires')}
          hint={expiry === -1 ? t('neverExpires') : undefined}
        />
        <ExpirySpans
          value={expiry ?? -1}
          onChoose={(seconds) => setValue('expired_time', seconds, { shouldDirty: true, shouldTouch: true, shouldValidate: true })}
        />
      </div>
      <SwitchInput control={control} name="unlimited_quota" label={t('fields.unlimited')} />
      <MoneyInput
        control={control}
        name="remain_quota"
        label={t('fields.quota')}
        hint={t('quotaNote')}
        presets={quotaPresets}
        disabled={unlimited ?? false}
      />
      <MoneyInput control={control} name="run_budget" label={t('fields.runBudget')} hint={t('runBudgetNote')} />
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
      <TextInput control={control} name="deny_ips" label={t('fields.denyIps')} hint={t('denyIpsNote')} multiline minRows={2} maxRows={8} />
      <NamesInput
        control={control}
        name="drawing_modes"
        label={t('fields.drawingModes')}
        hint={t('drawingModesNote')}
        options={[...drawingModes]}
        free={false}
      />
      <LimitsInput control={control} />
    </FormDrawer>
  );

  function labelOf(name: string): string {
    if (isLimit(name)) return t(`shared:${limitLabels[name]}`);
    return name in labels ? t(labels[name as keyof typeof labels]) : name;
  }
  function textOf(name: string, value: unknown): string | undefined {
    if (name === 'remain_quota' || name === 'run_budget') return formatQuota(Number(value), money);
    if (name === 'expired_time') return value === -1 ? t('never') : formatDateTime(Number(value));
    return typeof value === 'boolean' ? t(value ? 'on' : 'off') : undefined;
  }
}

const labels = {
  name: 'fields.name',
  expired_time: 'fields.expires',
  unlimited_quota: 'fields.unlimited',
  remain_quota: 'fields.quota',
  run_budget: 'fields.runBudget',
  group: 'fields.group',
  model_limits_enabled: 'fields.limitModels',
  model_limits: 'fields.models',
  allow_ips: 'fields.allowIps',
  deny_ips: 'fields.denyIps',
  drawing_modes: 'fields.drawingModes',
} as const;
