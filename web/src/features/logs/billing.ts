import type { BillItem, PriceUsed, TokenUsage, UsageClass } from '@tollgate/contracts';
import type { LogDetails, LogView } from '@tollgate/contracts/api/log';
import { billLines, exactQuota, itemsTotal } from '@tollgate/pricing/bill';
import { dollarsPerRatio } from '../../shared/prices.ts';

/** One kind of token on a bill. Dollars are US dollars before the group's ratio. */
export interface BillLine {
  kind: UsageClass;
  tokens: number;
  /** Dollars a million tokens. */
  perMillion: number;
  dollars: number;
}

export type Bill =
  | { kind: 'fixed'; modelPrice: number; groupRatio: number; total: number; charged: number; isOff: boolean }
  | { kind: 'tokens'; lines: BillLine[]; sum: number; groupRatio: number; total: number; charged: number; isOff: boolean };

/**
 * How a call's charge comes about, worked out again from what its row says; undefined for rows that are no calls. `isOff`:
 * more than rounding lies between this and what was charged.
 */
export function billOf(log: LogView, details: LogDetails, quotaPerUnit: number): Bill | undefined {
  const price = priceOf(details, quotaPerUnit);
  if (price === undefined) return undefined;
  const { groupRatio, modelPrice, modelRatio } = price;
  const usage = usageOf(log, details);
  const total = exactQuota(usage, price) / quotaPerUnit;
  const charged = log.quota / quotaPerUnit;
  // A charge is whole quota, and at least one where the price is not zero.
  const isOff = Math.abs(total - charged) > 1 / quotaPerUnit;
  if (details.items !== undefined) {
    const lines = details.items.map(({ kind, amount, price: each }, at, items) => ({
      kind: cachedKind(kind, { hasSameBefore: items[at - 1]?.kind === kind, isSound: isSoundAt(at, items, details) }),
      tokens: amount,
      perMillion: each * 1e6,
      dollars: amount * each,
    }));
    return { kind: 'tokens', lines, sum: itemsTotal(details.items), groupRatio, total, charged, isOff };
  }
  if (price.kind === 'fixed') return { kind: 'fixed', modelPrice, groupRatio, total, charged, isOff };
  const lines = billLines(usage, price).map(({ kind, tokens, ratio }) => {
    const perMillion = modelRatio * ratio * dollarsPerRatio;
    return { kind, tokens, perMillion, dollars: (tokens / 1e6) * perMillion };
  });
  const sum = lines.reduce((dollars, line) => dollars + line.dollars, 0);
  return { kind: 'tokens', lines, sum, groupRatio, total, charged, isOff };
}

/** Of what was read from a cache, pictures stand behind words, and sound behind both, by the same name. */
function cachedKind(kind: BillItem['kind'], { hasSameBefore, isSound }: { hasSameBefore: boolean; isSound: boolean }): UsageClass {
  if (kind !== 'cachedInput') return kind;
  if (isSound) return 'cachedAudio';
  return hasSameBefore ? 'cachedImage' : kind;
}

function isSoundAt(at: number, items: readonly BillItem[], { audio_cache_tokens: sound }: LogDetails): boolean {
  return items[at]?.amount === sound && items[at + 1]?.kind !== items[at]?.kind;
}

/** The tokens of a row by class. Pictures cost what text costs, and the row does not tell them apart. */
function usageOf({ prompt_tokens: prompt, completion_tokens: completion }: LogView, details: LogDetails): TokenUsage {
  const { cache_tokens: cached = 0, cache_creation_tokens: written = 0, cache_creation_tokens_1h: writtenFor1h = 0 } = details;
  const { audio_input: audioIn = 0, audio_output: audioOut = 0, reasoning_tokens: reasoning = 0 } = details;
  return {
    textInput: Math.max(0, prompt - cached - written - audioIn),
    imageInput: 0,
    cachedInput: cached,
    cacheWrite5m: written - writtenFor1h,
    cacheWrite1h: writtenFor1h,
    audioInput: audioIn,
    textOutput: Math.max(0, completion - audioOut - reasoning),
    reasoningOutput: reasoning,
    audioOutput: audioOut,
  };
}

function priceOf(details: LogDetails, quotaPerUnit: number): PriceUsed | undefined {
  const { model_ratio: modelRatio, model_price: modelPrice = -1, cache_creation_ratio: writeRatio = 1 } = details;
  if (modelRatio === undefined && modelPrice < 0) return undefined;
  return {
    kind: modelPrice >= 0 ? 'fixed' : 'ratio',
    modelPrice: Math.max(0, modelPrice),
    modelRatio: modelRatio ?? 0,
    groupRatio: details.group_ratio ?? 1,
    quotaPerUnit,
    completionRatio: details.completion_ratio ?? 1,
    cacheRatio: details.cache_ratio ?? 1,
    cacheWrite5mRatio: details.cache_creation_ratio_5m ?? writeRatio,
    cacheWrite1hRatio: details.cache_creation_ratio_1h ?? writeRatio,
    audioRatio: details.audio_ratio ?? 1,
    audioCompletionRatio: details.audio_completion_ratio ?? 1,
  };
}
