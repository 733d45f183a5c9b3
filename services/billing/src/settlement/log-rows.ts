import type { Coordinates, Delivery } from '@tollgate/bus';
import { completionTokensOf, logType, promptTokensOf, type UsageRecorded } from '@tollgate/contracts';
import { duplicateKey, rows, storedPrice, storedUsage } from '@tollgate/db';
import { raceFailures } from './bulk.ts';
import type { Charge } from './charge.ts';

/** An event whose call is logged with other coordinates: it was published twice. */
export interface Duplicate {
  charge: Charge;
  logged: Partial<Coordinates>;
}

export interface Logged {
  charges: Charge[];
  duplicates: Duplicate[];
  /** Number of redelivered events. */
  redelivered: number;
}

/**
 * Inserts the log rows of a batch. The row makes a call unique. If one exists, its coordinates show whether the event is redelivered (and
 * may still have to be charged) or was published twice (and is dropped).
 */
export function insertLogs(batch: Delivery<UsageRecorded>[], { shown }: { shown: boolean }): Promise<Logged> {
  return insertRows(batch.map(shown ? fullRow : hiddenRow));
}

/** The same for existing rows. */
export async function insertRows(batchRows: Charge[]): Promise<Logged> {
  const clashes = new Set<Charge>();
  let open = batchRows;
  while (open.length > 0) {
    const again: Charge[] = [];
    for (const { index, code } of await insert(open)) {
      const row = open[index] as Charge;
      if (code === duplicateKey) clashes.add(row);
      else again.push(row);
    }
    open = again;
  }
  return clashes.size === 0 ? { charges: batchRows, duplicates: [], redelivered: 0 } : sortOut(batchRows, clashes);
}

async function insert(newRows: Charge[]) {
  try {
    await rows.usageLogs().insertMany(newRows, { ordered: false });
    return [];
  } catch (error) {
    return raceFailures(error);
  }
}

async function sortOut(batchRows: Charge[], clashes: Set<Charge>): Promise<Logged> {
  const ids = Array.from(clashes, (row) => row._id);
  const stored = await rows
    .usageLogs()
    .find({ _id: { $in: ids } }, { projection: { epoch: 1, partition: 1, offset: 1 } })
    .toArray();
  const loggedAs = new Map(stored.map((row) => [row._id, row]));
  const logged: Logged = { charges: [], duplicates: [], redelivered: 0 };
  for (const charge of batchRows) {
    const row = clashes.has(charge) ? loggedAs.get(charge._id) : charge;
    if (!row) throw new Error(`the log row of ${charge._id} was deleted while it was read`);
    const { epoch, partition, offset } = row;
    if (epoch === charge.epoch && partition === charge.partition && offset === charge.offset) {
      logged.charges.push(charge);
      if (clashes.has(charge)) logged.redelivered++;
    } else {
      logged.duplicates.push({ charge, logged: { epoch, partition, offset } });
    }
  }
  return logged;
}

function fullRow({ value: event, coordinates }: Delivery<UsageRecorded>): Charge {
  const row: Charge = {
    _id: event.id,
    type: logType.consume,
    at: new Date(event.at),
    userId: event.userId,
    username: event.username,
    tokenId: event.tokenId,
    tokenName: event.tokenName,
    group: event.group,
    model: event.model,
    upstreamModel: event.upstreamModel,
    mode: event.mode,
    channelId: event.channelId,
    channelName: event.channelName,
    triedChannels: event.triedChannels,
    isStream: event.isStream,
    durationMs: event.durationMs,
    firstTokenMs: event.firstTokenMs,
    promptTokens: promptTokensOf(event.usage),
    completionTokens: completionTokensOf(event.usage),
    usage: storedUsage(event.usage),
    usageSource: event.usageSource,
    endReason: event.endedFor ?? event.endReason,
    price: storedPrice(event.price),
    quota: event.quota,
    uncollected: event.uncollected,
    content: '',
    epoch: coordinates.epoch,
    partition: coordinates.partition,
    offset: coordinates.offset,
  };
  if (event.keyId !== undefined) row.keyId = event.keyId;
  if (event.attempts !== undefined) row.attempts = event.attempts;
  if (event.passedOver !== undefined) row.passedOver = event.passedOver;
  if (event.affinity !== undefined) row.affinity = event.affinity;
  if (event.reasoningEffort !== undefined) row.reasoningEffort = event.reasoningEffort;
  if (event.changes !== undefined) row.changes = event.changes;
  if (event.sessionId !== undefined) row.sessionId = event.sessionId;
  if (event.budgets !== undefined) row.budgets = event.budgets;
  if (event.items !== undefined) row.items = event.items;
  if (event.cachedAudio !== undefined) row.cachedAudio = event.cachedAudio;
  return row;
}

/** With `LogConsumeEnabled` off: makes the call unique and its charge recomputable, but appears in no list. */
function hiddenRow({ value: event, coordinates }: Delivery<UsageRecorded>): Charge {
  return {
    _id: event.id,
    type: logType.consume,
    hidden: true,
    at: new Date(event.at),
    userId: event.userId,
    username: event.username,
    tokenId: event.tokenId,
    tokenName: event.tokenName,
    group: event.group,
    model: event.model,
    channelId: event.channelId,
    promptTokens: promptTokensOf(event.usage),
    completionTokens: completionTokensOf(event.usage),
    quota: event.quota,
    uncollected: event.uncollected,
    ...(event.budgets !== undefined && { budgets: event.budgets }),
    epoch: coordinates.epoch,
    partition: coordinates.partition,
    offset: coordinates.offset,
  };
}
