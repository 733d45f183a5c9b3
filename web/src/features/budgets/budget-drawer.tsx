import { type BudgetView, createBudgetBody } from '@tollgate/contracts/api/budget';
import { budgetModes, budgetUnits, budgetWindows } from '@tollgate/contracts/budgets';
import { role } from '@tollgate/contracts/constants';
import { type Control, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useParams, useSearchParams } from 'react-router';
import { z } from 'zod';
import { useListFirstTokensQuery } from '../../shared/enabled-tokens.ts';
import { EditorNotices } from '../../shared/form/editor-notices.tsx';
import { NumberInput, SelectInput, TextInput } from '../../shared/form/fields.tsx';
import { FormDrawer } from '../../shared/form/form-drawer.tsx';
import { MoneyInput } from '../../shared/form/money-input.tsx';
import { NamesInput } from '../../shared/form/names-input.tsx';
import { UnreadyDrawer } from '../../shared/form/unready-drawer.tsx';
import { useEditor } from '../../shared/form/use-editor.ts';
import { useFreshRow } from '../../shared/form/use-fresh-row.ts';
import { namesIn } from '../../shared/format.ts';
import { useHasRole } from '../../shared/session.ts';
import { toast } from '../../shared/ui/toasts.ts';
import { useCloseEditor } from '../../shared/ui/use-close-editor.ts';
import { useCreateBudgetMutation, useLazyGetBudgetQuery, useUpdateBudgetMutation } from './api.ts';

/** The models are a comma list in the form. */
const budgetForm = createBudgetBody.extend({ subject_id: z.string().max(64), models: z.string() });
const firstAmount = 500_000;
/** US dollars. */
const presets = [1, 5, 10, 50, 100];
const labels = ['name', 'subject', 'subject_id', 'unit', 'amount', 'window', 'time_zone', 'mode', 'models'] as const;

/** The editor of budgets: a new one at /budget/add, an existing one at /budget/edit/{id}. */
export function BudgetDrawer() {
  const { id } = useParams();
  const close = useCloseEditor('/budget');
  if (id === undefined) return <NewBudget onClose={close} />;
  return <EditedBudget key={id} id={Number(id)} onClose={close} />;
}

function EditedBudget({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation('budgets');
  const [load] = useLazyGetBudgetQuery();
  const { row, error } = useFreshRow(load, id);
  if (row) return <BudgetEditor budget={row} onClose={onClose} />;
  return <UnreadyDrawer title={t('editTitle')} error={error} onClose={onClose} />;
}

function NewBudget({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('budgets');
  const [params] = useSearchParams();
  const isAdmin = useHasRole(role.admin);
  const tokens = useListFirstTokensQuery(undefined).data?.items ?? [];
  const [create] = useCreateBudgetMutation();
  const named = params.get('subject');
  const subject: BudgetView['subject'] = named === 'token' || named === 'group' ? named : 'user';
  const editor = useEditor({
    record: 'budget/new',
    title: t('create'),
    schema: budgetForm,
    valuesOf: () => ({
      name: '',
      subject,
      subject_id: params.get('subject_id') ?? '',
      unit: 'quota' as const,
      amount: firstAmount,
      window: 'month' as const,
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC',
      mode: 'hard' as const,
      models: '',
    }),
    save: async (_changes, { models, ...body }) => {
      const answer = await create({ ...body, models: namesIn(models) });
      if (!answer.error) toast('success', t('created'));
      return answer;
    },
    onSaved: onClose,
  });
  const { control } = editor.form;
  const [unit, chosen, window] = useWatch({ control, name: ['unit', 'subject', 'window'] });
  const subjects = isAdmin ? (['token', 'user', 'group'] as const) : (['token', 'user'] as const);
  const isOwnToken = chosen === 'token' && tokens.length > 0 && !isAdmin;
  return (
    <FormDrawer title={t('create')} onClose={onClose} submitLabel={t('create')} {...editor.drawer}>
      <EditorNotices editor={editor} labelOf={useLabelOf()} />
      <TextInput control={control} name="name" label={t('fields.name')} autoFocus slotProps={{ htmlInput: { maxLength: 60 } }} />
      <SelectInput
        control={control}
        name="subject"
        label={t('fields.subject')}
        options={subjects.map((value) => ({ value, label: t(`subjects.${value}`) }))}
      />
      {isOwnToken ? (
        <SelectInput
          control={control}
          name="subject_id"
          label={t('fields.token')}
          options={tokens.map(({ id, name }) => ({ value: String(id), label: `${name} #${id}` }))}
        />
      ) : (
        (isAdmin || chosen === 'token') && (
          <TextInput
            control={control}
            name="subject_id"
            label={t(`ids.${chosen}`)}
            hint={chosen === 'user' ? t('ownAccount') : undefined}
          />
        )
      )}
      <SelectInput
        control={control}
        name="unit"
        label={t('fields.unit')}
        options={budgetUnits.map((value) => ({ value, label: t(`units.${value}`) }))}
      />
      <AmountInput control={control} unit={unit} />
      <SelectInput
        control={control}
        name="window"
        label={t('fields.window')}
        options={budgetWindows.map((value) => ({ value, label: t(`windows.${value}`) }))}
      />
      {(window === 'day' || window === 'week' || window === 'month') && (
        <TextInput control={control} name="time_zone" label={t('fields.time_zone')} />
      )}
      <ModeAndModels control={control} />
    </FormDrawer>
  );
}

function BudgetEditor({ budget, onClose }: { budget: BudgetView; onClose: () => void }) {
  const { t } = useTranslation(['budgets', 'shared']);
  const [update] = useUpdateBudgetMutation();
  const editor = useEditor({
    record: `budget/${budget.id}`,
    title: t('editTitle'),
    schema: budgetForm,
    valuesOf: () => ({ ...budget, models: budget.models.join(',') }),
    save: async (_changes, { name, amount, mode, models }) => {
      const answer = await update({ id: budget.id, name, amount, mode, models: namesIn(models) });
      if (!answer.error) toast('success', t('updated'));
      return answer;
    },
    onSaved: onClose,
  });
  const { control } = editor.form;
  return (
    <FormDrawer title={t('editTitle')} onClose={onClose} submitLabel={t('shared:save')} {...editor.drawer}>
      <EditorNotices editor={editor} labelOf={useLabelOf()} />
      <TextInput control={control} name="name" label={t('fields.name')} autoFocus slotProps={{ htmlInput: { maxLength: 60 } }} />
      <AmountInput control={control} unit={budget.unit} />
      <ModeAndModels control={control} />
    </FormDrawer>
  );
}

// biome-ignore lint/suspicious/noExplicitAny: a form whose schema transforms has a third type, which no field needs
type BudgetControl = Control<z.input<typeof budgetForm>, any, any>;

function AmountInput({ control, unit }: { control: BudgetControl; unit: BudgetView['unit'] | undefined }) {
  const { t } = useTranslation('budgets');
  if (unit === 'quota') return <MoneyInput control={control} name="amount" label={t('fields.amount')} presets={presets} />;
  return <NumberInput control={control} name="amount" label={t('fields.amount')} slotProps={{ htmlInput: { min: 0 } }} />;
}

function ModeAndModels({ control }: { control: BudgetControl }) {
  const { t } = useTranslation('budgets');
  return (
    <>
      <SelectInput
        control={control}
        name="mode"
        label={t('fields.mode')}
        hint={t('modeHint')}
        options={budgetModes.map((value) => ({ value, label: t(`modes.${value}`) }))}
      />
      <NamesInput control={control} name="models" label={t('fields.models')} hint={t('modelsHint')} options={[]} />
    </>
  );
}

function useLabelOf(): (name: string) => string {
  const { t } = useTranslation('budgets');
  return (name) => {
    const label = labels.find((known) => known === name);
    return label === undefined ? name : t(`fields.${label}`);
  };
}
