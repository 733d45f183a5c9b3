import {
  type BillItem,
  type FailedAttempt,
  type Language,
  type LogDetails,
  type LogText,
  type LogView,
  logTexts,
  type PassedOver,
  type PriceUsed,
  type Usage,
  type UsageRecorded,
} from '@tollgate/contracts';
import { priceOfRow, type UsageLogDoc, usageOfRow } from '@tollgate/db';
import { attemptViews } from './attempts.ts';

const thousands = new Intl.NumberFormat('en-US');

/** The words of a log row that is no call. Rows from before texts had codes hold their words. */
function logContent(row: { content: string; text?: unknown }, language: Language): string {
  const text = row.text as LogText | undefined;
  if (!text || !Object.hasOwn(logTexts, text.code)) return row.content;
  return logTexts[text.code][language].replace(/\{(\w+)\}/g, (whole, name: string) => wordOf(name, text.values[name]) ?? whole);
}

function wordOf(name: string, value: string | number | undefined): string | undefined {
  return name === 'quota' ? thousands.format(Number(value)) : value?.toString();
}

/** A row of the log as administrators see it. */
export function logView(row: UsageLogDoc, language: Language): LogView {
  return viewWith(row, language, {
    use_channel: (row.triedChannels ?? []).map(String),
    ...(row.keyId && { key_id: row.keyId }),
    ...attemptViews(row.attempts as FailedAttempt[] | undefined, row.passedOver as PassedOver[] | undefined),
    ...(row.affinity && { affinity: row.affinity as UsageRecorded['affinity'] }),
  });
}

/** The same for the one whose call it was: not which channel answered, nor which ones were tried. */
export function ownLogView(row: UsageLogDoc, language: Language): LogView {
  return { ...viewWith(row, language, undefined), channel: 0, channel_name: '' };
}

function viewWith(row: UsageLogDoc, language: Language, adminInfo: LogDetails['admin_info']): LogView {
  const price = priceOfRow(row.price);
  return {
    id: row._id,
    user_id: row.userId,
    created_at: Math.floor(row.at.getTime() / 1000),
    type: row.type,
    content: logContent(row, language),
    username: row.username,
    token_name: row.tokenName,
    token_id: row.tokenId,
    model_name: row.model,
    quota: row.quota,
    uncollected: row.uncollected,
    prompt_tokens: row.promptTokens,
    completion_tokens: row.completionTokens,
    // Rows that are no calls have neither.
    use_time: Math.round((row.durationMs ?? 0) / 1000),
    is_stream: row.isStream ?? false,
    channel: row.channelId,
    channel_name: row.channelName,
    group: row.group,
    request_id: price ? row._id : '',
    other: JSON.stringify(price ? { ...details(row, price), admin_info: adminInfo } : {}),
  };
}

/** What the bill of a call rests on. */
function details(row: UsageLogDoc, price: PriceUsed): LogDetails {
  const usage = usageOfRow(row.usage);
  const audio = usage.audioInput + usage.audioOutput > 0 ? audioDetails(usage, price) : {};
  return {
    frt: row.firstTokenMs,
    model_ratio: price.modelRatio,
    completion_ratio: price.completionRatio,
    group_ratio: price.groupRatio,
    model_price: price.kind === 'fixed' ? price.modelPrice : -1,
    cache_tokens: usage.cachedInput,
    cache_ratio: price.cacheRatio,
    cache_creation_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
    cache_creation_ratio: cacheWriteRatio(usage, price),
    ...(usage.cacheWrite1h > 0 && {
      cache_creation_ratio_5m: price.cacheWrite5mRatio,
      cache_creation_tokens_1h: usage.cacheWrite1h,
      cache_creation_ratio_1h: price.cacheWrite1hRatio,
    }),
    quota_per_unit: price.quotaPerUnit,
    reasoning_tokens: usage.reasoningOutput,
    end_reason: row.endReason ?? undefined,
    usage_source: row.usageSource ?? undefined,
    duration_ms: row.durationMs,
    ...(row.reasoningEffort && { reasoning_effort: row.reasoningEffort }),
    ...(row.changes && row.changes.length > 0 && { changes: row.changes }),
    ...(row.sessionId && { ws: true, session_id: row.sessionId }),
    ...(row.upstreamModel !== row.model && { is_model_mapped: true, upstream_model_name: row.upstreamModel }),
    ...audio,
    ...(row.cachedAudio && { audio_cache_tokens: row.cachedAudio }),
    ...(row.items && { items: row.items as BillItem[] }),
  };
}

/** What cache writes cost on an average: those for an hour have a ratio of their own. */
function cacheWriteRatio({ cacheWrite5m, cacheWrite1h }: Usage, { cacheWrite5mRatio, cacheWrite1hRatio }: PriceUsed): number {
  if (cacheWrite1h === 0) return cacheWrite5mRatio;
  return (cacheWrite5m * cacheWrite5mRatio + cacheWrite1h * cacheWrite1hRatio) / (cacheWrite5m + cacheWrite1h);
}

function audioDetails(usage: Usage, price: PriceUsed): LogDetails {
  return {
    audio: true,
    audio_input: usage.audioInput,
    audio_output: usage.audioOutput,
    text_input: usage.textInput,
    text_output: usage.textOutput,
    audio_ratio: price.audioRatio,
    audio_completion_ratio: price.audioCompletionRatio,
  };
}
