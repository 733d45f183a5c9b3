import { line } from '@tollgate/contracts/api/common';
import { createRedemptionsBody, type RedemptionView } from '@tollgate/contracts/api/redemption';
import { useTranslation } from 'react-i18next';
import { useOutletContext, useParams } from 'react-router';
import { EditorNotices } from '../../shared/form/editor-notices.tsx';
import { NumberInput, TextInput } from '../../shared/form/fields.tsx';
import { FormDrawer } from '../../shared/form/form-drawer.tsx';
import { MoneyInput } from '../../shared/form/money-input.tsx';
import { UnreadyDrawer } from '../../shared/form/unready-drawer.tsx';
import { useEditor } from '../../shared/form/use-editor.ts';
import { useFreshRow } from '../../shared/form/use-fresh-row.ts';
import { formatQuota } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import { toast } from '../../shared/ui/toasts.ts';
import { useCloseEditor } from '../../shared/ui/use-close-editor.ts';
import { useCreateRedemptionsMutation, useLazyGetRedemptionQuery, useUpdateRedemptionMutation } from './api.ts';
import type { CodesMade } from './codes.ts';

/** A name that is left empty becomes what the code is worth. */
const newCodesForm = createRedemptionsBody.extend({ name: line.max(20), count: createRedemptionsBody.shape.count.unwrap() });
const codeForm = newCodesForm.extend({ name: line.min(1).max(20) }).pick({ name: true, quota: true });

const firstQuota = 100_000;
/** US dollars. */
const presets = [1, 5, 10, 50, 100];
const labels = { name: 'columns.name', quota: 'columns.quota', count: 'count' } as const;

/** The editor of codes: new ones at /redemption/add, an existing one at /redemption/edit/{id}. */
export function RedemptionDrawer() {
  const { id } = useParams();
  const close = useCloseEditor('/redemption');
  if (id === undefined) return <NewCodes onClose={close} />;
  return <EditedCode key={id} id={Number(id)} onClose={close} />;
}

function EditedCode({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation('redemption');
  const [load] = useLazyGetRedemptionQuery();
  const { row, error } = useFreshRow(load, id);
  if (row) return <CodeEditor code={row} onClose={onClose} />;
  return <UnreadyDrawer title={t('editTitle')} error={error} onClose={onClose} />;
}

function NewCodes({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('redemption');
  const money = useMoneyDisplay();
  const onCreated = useOutletContext<(made: CodesMade) => void>();
  const [create] = useCreateRedemptionsMutation();
  const editor = useEditor({
    record: 'redemption/new',
    title: t('createTitle'),
    schema: newCodesForm,
    valuesOf: () => ({ name: '', quota: firstQuota, count: 1 }),
    save: async (_changes, { name, quota, count }) => {
      const body = { name: name || formatQuota(quota, money), quota, count };
      const answer = await create(body);
      if (answer.data) onCreated({ ...body, keys: answer.data });
      return answer;
    },
    onSaved: onClose,
  });
  const { control } = editor.form;
  return (
    <FormDrawer title={t('createTitle')} onClose={onClose} submitLabel={t('create')} {...editor.drawer}>
      <EditorNotices editor={editor} labelOf={useLabelOf()} />
      <TextInput
        control={control}
        name="name"
        label={t('columns.name')}
        hint={t('nameNote')}
        autoFocus
        slotProps={{ htmlInput: { maxLength: 20 } }}
      />
      <MoneyInput control={control} name="quota" label={t('columns.quota')} presets={presets} />
      <NumberInput control={control} name="count" label={t('count')} slotProps={{ htmlInput: { min: 1, max: 100 } }} />
    </FormDrawer>
  );
}

function CodeEditor({ code, onClose }: { code: RedemptionView; onClose: () => void }) {
  const { t } = useTranslation(['redemption', 'shared']);
  const money = useMoneyDisplay();
  const [update] = useUpdateRedemptionMutation();
  const editor = useEditor({
    record: `redemption/${code.id}`,
    title: t('editTitle'),
    schema: codeForm,
    row: code,
    valuesOf: (row: RedemptionView | undefined) => ({ name: row?.name ?? '', quota: row?.quota ?? 0 }),
    save: async (changes, _whole, version) => {
      const answer = await update({ id: code.id, ...(version !== undefined && { version }), ...changes });
      if (!answer.error) toast('success', t('updated'));
      return answer;
    },
    onSaved: onClose,
  });
  const { control } = editor.form;
  const textOf = (name: string, value: unknown): string | undefined => (name === 'quota' ? formatQuota(Number(value), money) : undefined);
  return (
    <FormDrawer title={t('editTitle')} onClose={onClose} submitLabel={t('shared:save')} {...editor.drawer}>
      <EditorNotices editor={editor} labelOf={useLabelOf()} textOf={textOf} />
      <TextInput control={control} name="name" label={t('columns.name')} autoFocus slotProps={{ htmlInput: { maxLength: 20 } }} />
      <MoneyInput control={control} name="quota" label={t('columns.quota')} presets={presets} />
    </FormDrawer>
  );
}

function useLabelOf(): (name: string) => string {
  const { t } = useTranslation('redemption');
  return (name) => (name in labels ? t(labels[name as keyof typeof labels]) : name);
}
