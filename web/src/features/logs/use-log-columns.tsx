import type { LogView } from '@tollgate/contracts/api/log';
import { logType } from '@tollgate/contracts/constants';
import type { TFunction } from 'i18next';
import { type ReactNode, useMemo } from 'react';
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
import { GroupTag } from '../../shared/ui/group-tag.tsx';
import { hint } from '../../shared/ui/hint.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { FailureTag, isFailure } from './failure.tsx';
import { detailsOf, secondsOf } from './log-details.ts';
import { UserCell } from './user-cell.tsx';

type Translate = TFunction<'logs'>;

/** The columns of the log; what only administrators see is theirs. */
export function useLogColumns(isAdmin: boolean): Column<LogView>[] {
  const { t } = useTranslation('logs');
  const money = useMoneyDisplay();
  return useMemo(() => {
    const [streamHint, wholeHint] = [t('streamHint'), t('wholeHint')];
    const columns: (Column<LogView> & { admin?: boolean })[] = [
      {
        id: 'time',
        header: t('columns.time'),
        primary: true,
        value: (log) => formatDateTime(log.created_at),
        exported: { as: 'time', of: (log) => log.created_at },
        cell: (log) => formatDateTime(log.created_at),
      },
      { id: 'type', header: t('columns.type'), needs: 'middle', value: (log) => t(typeKey(log)), cell: (log) => typeOf(log, t) },
      {
        id: 'user',
        phone: 'bare',
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
        needs: 'middle',
        value: (log) => ofAnyCall(log, log.channel),
        cell: (log) => isAnyCall(log) && log.channel > 0 && channelOf(log, t),
      },
      {
        id: 'token',
        header: t('columns.token'),
        clip: true,
        value: (log) => ofAnyCall(log, log.token_name),
        cell: (log) => isAnyCall(log) && log.token_name,
      },
      {
        id: 'group',
        header: t('columns.group'),
        needs: 'wide',
        value: (log) => ofAnyCall(log, log.group),
        cell: (log) => isAnyCall(log) && log.group !== '' && GroupTag({ name: log.group }),
      },
      {
        id: 'model',
        phone: 'bare',
        header: t('columns.model'),
        clip: true,
        value: (log) => (isAnyCall(log) ? log.model_name : log.content),
        cell: (log) => modelCell(log, t),
      },
      {
        id: 'duration',
        phone: 'bare',
        header: t('columns.duration'),
        align: 'right',
        value: (log) => ofAnyCall(log, secondsOf(log, detailsOf(log))),
        cell: (log) => isAnyCall(log) && detailsOf(log).further === undefined && durationOf(log, log.is_stream ? streamHint : wholeHint),
      },
      {
        id: 'prompt',
        header: t('columns.prompt'),
        needs: 'middle',
        align: 'right',
        value: (log) => ofCall(log, log.prompt_tokens),
        cell: (log) => isCall(log) && formatCount(log.prompt_tokens),
      },
      {
        id: 'completion',
        header: t('columns.completion'),
        needs: 'middle',
        align: 'right',
        value: (log) => ofCall(log, log.completion_tokens),
        cell: (log) => isCall(log) && log.completion_tokens > 0 && formatCount(log.completion_tokens),
      },
      {
        id: 'cost',
        phone: 'bare',
        header: t('columns.cost'),
        align: 'right',
        value: (log) => ofCall(log, log.quota),
        exported: { as: 'quota', of: (log) => ofCall(log, log.quota) },
        cell: (log) =>
          isCall(log) && (
            <span data-quota={log.quota} className="strong">
              {formatQuota(log.quota, money)}
            </span>
          ),
      },
      { id: 'retry', header: t('columns.retry'), admin: true, needs: 'wide', value: retriesOf, cell: (log) => retriesOf(log) || null },
      {
        id: 'details',
        header: t('columns.details'),
        clip: true,
        hidden: true,
        value: (log) => log.content,
        cell: (log) => weightsOf(log, t),
      },
    ];
    return columns.filter((column) => isAdmin || !column.admin);
  }, [t, money, isAdmin]);
}

export function isCall(log: LogView): boolean {
  return log.type === logType.consume;
}

/** Calls that were charged, and those that failed. */
function isAnyCall(log: LogView): boolean {
  return isCall(log) || isFailure(log);
}

function ofAnyCall<Value>(log: LogView, value: Value): Value | '' {
  return isAnyCall(log) ? value : '';
}

function ofCall<Value>(log: LogView, value: Value): Value | '' {
  return isCall(log) ? value : '';
}

function typeKey(log: LogView) {
  if (isCall(log)) return 'types.consume';
  if (isFailure(log)) return 'types.error';
  if (log.type === logType.topUp) return 'types.topUp';
  if (log.type === logType.manage) return 'types.manage';
  return log.type === logType.system ? 'types.system' : 'types.unknown';
}

/** A call that went as it should needs no colour; one that ended otherwise says so. */
function typeOf(log: LogView, t: Translate): ReactNode {
  const reason = detailsOf(log).end_reason;
  if (isFailure(log)) return <FailureTag log={log} />;
  if (!isCall(log)) return <StatusTag tone={typeTones[log.type] ?? 'neutral'} label={t(typeKey(log))} />;
  if (reason === undefined || reason === 'complete') return <Faint>{t('types.consume')}</Faint>;
  return <StatusTag tone="warning" label={t('types.cutShort')} hint={t(`endReasons.${knownReason(reason)}`)} />;
}

const typeTones: Record<number, Tone> = { [logType.topUp]: 'success', [logType.manage]: 'info' };

const reasons = ['complete', 'client_gone', 'upstream_died', 'timeout', 'balance', 'shutdown', 'sensitive', 'relay_lost'] as const;
export function knownReason(reason: string): (typeof reasons)[number] | 'unknown' {
  return reasons.find((known) => known === reason) ?? 'unknown';
}

function channelOf(log: LogView, t: Translate): ReactNode {
  return (
    <>
      <Faint>{`${log.channel} `}</Faint>
      {log.channel_name || t('unknownChannel')}
    </>
  );
}

/** What is no call: its kind and its words. */
function eventOf(log: LogView, t: Translate): ReactNode {
  return (
    <>
      <span data-narrow>{typeOf(log, t)} </span>
      <Faint>{log.content}</Faint>
    </>
  );
}

function modelCell(log: LogView, t: Translate): ReactNode {
  if (isCall(log)) return modelOf(log, t);
  return isFailure(log) ? failureOf(log) : eventOf(log, t);
}

/** Of a failed call its model and why it failed. */
function failureOf(log: LogView): ReactNode {
  return (
    <>
      {log.model_name && `${log.model_name} `}
      <span data-narrow>
        <FailureTag log={log} />{' '}
      </span>
      <Faint>{log.content}</Faint>
    </>
  );
}

function modelOf(log: LogView, t: Translate): ReactNode {
  const { is_model_mapped: isMapped, upstream_model_name: actual = '', end_reason: reason = 'complete' } = detailsOf(log);
  const name = isMapped ? (
    <span {...hint(t('mapped', { charged: log.model_name, actual }), 'right')}>
      {log.model_name} <Faint>→</Faint>
    </span>
  ) : (
    log.model_name
  );
  if (reason === 'complete') return name;
  return (
    <>
      {name} {typeOf(log, t)}
    </>
  );
}

function durationOf(log: LogView, words: string): ReactNode {
  const details = detailsOf(log);
  const seconds = secondsOf(log, details);
  const first = (details.frt ?? -1) / 1000;
  return (
    <span {...hint(words)}>
      {toned(durationTone(seconds), formatSeconds(seconds))}
      {log.is_stream && first >= 0 && (
        <>
          <Faint> / </Faint>
          {toned(firstTokenTone(first), `${first.toFixed(1)} s`)}
        </>
      )}
    </span>
  );
}

function toned(tone: Tone, text: string): ReactNode {
  return (
    <span className="toned" data-tone={tone}>
      {text}
    </span>
  );
}

function retriesOf(log: LogView): string {
  const tried = detailsOf(log).admin_info?.use_channel ?? [];
  return tried.length > 1 ? tried.join(' → ') : '';
}

/** The price weights of a call in one line. */
function weightsOf(log: LogView, t: Translate): string | null {
  const { model_price: price = -1, model_ratio: ratio, group_ratio: group = 1 } = detailsOf(log);
  if (!isCall(log)) return log.content;
  if (price >= 0) return t('weightsFixed', { price: formatFigure(price), group: formatFigure(group) });
  return ratio === undefined ? null : t('weights', { model: formatFigure(ratio), group: formatFigure(group) });
}
