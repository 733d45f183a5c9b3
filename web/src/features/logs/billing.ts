import type { LogView } from '@tollgate/contracts/api/log';
import type { LogDetails } from './log-details.ts';

/** One kind of token on a bill. Dollars are US dollars before the group's ratio. */
export interface BillLine {
  kind: 'prompt' | 'cached' | 'cacheWrite' | 'audioPrompt' | 'completion' | 'audioCompletion';
  tokens: number;
  /** Dollars a million tokens. */
  perMillion: number;
  dollars: number;
}

export type Bill =
  | { kind: 'fixed'; modelPrice: number; groupRatio: number; total: number; charged: number; isOff: boolean }
  | { kind: 'tokens'; lines: BillLine[]; sum: number; groupRatio: number; total: number; charged: number; isOff: boolean };

/** Ratio 1 is this many dollars a million tokens. */
const dollarsPerRatio = 2;

/**
 * How a call's charge comes about, worked out again from what its row says; undefined for rows that are no calls. `isOff`:
 * more than rounding lies between this and what was charged.
 */
export function billOf(log: LogView, details: LogDetails, quotaPerUnit: number): Bill | undefined {
  const { model_ratio: modelRatio, model_price: modelPrice = -1, group_ratio: groupRatio = 1 } = details;
  const charged = log.quota / quotaPerUnit;
  // A charge is whole quota, and at least one where the price is not zero.
  const isOff = (total: number): boolean => Math.abs(total - charged) > 1 / quotaPerUnit;
  if (modelPrice >= 0) {
    const total = modelPrice * groupRatio;
    return { kind: 'fixed', modelPrice, groupRatio, total, charged, isOff: isOff(total) };
  }
  if (modelRatio === undefined) return undefined;
  const lines = linesOf(log, details, modelRatio * dollarsPerRatio);
  const sum = lines.reduce((dollars, line) => dollars + line.dollars, 0);
  const total = sum * groupRatio;
  return { kind: 'tokens', lines, sum, groupRatio, total, charged, isOff: isOff(total) };
}

function linesOf(log: LogView, details: LogDetails, inputPrice: number): BillLine[] {
  const { cache_tokens: cached = 0, cache_creation_tokens: written = 0, audio_input: audioIn = 0, audio_output: audioOut = 0 } = details;
  const { completion_ratio: completionRatio = 1, cache_ratio: cacheRatio = 1, cache_creation_ratio: writeRatio = 1 } = details;
  const { audio_ratio: audioRatio = 1, audio_completion_ratio: audioCompletionRatio = 1 } = details;
  const kinds: [kind: BillLine['kind'], tokens: number, perMillion: number][] = [
    ['prompt', Math.max(0, log.prompt_tokens - cached - written - audioIn), inputPrice],
    ['cached', cached, inputPrice * cacheRatio],
    ['cacheWrite', written, inputPrice * writeRatio],
    ['audioPrompt', audioIn, inputPrice * audioRatio],
    ['completion', Math.max(0, log.completion_tokens - audioOut), inputPrice * completionRatio],
    ['audioCompletion', audioOut, inputPrice * audioRatio * audioCompletionRatio],
  ];
  return kinds
    .filter(([kind, tokens]) => tokens > 0 || kind === 'prompt' || kind === 'completion')
    .map(([kind, tokens, perMillion]) => ({ kind, tokens, perMillion, dollars: (tokens / 1e6) * perMillion }));
}
