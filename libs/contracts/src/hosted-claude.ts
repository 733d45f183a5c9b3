import data from './data/hosted-claude.json' with { type: 'json' };

/** What of a Messages request the clouds that host Claude refuse and a request can do without, with sources. */
export const hostedClaude: Readonly<{
  /** By models, as `namedEntry` finds them. */
  betas: Readonly<Record<string, readonly string[]>>;
  dropped: readonly string[];
  droppedOfTools: readonly string[];
  droppedOfCacheControl: readonly string[];
}> = data;
