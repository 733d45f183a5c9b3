import Button from '@mui/material/Button';
import Pagination from '@mui/material/Pagination';
import Typography from '@mui/material/Typography';
import type { ChannelKeyView, ChannelView } from '@tollgate/contracts/api/channel-views';
import { channelStatus } from '@tollgate/contracts/constants';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDateTime } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import { Card } from '../../shared/ui/card.tsx';
import { ErrorNotice } from '../../shared/ui/error-notice.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { PlainTable } from '../../shared/ui/plain-table.tsx';
import { quotaAs } from '../../shared/ui/quota-text.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { formatMs } from './health-cells.tsx';
import { KeyActions } from './key-actions.tsx';
import { useListKeysQuery } from './keys-api.ts';

const KeysDialog = lazyPart(async () => (await import('./keys-dialog.tsx')).KeysDialog);
const pageSize = 20;
const everyMs = 15_000;

/** The keys of a channel: how each does, and what can be done with it. */
export function KeysCard({ channel }: { channel: ChannelView }) {
  const { t } = useTranslation('channels');
  const money = useMoneyDisplay();
  const [page, setPage] = useState(1);
  const [adding, setAdding] = useState(false);
  const { data, error, refetch, isFetching } = useListKeysQuery(
    { channel: channel.id, page, size: pageSize },
    { pollingInterval: everyMs, skipPollingIfUnfocused: true },
  );
  const { is_multi_key: isMulti, multi_key_mode: mode } = channel.channel_info;
  const add = (
    <Button size="small" onClick={() => setAdding(true)}>
      {t('keys.add')}
    </Button>
  );
  const pages = Math.ceil((data?.total ?? 0) / pageSize);
  return (
    <Card title={t('keys.title')} aside={add} {...(isMulti && { lead: t('keys.lead', { strategy: t(`keys.strategies.${mode}`) }) })}>
      {error !== undefined && <ErrorNotice error={error} onRetry={refetch} busy={isFetching} />}
      {data && (
        <PlainTable
          label={t('keys.title')}
          heads={[
            t('keys.key'),
            t('columns.status'),
            t('keys.calls'),
            t('health.errorRate'),
            t('keys.average'),
            t('keys.spent'),
            t('keys.actions'),
          ]}
          rows={data.items.map((key) => ({
            key: String(key.id),
            cells: [
              <KeyName key="name" of={key} />,
              <KeyStatus key="status" of={key} />,
              formatCount(key.calls),
              key.calls === 0 ? '—' : `${Math.round((key.failures / key.calls) * 100)}%`,
              key.average_ms === 0 ? '—' : formatMs(key.average_ms),
              quotaAs(money, key.used_quota),
              <KeyActions key="actions" channelId={channel.id} of={key} isOnly={data.total === 1} />,
            ],
          }))}
        />
      )}
      {isMulti && (
        <Typography variant="caption" color="textSecondary">
          {t('keys.counted')}
        </Typography>
      )}
      {pages > 1 && <Pagination size="small" count={pages} page={page} onChange={(_event, next) => setPage(next)} />}
      {adding && <KeysDialog channel={channel} onClose={() => setAdding(false)} />}
    </Card>
  );
}

function KeyName({ of: { id, name, tail } }: { of: ChannelKeyView }) {
  return (
    <>
      <span className="faint">#{id}</span> {name} {tail && <code>…{tail}</code>}
    </>
  );
}

function KeyStatus({ of: { status, reason, resting, changed_time: changed } }: { of: ChannelKeyView }) {
  const { t } = useTranslation('channels');
  if (status === channelStatus.disabled) return <StatusTag tone="neutral" label={t('status.disabled')} />;
  if (status !== channelStatus.enabled) {
    const hint = t('statusReason', { reason, time: formatDateTime(changed) });
    return <StatusTag tone="error" label={t('status.autoDisabled')} hint={hint} />;
  }
  if (resting === null) return <StatusTag tone="success" label={t('status.enabled')} />;
  const hint = t(`keys.resting.${resting.reason}`, { time: formatDateTime(resting.until), model: resting.model || t('keys.allModels') });
  return <StatusTag tone="warning" label={t('keys.rests')} hint={hint} />;
}
