import { type ErrorCode, errorCatalogue, errorMessage, type Language, type LogDetails, type LogView, logType } from '@tollgate/contracts';
import { CallFailure, type CallFailureDoc, type CallFailureRow } from '@tollgate/db';
import { listTimeoutMs } from '../../http/page.ts';
import { attemptViews } from './attempts.ts';
import type { Filter } from './filter.ts';

const minuteMs = 60_000;

/** A failed call as administrators see it. */
export function failureView(row: CallFailureDoc, language: Language): LogView {
  const { attempts, passedOver } = row as unknown as CallFailureRow;
  const tried = (attempts ?? []).map(({ channelId }) => String(channelId));
  return viewWith(row, language, {
    use_channel: tried,
    ...attemptViews(attempts, passedOver),
  });
}

/** The same for the owner of the call: what the caller received, without channels and their providers' errors. */
export function ownFailureView(row: CallFailureDoc, language: Language): LogView {
  return { ...viewWith(row, language, undefined), channel: 0, channel_name: '' };
}

function viewWith(row: CallFailureDoc, language: Language, adminInfo: LogDetails['admin_info']): LogView {
  const count = row.count ?? undefined;
  const details: LogDetails = {
    status_code: row.status,
    error_code: row.code,
    ...(count === undefined ? { duration_ms: row.durationMs ?? 0 } : { further: count }),
    ...(row.dialect && { dialect: row.dialect }),
    ...(row.client && { client: row.client }),
    ...(adminInfo && { admin_info: adminInfo }),
  };
  return {
    id: row._id,
    user_id: row.userId,
    created_at: Math.floor(row.at.getTime() / 1000),
    type: logType.error,
    content: messageOf(row, language),
    username: row.username,
    token_name: row.tokenName,
    token_id: row.tokenId,
    // Rows that count further failures have none of these.
    model_name: row.model ?? '',
    ...{ quota: 0, uncollected: 0, prompt_tokens: 0, completion_tokens: 0 },
    use_time: Math.round((row.durationMs ?? 0) / 1000),
    is_stream: row.isStream ?? false,
    channel: row.channelId,
    channel_name: row.channelName,
    group: row.group ?? '',
    request_id: row.lastId ?? row._id,
    other: JSON.stringify(details),
  };
}

function messageOf({ code, details, message, count }: CallFailureDoc, language: Language): string {
  if (count) {
    return language === 'zh' ? `该分钟内另有 ${count} 次相同的失败：${code}` : `${count} more calls failed alike in this minute: ${code}`;
  }
  if (message) return message;
  if (Object.hasOwn(errorCatalogue, code)) return errorMessage(code as ErrorCode, (details ?? {}) as Record<string, string>, language);
  if (code !== 'client_gone') return code;
  return language === 'zh' ? '调用方在收到响应前断开连接' : 'The client disconnected before the response';
}

/**
 * The filter of a request id. In a flood only some failed calls have rows of their own: an id without one leads to the rows that count its minute, which
 * stands in the id itself.
 */
export async function withCountedId(filter: Filter): Promise<Filter> {
  const { _id: id, ...others } = filter;
  const minute = typeof id === 'string' ? minuteOf(id) : undefined;
  if (minute === undefined || (await CallFailure.exists({ _id: String(id) }).maxTimeMS(listTimeoutMs))) return filter;
  return { ...others, at: new Date(minute + minuteMs - 1), count: { $gt: 0 } };
}

/** The minute that a request id was given in (ms since 1970): ids begin with their second in UTC. */
function minuteOf(id: string): number | undefined {
  const [, year, month, day, hour, minute] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)\d\d[0-9a-f]{20}(?:-\d{1,9})?$/.exec(id) ?? [];
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00Z`);
  return Number.isFinite(ms) ? ms : undefined;
}
