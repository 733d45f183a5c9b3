import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { LogView } from '@tollgate/contracts/api/log';
import { logType } from '@tollgate/contracts/constants';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatSeconds } from '../../shared/format.ts';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { detailsOf, secondsOf } from './log-details.ts';

/** The client had left before there was an answer. */
const clientLeft = 499;

export function isFailure(log: LogView): boolean {
  return log.type === logType.error;
}

export function FailureTag({ log }: { log: LogView }) {
  const { t } = useTranslation('logs');
  const { status_code: status = 0, further, error_code: code } = detailsOf(log);
  if (further !== undefined) return <StatusTag tone="error" label={t('failure.times', { times: formatCount(further) })} hint={code} />;
  if (status === clientLeft) return <StatusTag tone="warning" label={t('failure.left')} hint={code} />;
  return <StatusTag tone="error" label={t('failure.status', { status })} hint={code} />;
}

export function failureFacts(log: LogView, t: TFunction<['logs', 'shared']>): [string, ReactNode][] {
  const { status_code: status, error_code: code, dialect, client, further } = detailsOf(log);
  const facts: [string, ReactNode][] = [
    [t('facts.status'), status],
    [t('facts.code'), <code key="code">{code}</code>],
  ];
  if (further !== undefined) return [...facts, [t('facts.further'), formatCount(further)]];
  if (log.group) facts.push([t('columns.group'), log.group]);
  if (dialect) facts.push([t('facts.dialect'), dialect]);
  if (client) facts.push([t('facts.client'), client]);
  facts.push([t('facts.duration'), formatSeconds(secondsOf(log, detailsOf(log)))]);
  return facts;
}

/** What each channel that was tried answered, and why others were not: for administrators. */
export function AttemptsCard({ log }: { log: LogView }) {
  const { t } = useTranslation('logs');
  const { admin_info: info, further } = detailsOf(log);
  if (further !== undefined) return null;
  const { attempts = [], passed_over: passedOver = [] } = info ?? {};
  const cell = { display: 'table-cell', verticalAlign: 'top', textAlign: 'left', py: 0.5, pr: 2, fontWeight: 400, whiteSpace: 'normal' };
  const channelOf = ({ channel, channel_name: name }: { channel: number; channel_name: string }): string => `${channel} - ${name}`;
  return (
    <Box sx={{ fontSize: 12.5, minWidth: 0 }}>
      <Typography variant="h3" component="h2" sx={{ mb: 0.75 }}>
        {t('attempts.title')}
      </Typography>
      {attempts.length === 0 && <Typography variant="body2">{t('attempts.none')}</Typography>}
      {attempts.map((attempt, index) => (
        <Box
          key={`${attempt.channel} ${attempt.key_id} ${attempt.duration_ms} ${attempt.kind}`}
          sx={{ py: 0.75, borderTop: index > 0 ? 1 : 0, borderColor: 'divider', overflowWrap: 'anywhere' }}
        >
          <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 1.5, rowGap: 0.25, alignItems: 'center' }}>
            <strong>
              {channelOf(attempt)}
              {attempt.key_id !== undefined && ` #${attempt.key_id}`}
            </strong>
            <StatusTag tone="error" label={`${attempt.status_code} ${attempt.kind}`} />
            <span>{formatSeconds(attempt.duration_ms / 1000)}</span>
            <Box component="span" sx={{ color: 'text.secondary' }}>
              {t('attempts.rank', { priority: attempt.priority, weight: attempt.weight })}
            </Box>
          </Box>
          <Box sx={{ mt: 0.25 }}>{attempt.message}</Box>
        </Box>
      ))}
      {passedOver.length > 0 && (
        <>
          <Typography variant="h3" component="h2" sx={{ mt: 1.5, mb: 0.5 }}>
            {t('attempts.passedOver')}
          </Typography>
          <Box component="dl" sx={{ m: 0, display: 'table' }}>
            {passedOver.map((passed) => (
              <Box key={passed.channel} sx={{ display: 'table-row' }}>
                <Box component="dt" sx={cell}>
                  {channelOf(passed)}
                </Box>
                <Box component="dd" sx={{ ...cell, m: 0, color: 'text.secondary' }}>
                  {t(`reasons.${passed.reason}`)}
                </Box>
              </Box>
            ))}
          </Box>
        </>
      )}
    </Box>
  );
}
