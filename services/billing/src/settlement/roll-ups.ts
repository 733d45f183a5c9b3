import { rows, usagePartId } from '@tollgate/db';
import { amountOf, type Charge, callsIn, groupBy, sum } from './charge.ts';
import { countOnce } from './count-once.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Adds the charges to the hourly roll-up per user. */
export async function countHours(mark: string, charges: Charge[]): Promise<void> {
  await countOnce(rows.usageHourly(), mark, groupBy(charges, hourlyId), (own) => {
    const [{ at, userId, username = '', model, channelId, tokenId, tokenName = '', group = '' }] = own;
    return {
      $inc: usageOf(own),
      $setOnInsert: () => ({ hour: new Date(hourOf(at) * hourMs), userId, username, model, channelId, tokenId, tokenName, group }),
    };
  });
}

/** Adds the charges to the hourly roll-up of models over all users. Partitions share these rows, each with its own mark. */
export async function countModels(mark: string, charges: Charge[]): Promise<void> {
  const byModel = groupBy(charges, ({ at, model }) => `${hourOf(at)}|${model}`);
  await countOnce(rows.usageByModel(), mark, byModel, (own) => {
    const [{ at, model }] = own;
    return { $inc: usageOf(own), $setOnInsert: () => ({ hour: new Date(hourOf(at) * hourMs), model }) };
  });
}

/** Adds the charges to the roll-ups over all users, by group and hour, and by channel, token and token name per day, in one write. */
export async function countParts(mark: string, charges: Charge[]): Promise<void> {
  const parts = new Map<string, Charge[]>();
  for (const part of [groupPart, channelPart, tokenPart, namePart]) for (const [id, own] of groupBy(charges, part.idOf)) parts.set(id, own);
  await countOnce(rows.usageByPart(), mark, parts, (own, id) => ({ $inc: usageOf(own), $setOnInsert: () => partOf(id).fieldsOf(own[0]) }));
}

/**
 * Adds the charges to their channels, one row per partition so that consumers do not conflict. These marks are written last: an event at or
 * before its channel's mark is counted everywhere.
 */
export async function countChannels(mark: string, charges: Charge[]): Promise<void> {
  const byChannel = groupBy(charges, channelUsageId);
  await countOnce(rows.channelUsage(), mark, byChannel, (own) => ({
    $inc: { requests: callsIn(own), usedQuota: sum(own, amountOf) },
    $setOnInsert: () => ({ channelId: own[0].channelId }),
  }));
}

export function channelUsageId({ channelId, partition }: Charge): string {
  return `${channelId}:${partition}`;
}

interface Part {
  idOf(charge: Charge): string;
  fieldsOf(charge: Charge): Record<string, unknown>;
}

const groupPart: Part = {
  idOf: ({ at, group = '' }) => usagePartId.group(at, group),
  fieldsOf: ({ at, group = '' }) => ({ by: 'group', at: new Date(hourOf(at) * hourMs), group }),
};

const channelPart: Part = {
  idOf: ({ at, channelId }) => usagePartId.channel(at, channelId),
  fieldsOf: ({ at, channelId }) => ({ by: 'channel', at: new Date(dayOf(at) * dayMs), channelId }),
};

const tokenPart: Part = {
  idOf: ({ at, userId, tokenId }) => usagePartId.token(at, userId, tokenId),
  fieldsOf: ({ at, userId, tokenId }) => ({ by: 'token', at: new Date(dayOf(at) * dayMs), userId, tokenId }),
};

const namePart: Part = {
  idOf: ({ at, tokenName = '' }) => usagePartId.tokenName(at, tokenName),
  fieldsOf: ({ at, tokenName = '' }) => ({ by: 'tokenName', at: new Date(dayOf(at) * dayMs), tokenName }),
};

const partsByLetter: Record<string, Part> = { g: groupPart, c: channelPart, t: tokenPart, n: namePart };

function partOf(id: string): Part {
  return partsByLetter[id.slice(0, 1)] as Part;
}

function usageOf(own: Group): Record<string, number> {
  return {
    requests: callsIn(own),
    promptTokens: sum(own, (charge) => charge.promptTokens),
    completionTokens: sum(own, (charge) => charge.completionTokens),
    quota: sum(own, (charge) => charge.quota),
    uncollected: sum(own, (charge) => charge.uncollected),
  };
}

type Group = [Charge, ...Charge[]];

/** Hour x user x channel x token x group x model; the group's length separates the two names unambiguously. */
function hourlyId({ at, userId, channelId, tokenId, group = '', model }: Charge): string {
  return `${hourOf(at)}|${userId}|${channelId}|${tokenId}|${group.length}|${group}|${model}`;
}

function hourOf(at: Date): number {
  return Math.floor(at.getTime() / hourMs);
}

function dayOf(at: Date): number {
  return Math.floor(at.getTime() / dayMs);
}
