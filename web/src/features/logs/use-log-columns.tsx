import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import type { LogView } from '@tollgate/contracts/api/log';
import { logType } from '@tollgate/contracts/constants';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import {
  durationTone,
  firstTokenTone,
  formatCount,
  formatDateTime,
  formatFigure,
  formatQuota,
  formatSeconds,
  type Tone,
} from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import type { Column } from '../../shared/ui/column.ts';
import { Faint } from '../../shared/ui/faint.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { detailsOf, secondsOf } from './log-details.ts';
import { UserCell } from './user-cell.tsx';

/** The columns of the log; what only administrators see is theirs. */
export function useLogColumns(isAdmin: boolean): Column<LogView>[] {
  const { t } = useTranslation('logs');
  const money = useMoneyDisplay();
  return useMemo(() => {
    const columns: (Column<LogView> & { admin?: boolean })[] = [
      {
        id: 'time',
        header: t('columns.time'),
        primary: true,
        value: (log) => formatDateTime(log.created_at),
        cell: (log) => formatDateTime(log.created_at),
      },
      { id: 'type', header: t('columns.type'), hidden: true, value: (log) => t(typeKey(log)), cell: (log) => <LogType log={log} /> },
      {
        id: 'user',
        header: t('columns.user'),
        admin: true,
        value: (log) => log.username,
        cell: (log) => <UserCell id={log.user_id} name={log.username} />,
      },
      {
        id: 'channel',
        header: t('columns.channel'),
        admin: true,
        clip: true,
        value: (log) => ofCall(log, log.channel),
        cell: (log) => isCall(log) && <Channel log={log} />,
      },
      {
        id: 'token',
        header: t('columns.token'),
        clip: true,
        value: (log) => ofCall(log, log.token_name),
        cell: (log) => isCall(log) && log.token_name,
      },
      {
        id: 'group',
        header: t('columns.group'),
        hidden: true,
        value: (log) => ofCall(log, log.group),
        cell: (log) => isCall(log) && log.group,
      },
      {
        id: 'model',
        header: t('columns.model'),
        clip: true,
        value: (log) => (isCall(log) ? log.model_name : log.content),
        cell: (log) => (isCall(log) ? <Model log={log} /> : <Event log={log} />),
      },
      {
        id: 'duration',
        header: t('columns.duration'),
        align: 'right',
        value: (log) => ofCall(log, secondsOf(log, detailsOf(log))),
        cell: (log) => isCall(log) && <Duration log={log} />,
      },
      {
        id: 'prompt',
        header: t('columns.prompt'),
        align: 'right',
        value: (log) => ofCall(log, log.prompt_tokens),
        cell: (log) => isCall(log) && formatCount(log.prompt_tokens),
      },
      {
        id: 'completion',
        header: t('columns.completion'),
        align: 'right',
        value: (log) => ofCall(log, log.completion_tokens),
        cell: (log) => isCall(log) && log.completion_tokens > 0 && formatCount(log.completion_tokens),
      },
      {
        id: 'cost',
        header: t('columns.cost'),
        align: 'right',
        value: (log) => ofCall(log, log.quota),
        cell: (log) =>
          isCall(log) && (
            <Box component="span" data-quota={log.quota} sx={{ fontWeight: 550 }}>
              {formatQuota(log.quota, money, 6)}
            </Box>
          ),
      },
      { id: 'retry', header: t('columns.retry'), admin: true, hidden: true, value: retriesOf, cell: (log) => retriesOf(log) || null },
      {
        id: 'details',
        header: t('columns.details'),
        clip: true,
        hidden: true,
        value: (log) => log.content,
        cell: (log) => <Weights log={log} />,
      },
    ];
    return columns.filter((column) => isAdmin || !column.admin);
  }, [t, money, isAdmin]);
}

export function isCall(log: LogView): boolean {
  return log.type === logType.consume;
}

function ofCall<Value>(log: LogView, value: Value): Value | '' {
  return isCall(log) ? value : '';
}

function typeKey(log: LogView) {
  if (isCall(log)) return 'types.consume';
  if (log.type === logType.topUp) return 'types.topUp';
  if (log.type === logType.manage) return 'types.manage';
  return log.type === logType.system ? 'types.system' : 'types.unknown';
}

/** A call that went as it should needs no colour; one that ended otherwise says so. */
function LogType({ log }: { log: LogView }) {
  const { t } = useTranslation('logs');
  const reason = detailsOf(log).end_reason;
  if (isCall(log)) {
    if (reason === undefined || reason === 'complete') return <Faint>{t('types.consume')}</Faint>;
    return <StatusTag tone="warning" label={t('types.cutShort')} hint={t(`endReasons.${knownReason(reason)}`)} />;
  }
  return <StatusTag tone={typeTones[log.type] ?? 'neutral'} label={t(typeKey(log))} />;
}

const typeTones: Record<number, Tone> = { [logType.topUp]: 'success', [logType.manage]: 'info' };

const reasons = ['complete', 'client_gone', 'upstream_died', 'timeout', 'balance', 'shutdown', 'sensitive', 'relay_lost'] as const;
export function knownReason(reason: string): (typeof reasons)[number] | 'unknown' {
  return reasons.find((known) => known === reason) ?? 'unknown';
}

function Channel({ log }: { log: LogView }) {
  const { t } = useTranslation('logs');
  return (
    <>
      <Faint>{`${log.channel} `}</Faint>
      {log.channel_name || t('unknownChannel')}
    </>
  );
}

/** What is no call: its kind and its words. */
function Event({ log }: { log: LogView }) {
  return (
    <>
      <LogType log={log} /> <Faint>{log.content}</Faint>
    </>
  );
}

function Model({ log }: { log: LogView }) {
  const { t } = useTranslation('logs');
  const { is_model_mapped: isMapped, upstream_model_name: actual = '', end_reason: reason = 'complete' } = detailsOf(log);
  return (
    <>
      {isMapped ? (
        <Tooltip placement="right" title={t('mapped', { charged: log.model_name, actual })}>
          <span>
            {log.model_name} <Faint>→</Faint>
          </span>
        </Tooltip>
      ) : (
        log.model_name
      )}
      {reason !== 'complete' && (
        <Box component="span" sx={{ ml: 1 }}>
          <LogType log={log} />
        </Box>
      )}
    </>
  );
}

function Duration({ log }: { log: LogView }) {
  const { t } = useTranslation('logs');
  const details = detailsOf(log);
  const seconds = secondsOf(log, details);
  const first = (details.frt ?? -1) / 1000;
  return (
    <Tooltip placement="left" title={log.is_stream ? t('streamHint') : t('wholeHint')}>
      <span>
        <Toned tone={durationTone(seconds)}>{formatSeconds(seconds)}</Toned>
        {log.is_stream && first >= 0 && (
          <>
            <Faint> / </Faint>
            <Toned tone={firstTokenTone(first)}>{`${first.toFixed(1)} s`}</Toned>
          </>
        )}
      </span>
    </Tooltip>
  );
}

function Toned({ tone, children }: { tone: Tone; children: string }) {
  return (
    <Box component="span" sx={tone === 'success' || tone === 'neutral' ? {} : { color: `${tone}.main`, fontWeight: 550 }}>
      {children}
    </Box>
  );
}

function retriesOf(log: LogView): string {
  const tried = detailsOf(log).admin_info?.use_channel ?? [];
  return tried.length > 1 ? tried.join(' → ') : '';
}

/** The price weights of a call in one line. */
function Weights({ log }: { log: LogView }) {
  const { t } = useTranslation('logs');
  const { model_price: price = -1, model_ratio: ratio, group_ratio: group = 1 } = detailsOf(log);
  if (!isCall(log)) return log.content;
  if (price >= 0) return t('weightsFixed', { price: formatFigure(price), group: formatFigure(group) });
  return ratio === undefined ? null : t('weights', { model: formatFigure(ratio), group: formatFigure(group) });
}
