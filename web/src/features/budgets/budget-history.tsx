import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import type { BudgetView } from '@tollgate/contracts/api/budget';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '../../shared/format.ts';
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
          <Table size="small">
            <TableHead>
              <TableRow>
                <TableCell>{t('columns.from')}</TableCell>
                <TableCell align="right">{t('units.quota')}</TableCell>
                <TableCell align="right">{t('units.requests')}</TableCell>
                <TableCell align="right">{t('units.tokens')}</TableCell>
              </TableRow>
            </TableHead>
            <TableBody>
              {data.map(({ from, quota, requests, tokens }) => (
                <TableRow key={from}>
                  <TableCell>{from === 0 ? t('windows.total') : <TimeText seconds={from} />}</TableCell>
                  <TableCell align="right">
                    <QuotaText quota={quota} />
                  </TableCell>
                  <TableCell align="right">{formatCount(requests)}</TableCell>
                  <TableCell align="right">{formatCount(tokens)}</TableCell>
                </TableRow>
              ))}
            </TableBody>
          </Table>
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t('shared:close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
