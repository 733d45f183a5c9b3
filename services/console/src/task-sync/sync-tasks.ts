import { noKey, type TaskKind, type TaskNews } from '@tollgate/contracts';
import type { TaskRow } from '@tollgate/db';
import { afterMiss, afterNews, afterSilence, changeTasks, endUnsent, failure, openTasks, type TaskChange } from '@tollgate/tasks';
import type { Context } from '../context.ts';
import { upstreamOf } from '../features/channels/upstream.ts';

/** What the sync needs of a console. */
export type SyncContext = Pick<Context, 'egress' | 'log' | 'wallet'>;

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
  const byAccount = new Map<string, TaskRow[]>();
  for await (const row of openTasks(kind)) {
    synced.looked += 1;
    const account = `${row.channelId}/${row.keyId ?? noKey}`;
    const own = byAccount.get(account);
    if (own === undefined) byAccount.set(account, [row]);
    else own.push(row);
  }
  const waiting = [...byAccount.values()];
  const work = async () => {
    for (let own = waiting.pop(); own !== undefined && !signal.aborted; own = waiting.pop()) {
      for (let from = 0; from < own.length; from += idsAtOnce) {
        const changed = await syncChannel(context, own.slice(from, from + idsAtOnce));
        synced.changed += changed; // what others added meanwhile counts
      }
    }
  };
  await Promise.all(Array.from({ length: channelsAtOnce }, work));
  return synced;
}

/** Looks up tasks of one channel and key, at most as many as fit one request. Returns how many rows it changed. */
export async function syncChannel(context: SyncContext, own: TaskRow[]): Promise<number> {
  const [{ channelId = 0, keyId = noKey } = {}] = own;
  const now = new Date(context.wallet.time());
  try {
    const news = await askFor(
      context,
      { channelId, keyId },
      own.map(({ upstreamId = '' }) => upstreamId),
    );
    const change = (row: TaskRow): TaskChange => {
      if (news === undefined) return failure(row, 'Its channel is gone', now);
      const item = news.get(row.upstreamId ?? '');
      return item === undefined ? afterMiss(row, now) : afterNews(row, item, now);
    };
    return await changeTasks(own, change, now);
  } catch (error) {
    context.log.warn({ channelId, tasks: own.length, err: error }, 'a channel did not tell of its tasks');
    return await changeTasks(own, (row) => afterSilence(row, now), now);
  }
}

/** What a channel says of these; undefined: there is no such channel, or it makes none of these any more. Throws when it does not answer. */
export async function askFor(
  context: SyncContext,
  { channelId, keyId }: { channelId: number; keyId?: number | undefined },
  ids: string[],
): Promise<Map<string, TaskNews> | undefined> {
  const upstream = await upstreamOf(channelId, keyId).catch((error: unknown) => {
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
