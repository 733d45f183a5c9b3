import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '../../shared/ui/card.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';
import { useListSignInsQuery } from './api.ts';
import { browserName } from './browser-name.ts';
import { Line } from './line.tsx';

const names: Record<string, string> = { github: 'GitHub', linuxdo: 'LinuxDO', oidc: 'OIDC', telegram: 'Telegram', wechat: 'WeChat' };

/** Who signed in with this account, or tried to. */
export function SignInsCard() {
  const { t } = useTranslation('account');
  const [page, setPage] = useState(1);
  const { data } = useListSignInsQuery(page, { refetchOnMountOrArgChange: true });
  const wayOf = (way: string): string => {
    if (way === 'password' || way === 'passkey') return t(`signIns.${way}`);
    return names[way] ?? way;
  };
  return (
    <Card title={t('signIns.title')}>
      {data?.items.map(({ at, way, good, address, agent }, index) => (
        <Line
          // biome-ignore lint/suspicious/noArrayIndexKey: two in one second are told apart by nothing else
          key={`${at} ${index}`}
          label={
            <>
              <StatusTag tone={good ? 'success' : 'error'} label={t(good ? 'signIns.good' : 'signIns.failed')} /> {wayOf(way)}
            </>
          }
          value={
            <>
              <TimeText seconds={at} /> · {address} · {browserName(agent) || t('sessions.unknown')}
            </>
          }
        />
      ))}
      {data && data.total > data.page_size && (
        <div>
          <Button disabled={page === 1} onClick={() => setPage(page - 1)}>
            {t('signIns.newer')}
          </Button>
          <Button disabled={page * data.page_size >= data.total} onClick={() => setPage(page + 1)}>
            {t('signIns.older')}
          </Button>
        </div>
      )}
    </Card>
  );
}
