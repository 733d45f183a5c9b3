import Alert from '@mui/material/Alert';
import type { SystemView } from '@tollgate/contracts/api/system';
import { useTranslation } from 'react-i18next';
import { formatSeconds } from '../../shared/format.ts';
import { Card } from '../../shared/ui/card.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';
import { PlainTable } from './plain-table.tsx';

/** Each tells of itself every 5 s. */
const silentAfter = 15;
/** Without one of each, calls are refused, charged late, or nobody can manage anything. */
const needed = ['relay', 'billing', 'console'] as const;

/** Every process that was there within the last minute, and what is missing. */
export function ServicesCard({ processes, now }: Pick<SystemView, 'processes' | 'now'>) {
  const { t } = useTranslation('system');
  const missing = needed.filter((service) => !processes.some((each) => each.service === service));
  const proxies = [...new Set(processes.map((each) => each.untrusted_proxy).filter((peer) => peer !== ''))];
  const rows = processes.map(({ service, process, started_time: started, seen_time: seen }) => ({
    key: `${service} ${process}`,
    cells: [
      service,
      process,
      now - seen > silentAfter ? (
        <StatusTag key="silent" tone="warning" label={t('silent', { time: formatSeconds(now - seen) })} />
      ) : (
        <StatusTag key="there" tone="success" label={t('there')} />
      ),
      <TimeText key="since" seconds={started} />,
    ],
  }));
  const absent = missing.map((service) => ({
    key: service,
    cells: [service, '—', <StatusTag key="none" tone="error" label={t('missing')} />, '—'],
  }));
  return (
    <Card title={t('services')} lead={t('servicesLead')}>
      {proxies.length > 0 && <Alert severity="warning">{t('untrustedProxy', { peers: proxies.join(', ') })}</Alert>}
      <PlainTable
        label={t('services')}
        heads={[t('columns.service'), t('columns.process'), t('columns.state'), t('columns.since')]}
        rows={[...rows, ...absent]}
      />
    </Card>
  );
}
