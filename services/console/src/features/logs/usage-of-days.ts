import { type DearestPart, Token, UsageByPart, UsageHourly, type UsageSums, usagePartId } from '@tollgate/db';
import { listTimeoutMs } from '../../http/page.ts';
import type { Filter } from './filter.ts';
import { sums } from './usage-steps.ts';

const dayMs = 24 * 3_600_000;

/** What these channels, tokens or users used on one day (its begin in unix seconds), found by their own rows. */
export async function usedOn(by: DearestPart, at: number, keys: number[]): Promise<Map<number, UsageSums>> {
  const begin = new Date(at * 1000);
  if (by === 'user')
    return added(UsageHourly, { userId: { $in: keys }, hour: { $gte: begin, $lt: new Date(at * 1000 + dayMs) } }, 'userId');
  if (by === 'channel') return added(UsageByPart, { _id: { $in: keys.map((key) => usagePartId.channel(begin, key)) } }, 'channelId');
  const tokens = await Token.find({ id: { $in: keys } })
    .select('id userId')
    .lean();
  const ids = tokens.map(({ id, userId }) => usagePartId.token(begin, userId, id));
  // What no token is there for: the playground of many users, and tokens that are gone.
  const owned = new Set(tokens.map(({ id }) => id));
  const others = keys.filter((key) => !owned.has(key));
  const found = await added(UsageByPart, { _id: { $in: ids } }, 'tokenId');
  if (others.length === 0) return found;
  return new Map([...found, ...(await added(UsageByPart, { by: 'token', at: begin, tokenId: { $in: others } }, 'tokenId'))]);
}

async function added(rollUp: unknown, where: Filter, field: string): Promise<Map<number, UsageSums>> {
  const found = await (rollUp as Pick<typeof UsageHourly, 'aggregate'>)
    .aggregate<UsageSums & { _id: number }>([{ $match: where }, { $group: { _id: `$${field}`, ...sums } }])
    .option({ maxTimeMS: listTimeoutMs });
  return new Map(found.map(({ _id, ...used }) => [_id, used]));
}
