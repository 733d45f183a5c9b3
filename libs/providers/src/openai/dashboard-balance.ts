import type { BalanceQuery, JsonObject, Target } from '../provider.ts';

/** OpenAI's old billing views: OpenAI itself no longer answers them, other gateways do. */
export const dashboardBalance: BalanceQuery = {
  urls: ({ baseUrl }: Target, today: string) => [
    `${baseUrl}/v1/dashboard/billing/subscription`,
    `${baseUrl}/v1/dashboard/billing/usage?start_date=${today.slice(0, 8)}01&end_date=${today}`,
  ],
  decode: ([subscription, usage]) => {
    const limit = Number((subscription as JsonObject).hard_limit_usd);
    return { amount: limit - Number((usage as JsonObject).total_usage) / 100, currency: 'USD' };
  },
};
