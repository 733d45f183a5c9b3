/** Limits of a token or a channel; 0: unlimited. The names are those of `storedLimits` of the contracts. */
export const limited = {
  requestsPerMinute: { type: Number, default: 0 },
  requestsPerDay: { type: Number, default: 0 },
  tokensPerMinute: { type: Number, default: 0 },
  tokensPerDay: { type: Number, default: 0 },
  /** Concurrent calls. */
  mostAtOnce: { type: Number, default: 0 },
};
