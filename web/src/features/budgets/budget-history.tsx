import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { BudgetView } from '@tollgate/contracts/api/budget';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '../../shared/format.ts';
import { PlainTable } from '../../shared/ui/plain-table.tsx';
import { QuotaText } from '../../shared/ui/quota-text.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';
import { useGetBudgetHistoryQuery } from './api.ts';

/** What was used of a budget, window by window. */
export function BudgetHistory({ budget, onClose }: { budget: BudgetView; onClose: () => void }) {
  const { t } = useTranslation(['budgets', 'shared']);
  const titleId = useId();
  const { data = [] } = useGetBudgetHistoryQuery(budget.id);
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="sm" fullWidth>
      <DialogTitle id={titleId}>{t('historyTitle', { name: budget.name })}</DialogTitle>
      <DialogContent>
        {data.length === 0 ? (
          t('noHistory')
        ) : (
          <PlainTable
            label={t('historyTitle', { name: budget.name })}
            heads={[t('columns.from'), t('units.quota'), t('units.requests'), t('units.tokens')]}
            align="right"
            rows={data.map(({ from, quota, requests, tokens }) => ({
              key: String(from),
              cells: [
                from === 0 ? t('windows.total') : <TimeText key="from" seconds={from} />,
                <QuotaText key="quota" quota={quota} />,
                formatCount(requests),
                formatCount(tokens),
              ],
            }))}
          />
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t('shared:close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
