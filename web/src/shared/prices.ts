import type { PricingRow } from '@tollgate/contracts/api/pricing';
import { api } from './api.ts';
import { call, calls } from './call.ts';

export const { useGetPricingQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    getPricing: build.query({ ...calls(() => call('GET /api/pricing', { whole: true })), providesTags: ['Model', 'Group'] }),
  }),
});

/** What a model costs in one group, in US dollars: by the call, or by a million tokens. */
export type Price = { kind: 'call'; perCall: number } | { kind: 'tokens'; input: number; output: number };

/** Ratio 1 is this many dollars a million tokens. */
export const dollarsPerRatio = 2;

export function priceIn(row: PricingRow, groupRatio: number): Price {
  if (row.quota_type === 1) return { kind: 'call', perCall: row.model_price * groupRatio };
  const input = row.model_ratio * dollarsPerRatio * groupRatio;
  return { kind: 'tokens', input, output: input * row.completion_ratio };
}

export interface Load {
  inputTokens: number;
  outputTokens: number;
  callsPerDay: number;
}

/** What such calls cost, in US dollars; a month has 30 days. */
export function costOf(price: Price, { inputTokens, outputTokens, callsPerDay }: Load): { call: number; day: number; month: number } {
  const call = price.kind === 'call' ? price.perCall : (inputTokens * price.input + outputTokens * price.output) / 1e6;
  return { call, day: call * callsPerDay, month: call * callsPerDay * 30 };
}

const prices = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 12 });

/** Dollars and cents, and what matters beyond them, without floating-point noise. */
export function dollars(amount: number): string {
  return prices.format(Number(amount.toPrecision(6)));
}
