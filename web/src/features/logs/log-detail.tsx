import Box from '@mui/material/Box';
import type { LogView } from '@tollgate/contracts/api/log';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatFigure, formatSeconds } from '../../shared/format.ts';
import { CopyButton } from '../../shared/ui/copy.tsx';
import { BillCard } from './bill-card.tsx';
import { AttemptsCard, failureFacts, isFailure } from './failure.tsx';
import { detailsOf, secondsOf, tokensPerSecond } from './log-details.ts';
import { isCall, knownReason } from './use-log-columns.tsx';

/** What an opened row tells: the call on the left, how its price came about on the right. */
export function LogDetail({ log, isAdmin }: { log: LogView; isAdmin: boolean }) {
  return (
    <Box
      sx={{
        display: 'grid',
        gridTemplateColumns: { xs: '1fr', md: 'minmax(280px, 420px) minmax(320px, 560px)' },
        gap: { xs: 2, md: 5 },
        p: 2,
        pl: { xs: 1.5, md: 5 },
      }}
    >
      <Facts facts={useFacts(log, isAdmin)} />
      {isCall(log) && <BillCard log={log} />}
      {(isFailure(log) || hasAttempts(log)) && isAdmin && <AttemptsCard log={log} />}
    </Box>
  );
}

function useFacts(log: LogView, isAdmin: boolean): [string, ReactNode][] {
  const { t } = useTranslation(['logs', 'shared']);
  const details = detailsOf(log);
  const facts: [string, ReactNode][] = [];
  if (log.request_id) {
    facts.push([
      t('facts.requestId'),
      <Box key="id" component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.5 }}>
        <code>{log.request_id}</code>
        <CopyButton text={log.request_id} label={`${t('shared:copy.copy')}: ${t('facts.requestId')}`} />
      </Box>,
    ]);
  }
  if (log.content) facts.push([t('columns.details'), log.content]);
  if (isFailure(log)) return [...facts, ...failureFacts(log, t)];
  if (!isCall(log)) return facts;
  const tried = details.admin_info?.use_channel ?? [];
  if (isAdmin) facts.push([t('columns.channel'), `${log.channel} - ${log.channel_name || t('unknownChannel')}`]);
  const { key_id: keyId, affinity } = details.admin_info ?? {};
  if (keyId !== undefined) facts.push([t('facts.key'), `#${keyId}`]);
  if (affinity !== undefined) facts.push([t('facts.affinity'), t(`affinities.${affinity.how}`, { from: affinity.from ?? '' })]);
  if (isAdmin && tried.length > 1) facts.push([t('columns.retry'), tried.join(' → ')]);
  facts.push([t('columns.group'), log.group]);
  if (details.is_model_mapped) facts.push([t('facts.actualModel'), details.upstream_model_name]);
  if (details.reasoning_effort) facts.push([t('facts.effort'), details.reasoning_effort]);
  if (details.changes) facts.push([t('facts.changes'), details.changes.join('; ')]);
  facts.push([t('facts.duration'), formatSeconds(secondsOf(log, details))]);
  if ((details.frt ?? -1) >= 0) facts.push([t('facts.firstToken'), formatSeconds((details.frt ?? 0) / 1000)]);
  const speed = tokensPerSecond(log, details);
  if (speed !== undefined) facts.push([t('facts.speed'), t('facts.perSecond', { rate: formatFigure(speed, 3) })]);
  if (details.reasoning_tokens) facts.push([t('facts.reasoning'), formatCount(details.reasoning_tokens)]);
  if (details.end_reason) facts.push([t('facts.end'), t(`endReasons.${knownReason(details.end_reason)}`)]);
  if (details.usage_source) facts.push([t('facts.source'), t(`sources.${knownSource(details.usage_source)}`)]);
  return facts;
}

function hasAttempts(log: LogView): boolean {
  return isCall(log) && detailsOf(log).admin_info?.attempts !== undefined;
}

const sources = ['upstream', 'counted', 'estimated'] as const;
function knownSource(source: string): (typeof sources)[number] | 'unknown' {
  return sources.find((known) => known === source) ?? 'unknown';
}

function Facts({ facts }: { facts: [string, ReactNode][] }) {
  return (
    <Box
      component="dl"
      sx={{
        m: 0,
        display: 'grid',
        gridTemplateColumns: 'minmax(104px, auto) 1fr',
        columnGap: 2,
        rowGap: 0.5,
        alignContent: 'start',
        alignItems: 'center',
        fontSize: 12.5,
        '& dt': { color: 'text.secondary' },
        '& dd': { m: 0, overflowWrap: 'anywhere' },
      }}
    >
      {facts.map(([label, value]) => (
        <Box key={label} sx={{ display: 'contents' }}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </Box>
      ))}
    </Box>
  );
}
