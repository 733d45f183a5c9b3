import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { RunDetail } from '@tollgate/contracts/api/run';
import { type ComponentProps, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatQuota } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { PlainTable } from '../../shared/ui/plain-table.tsx';
import { QuotaText } from '../../shared/ui/quota-text.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';
import { useGetRunQuery } from './api.ts';
import { useRunName } from './run-name.ts';
import { UsedBar } from './used-bar.tsx';

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
        <UsedBar percent={run.percent} label={t('runs.usedOfName', { name: nameOf(run) })} />
        {run.held > 0 && <Typography variant="body2">{t('runs.held', { amount: formatQuota(run.held, money) })}</Typography>}
      </div>
      <CeilingForm key={run.limit} run={run} />
      {calls.length === 0 ? (
        <Typography>{t('runs.noCalls')}</Typography>
      ) : (
        <>
          <Part
            title={t('runs.byModel')}
            heads={[t('runs.model'), t('runs.calls'), t('runs.tokens'), t('runs.cost')]}
            rows={models.map(({ model, calls: count, tokens, quota }) => ({
              key: model,
              cells: [model, formatCount(count), formatCount(tokens), <QuotaText key="cost" quota={quota} />],
            }))}
          />
          <Part
            title={t('runs.timeline')}
            heads={[t('runs.time'), t('runs.model'), t('runs.tokens'), t('runs.cost'), t('runs.total')]}
            rows={calls.map((each) => ({
              key: each.id,
              cells: [
                <TimeText key="time" seconds={each.time} />,
                each.model,
                formatCount(each.prompt_tokens + each.completion_tokens),
                <QuotaText key="cost" quota={each.quota} />,
                <QuotaText key="total" quota={each.total} />,
              ],
            }))}
          />
        </>
      )}
    </Stack>
  );
}

function Part({ title, ...table }: { title: string } & Pick<ComponentProps<typeof PlainTable>, 'heads' | 'rows'>) {
  const headingId = useId();
  return (
    <section aria-labelledby={headingId}>
      <Typography id={headingId} variant="subtitle1" component="h3">
        {title}
      </Typography>
      <PlainTable label={title} align="right" {...table} />
    </section>
  );
}
