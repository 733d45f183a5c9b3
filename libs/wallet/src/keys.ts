import type { BudgetUnit } from '@tollgate/contracts';

/**
 * Users are spread over shards. All keys of a shard share a hash tag, so that a script finds a user's money and the shard's index on one
 * node of a Redis Cluster. 64 is enough to spread over nodes evenly and few enough to scan at once.
 */
const shards = 64;
const tagOf = (userId: number) => `{u${userId % shards}}`;

export const walletKey = (userId: number) => `${tagOf(userId)}:wallet:${userId}`;
export const tokenKey = (userId: number, tokenId: number | string) => `${tagOf(userId)}:token:${tokenId}`;
/** The field of a budget in the hash of its payer's wallet (`budgets.lua`). */
export const budgetField = ({ id, unit }: { id: string; unit: BudgetUnit }) => `${unit.charAt(0)}:${id}`;
export const holdKey = (userId: number, requestId: string) => `${tagOf(userId)}:hold:${userId}:${requestId}`;

/** What a limit applies to. The limits of a group, a model and a channel count the calls of all users. */
export type Subject =
  | { kind: 'user'; userId: number }
  | { kind: 'token'; userId: number; tokenId: number }
  | { kind: 'group' | 'model' | 'channel'; name: string | number };

/** The hash of a subject's sliding windows, and the sorted set of its open calls. Those of users and tokens are in the user's shard. */
export type LimitKeys = readonly [windows: string, calls: string];

export function limitKeys(subject: Subject): LimitKeys {
  const { kind } = subject;
  if (kind === 'user') return keysAt(`${tagOf(subject.userId)}:limits:${subject.userId}`);
  if (kind === 'token') return keysAt(`${tagOf(subject.userId)}:limits:${subject.userId}:${subject.tokenId}`);
  return keysAt(`{limit:${kind}:${subject.name}}:limits`);
}

const keysAt = (key: string): LimitKeys => [key, `${key}:calls`];

/** The index of a shard: a sorted set of the keys of its holds. The scripts update it together with the holds. */
export const indexKey = (userId: number) => `${tagOf(userId)}:holds`;
export const indexKeys = Array.from({ length: shards }, (_, shard) => indexKey(shard));

/** The owner of a hold, parsed from its key. */
export function ownerOf(key: string): { userId: number; requestId: string } {
  const start = key.indexOf(':hold:') + ':hold:'.length;
  const colon = key.indexOf(':', start);
  return { userId: Number(key.slice(start, colon)), requestId: key.slice(colon + 1) };
}

/** The score of a hold is the time in ms when it is due. Reported holds have this much added, so that both kinds can be counted. */
export const reportedRange = 1e14;
