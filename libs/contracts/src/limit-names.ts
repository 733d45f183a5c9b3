/** What may be limited; 0, or left out: it is not. */
export const limitNames = ['requests_per_minute', 'requests_per_day', 'tokens_per_minute', 'tokens_per_day', 'concurrent'] as const;
export type LimitName = (typeof limitNames)[number];
