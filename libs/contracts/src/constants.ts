/** One US dollar in quota, the integer unit of money, unless the operator changes the option `QuotaPerUnit`. */
export const defaultQuotaPerUnit = 500_000;

/** The most that a balance, a token or one change of them may be: far beyond any business, and all sums of it are exact integers. */
export const mostQuota = 1e15;

/** The release of the product family whose console this one follows; its foot tells it. */
export const consoleRelease = 'v0.4.8.4.3';

/** Ranks of people. Each may do what the lower ones may. */
export const role = { guest: 0, user: 1, admin: 10, root: 100 } as const;
export type Role = (typeof role)[keyof typeof role];

export const userStatus = { enabled: 1, disabled: 2 } as const;
/** `expired` and `exhausted` are computed when a token is shown or used; only the other two are ever chosen by a person. */
export const tokenStatus = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;
export const redemptionStatus = { unused: 1, disabled: 2, used: 3 } as const;
export const channelStatus = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;
export const logType = { topUp: 1, consume: 2, manage: 3, system: 4, error: 5 } as const;

/** Lists are counted up to here; nobody pages further, and an exact count of millions of rows costs too much. */
export const totalCap = 10_000;

/** Which API is called. */
export const relayModes = [
  'chat',
  'completions',
  'embeddings',
  'moderations',
  'images',
  'speech',
  'transcription',
  'translation',
  'rerank',
  'realtime',
  'messages',
  'drawing',
  'music',
] as const;
export type RelayMode = (typeof relayModes)[number];

/** What a channel's place among others may be; whole numbers. */
export const priorityRange = { min: -999, max: 1_000_000 } as const;
export const weightRange = { min: 0, max: 1_000_000 } as const;

/** How long the bus keeps usage events at most, whether they were handled or not. */
export const busRetentionMs = 7 * 24 * 3_600_000;

/**
 * How old a call is before its log row, which makes it unique, may be deleted: the bus keeps its event for a week, the sweep publishes
 * it again for as long as it is not charged, and a day is margin. Younger rows can only be hidden; an event that is older than this and
 * has no row is charged only while its hold stands.
 */
export const chargedIdsKeptMs = busRetentionMs + 24 * 3_600_000;

/** So many rows one bulk edit may be of. */
export const mostInBulk = 5000;

/** Seconds. Everybody's usage of a longer span is answered by day at the shortest. */
export const longestHourlyUsage = 8 * 86_400;

/** Kinds of failed attempts that are the caller's, and say nothing about the channel. */
export const callersFailures: readonly string[] = ['request', 'content_filter', 'client_gone'];

/** What a change of the model catalog that waits for a decision is about, and what has become of it. */
export const proposalKinds = ['price', 'facts', 'model', 'discontinued'] as const;
export const proposalStatuses = ['waiting', 'quarantined', 'scheduled', 'applied', 'rejected'] as const;

/** With so large a share of failed attempts a channel is called failing. */
export const failingShare = 0.8;
