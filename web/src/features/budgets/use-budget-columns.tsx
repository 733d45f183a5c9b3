import type { BudgetView } from '@tollgate/contracts/api/budget';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime, type Tone } from '../../shared/format.ts';
import type { Column } from '../../shared/ui/column.ts';
import { Faint } from '../../shared/ui/faint.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';
import { useAmountText } from './use-amount-text.ts';
import { UsedBar } from './used-bar.tsx';

const tones: Record<BudgetView['mode'], Tone> = { hard: 'error', soft: 'warning', observe: 'neutral' };

export function useBudgetColumns(): Column<BudgetView>[] {
  const { t } = useTranslation('budgets');
  const amountText = useAmountText();
  return useMemo(() => {
    const subjectText = ({ subject, subject_id: id }: BudgetView) => `${t(`subjects.${subject}`)} ${subject === 'group' ? '' : '#'}${id}`;
    const windowText = ({ window, time_zone: zone }: BudgetView) =>
      window === 'day' || window === 'week' || window === 'month' ? `${t(`windows.${window}`)} (${zone})` : t(`windows.${window}`);
    const usedText = ({ unit, used, amount, percent }: BudgetView) =>
      t('usedOf', { used: amountText(unit, used), amount: amountText(unit, amount), percent });
    return [
      { id: 'name', header: t('columns.name'), primary: true, clip: true, value: (row) => row.name, cell: (row) => row.name },
      { id: 'subject', header: t('columns.subject'), phone: 'bare', value: subjectText, cell: subjectText },
      {
        id: 'used',
        header: t('columns.used'),
        phone: 'bare',
        value: usedText,
        cell: (row) => (
          <span>
            {usedText(row)}
            <UsedBar percent={row.percent} label={t('usedOfName', { name: row.name })} warnsAt={80} />
          </span>
        ),
      },
      { id: 'window', header: t('columns.window'), value: windowText, cell: windowText },
      {
        id: 'reset',
        header: t('columns.reset'),
        value: (row) => (row.reset_time < 0 ? '' : formatDateTime(row.reset_time)),
        exported: { as: 'time', of: (row) => (row.reset_time < 0 ? '' : row.reset_time) },
        cell: (row) => (row.reset_time < 0 ? <Faint>{t('never')}</Faint> : <TimeText seconds={row.reset_time} />),
      },
      {
        id: 'mode',
        header: t('columns.mode'),
        phone: 'bare',
        value: (row) => t(`modes.${row.mode}`),
        cell: (row) => <StatusTag tone={tones[row.mode]} label={t(`modes.${row.mode}`)} />,
      },
      {
        id: 'models',
        header: t('columns.models'),
        hidden: true,
        clip: true,
        value: (row) => row.models.join(','),
        cell: (row) => (row.models.length === 0 ? <Faint>{t('allModels')}</Faint> : row.models.join(', ')),
      },
    ];
  }, [t, amountText]);
}
