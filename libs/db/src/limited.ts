/** What a token or a channel may do at most; 0: as much as comes. The names are those of `storedLimits` of the contracts. */
export const limited = {
  requestsPerMinute: { type: Number, default: 0 },
  requestsPerDay: { type: Number, default: 0 },
  tokensPerMinute: { type: Number, default: 0 },
  tokensPerDay: { type: Number, default: 0 },
  /** Calls at once. */
  mostAtOnce: { type: Number, default: 0 },
};
