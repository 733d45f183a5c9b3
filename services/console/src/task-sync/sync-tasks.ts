import { longestSubmitMs, type TaskKind } from '@tollgate/contracts';
import { rows, type TaskRow } from '@tollgate/db';
import type { TaskNews } from '@tollgate/providers';
import type { Context } from '../context.ts';
import { upstreamOf } from '../features/channels/upstream.ts';
import { afterMiss, afterNews, afterSilence, failure, type TaskChange } from './next-state.ts';

/** What the sync needs of a console. */
export type SyncContext = Pick<Context, 'egress' | 'log' | 'wallet'>;

const mostAtOnce = 20_000;
const channelsAtOnce = 8;
const idsAtOnce = 200;
const askMs = 15_000;
const mostAnswerBytes = 16 << 20;

/** What became of the open tasks of a kind. */
export interface Synced {
  looked: number;
  changed: number;
}

/**
 * Looks after the tasks of a kind that have not ended: each channel is asked for all of its own at once, and what it says is noted. A
 * channel that fails stops no other, a task that cannot be understood none of its neighbours; what nobody tells of ends by its age.
 */
export async function syncTasks(context: SyncContext, kind: TaskKind, signal: AbortSignal): Promise<Synced> {
  const now = new Date(context.wallet.time());
  const synced: Synced = { looked: 0, changed: await endUnsent(kind, now) };
  const byChannel = new Map<number, TaskRow[]>();
  const unprompted = await withoutPrompt(kind);
  const open = rows.tasks().find({ kind, isOpen: true }, { sort: { at: 1 }, limit: mostAtOnce, projection: { prompt: 0 } });
  for await (const row of open) {
    if (row.upstreamId === undefined) continue;
    if (unprompted.has(row._id)) row.prompt = '';
    synced.looked += 1;
    const own = byChannel.get(row.channelId);
    if (own === undefined) byChannel.set(row.channelId, [row]);
    else own.push(row);
  }
  const waiting = [...byChannel];
  const work = async () => {
    for (let next = waiting.pop(); next !== undefined && !signal.aborted; next = waiting.pop()) {
      const [channelId, own] = next;
      for (let from = 0; from < own.length; from += idsAtOnce) {
        const changed = await syncChannel(context, channelId, own.slice(from, from + idsAtOnce));
        synced.changed += changed; // what others added meanwhile counts
      }
    }
  };
  await Promise.all(Array.from({ length: channelsAtOnce }, work));
  return synced;
}

/** Tasks whose caller gave no prompt: their provider may tell one. Those of the others are long, and not read. */
async function withoutPrompt(kind: TaskKind): Promise<ReadonlySet<string>> {
  const found = await rows
    .tasks()
    .find({ kind, isOpen: true, prompt: '' }, { limit: mostAtOnce, projection: { _id: 1 } })
    .toArray();
  return new Set(found.map(({ _id }) => _id));
}

/** Tasks of one channel, at most as many as it is asked for at once. Returns how many rows it changed. */
export async function syncChannel(context: SyncContext, channelId: number, own: TaskRow[]): Promise<number> {
  const now = new Date(context.wallet.time());
  try {
    const news = await askFor(
      context,
      channelId,
      own.map(({ upstreamId = '' }) => upstreamId),
    );
    const change = (row: TaskRow): TaskChange => {
      if (news === undefined) return failure(row, 'Its channel is gone', now);
      const item = news.get(row.upstreamId ?? '');
      return item === undefined ? afterMiss(row, now) : afterNews(row, item, now);
    };
    return await write(own, change, now);
  } catch (error) {
    context.log.warn({ channelId, tasks: own.length, err: error }, 'a channel did not tell of its tasks');
    return await write(own, (row) => afterSilence(row, now), now);
  }
}

/** What a channel says of these; undefined: there is no such channel, or it makes none of these any more. Throws when it does not answer. */
export async function askFor(context: SyncContext, channelId: number, ids: string[]): Promise<Map<string, TaskNews> | undefined> {
  const upstream = await upstreamOf(channelId).catch((error: unknown) => {
    if ((error as { code?: unknown }).code === 'record_not_found') return undefined;
    throw error;
  });
  const tasks = upstream?.provider?.tasks;
  if (upstream?.provider === undefined || tasks === undefined) return undefined;
  const { url, body } = tasks.list([...new Set(ids)], upstream.target);
  const answer = await context.egress.exchange(url, {
    method: 'POST',
    headers: upstream.provider.headers({ ...upstream.target, model: '' }),
    body: JSON.stringify(body),
    timeoutMs: askMs,
    maxBytes: mostAnswerBytes,
  });
  if (answer.status !== 200) throw new Error(`it answered with status ${answer.status}`);
  return new Map(tasks.news(JSON.parse(answer.body.toString('utf8'))).map((item) => [item.upstreamId, item]));
}

/** A row is changed only as it was read: what has ended meanwhile stays as it is. */
async function write(own: TaskRow[], changeOf: (row: TaskRow) => TaskChange, now: Date): Promise<number> {
  const operations = own.flatMap((row) => {
    const change = changeOf(row);
    if (change === undefined) return [];
    const isOver = change.status === 'SUCCESS' || change.status === 'FAILURE';
    const update = { $set: { ...change, updatedAt: now }, ...(isOver && { $unset: { isOpen: '' as const, misses: '' as const } }) };
    return [{ updateOne: { filter: { _id: row._id, isOpen: true as const, status: row.status }, update } }];
  });
  if (operations.length === 0) return 0;
  return (await rows.tasks().bulkWrite(operations, { ordered: false })).modifiedCount;
}

/** Tasks that no provider is known to have taken: whoever submitted them died. */
async function endUnsent(kind: TaskKind, now: Date): Promise<number> {
  const since = new Date(now.getTime() - longestSubmitMs);
  const { modifiedCount } = await rows
    .tasks()
    .updateMany(
      { kind, isOpen: true, status: '', at: { $lt: since } },
      { $set: { ...failure({ quota: 1 }, 'It was lost before a provider had taken it', now), updatedAt: now }, $unset: { isOpen: '' } },
    );
  return modifiedCount;
}
