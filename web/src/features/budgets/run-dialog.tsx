import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import LinearProgress from '@mui/material/LinearProgress';
import Stack from '@mui/material/Stack';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import type { RunDetail } from '@tollgate/contracts/api/run';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatQuota } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { QuotaText } from '../../shared/ui/quota-text.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';
import { useGetRunQuery } from './api.ts';
import { useRunName } from './run-name.ts';

const CeilingForm = lazyPart(async () => (await import('./ceiling-form.tsx')).CeilingForm);
const everyMs = 5_000;

/** One run while it goes on: what is used of its ceiling, which can be changed here, the cost by model, and the calls one after another. */
export function RunDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation(['budgets', 'shared']);
  const titleId = useId();
  const nameOf = useRunName();
  const { data } = useGetRunQuery(id, { pollingInterval: everyMs });
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="md" fullWidth>
      <DialogTitle id={titleId}>{data === undefined ? t('runs.view') : nameOf(data.run)}</DialogTitle>
      <DialogContent>{data !== undefined && <RunParts detail={data} />}</DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t('shared:close')}</Button>
      </DialogActions>
    </Dialog>
  );
}

function RunParts({ detail: { run, models, calls } }: { detail: RunDetail }) {
  const { t } = useTranslation('budgets');
  const money = useMoneyDisplay();
  const nameOf = useRunName();
  const used = { used: formatQuota(run.used, money), amount: formatQuota(run.limit, money), percent: run.percent };
  return (
    <Stack spacing={3}>
      <div>
        <Typography>{t('runs.usedOf', used)}</Typography>
        <LinearProgress
          variant="determinate"
          value={Math.min(100, run.percent)}
          color={run.percent >= 100 ? 'error' : 'success'}
          aria-label={t('runs.usedOfName', { name: nameOf(run) })}
        />
        {run.held > 0 && <Typography variant="body2">{t('runs.held', { amount: formatQuota(run.held, money) })}</Typography>}
      </div>
      <CeilingForm key={run.limit} run={run} />
      {calls.length === 0 ? (
        <Typography>{t('runs.noCalls')}</Typography>
      ) : (
        <>
          <Part title={t('runs.byModel')} heads={[t('runs.model'), t('runs.calls'), t('runs.tokens'), t('runs.cost')]}>
            {models.map((each) => (
              <TableRow key={each.model}>
                <TableCell>{each.model}</TableCell>
                <TableCell align="right">{formatCount(each.calls)}</TableCell>
                <TableCell align="right">{formatCount(each.tokens)}</TableCell>
                <TableCell align="right">
                  <QuotaText quota={each.quota} />
                </TableCell>
              </TableRow>
            ))}
          </Part>
          <Part title={t('runs.timeline')} heads={[t('runs.time'), t('runs.model'), t('runs.tokens'), t('runs.cost'), t('runs.total')]}>
            {calls.map((each) => (
              <TableRow key={each.id}>
                <TableCell>
                  <TimeText seconds={each.time} />
                </TableCell>
                <TableCell align="right">{each.model}</TableCell>
                <TableCell align="right">{formatCount(each.prompt_tokens + each.completion_tokens)}</TableCell>
                <TableCell align="right">
                  <QuotaText quota={each.quota} />
                </TableCell>
                <TableCell align="right">
                  <QuotaText quota={each.total} />
                </TableCell>
              </TableRow>
            ))}
          </Part>
        </>
      )}
    </Stack>
  );
}

function Part({ title, heads, children }: { title: string; heads: string[]; children: ReactNode }) {
  const headingId = useId();
  return (
    <section aria-labelledby={headingId}>
      <Typography id={headingId} variant="subtitle1" component="h3">
        {title}
      </Typography>
      <TableContainer tabIndex={0}>
        <Table size="small">
          <TableHead>
            <TableRow>
              {heads.map((head, i) => (
                <TableCell key={head} align={i === 0 ? 'left' : 'right'}>
                  {head}
                </TableCell>
              ))}
            </TableRow>
          </TableHead>
          <TableBody>{children}</TableBody>
        </Table>
      </TableContainer>
    </section>
  );
}
