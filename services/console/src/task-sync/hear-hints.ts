import { isDuplicate, rows, type TaskRow } from '@tollgate/db';
import { parsedJson } from '@tollgate/runtime';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { askFor, type SyncContext, syncChannel } from './sync-tasks.ts';

/** As relays tell it when a provider has called back. */
const hintsChannel = 'task:hints';
const hint = z.object({ taskId: z.string().min(1).max(64), upstreamId: z.string().max(128) });
/** A task is looked after once within this, whoever hears of it and however often. */
const quietMs = 1_000;
const mostAtOnce = 50;

interface HintsOptions {
  redis: Redis;
  subscriber: Redis;
}

/**
 * Looks after tasks that their providers have called about, without waiting for the next sync. A call says nothing but that there is
 * news: what it is comes from the question. Of a task whose relay died before it could note what the provider calls it, the
 * call tells that, too: only the provider who was given the address knows it.
 */
export async function hearHints(context: SyncContext, { redis, subscriber }: HintsOptions): Promise<{ stop(): Promise<void> }> {
  let atWork = 0;

  async function look({ taskId, upstreamId }: z.infer<typeof hint>): Promise<void> {
    if ((await redis.set(`task:hint:${taskId}`, '1', 'PX', quietMs, 'NX')) === null) return;
    const row = await rows.tasks().findOne({ _id: taskId, isOpen: true });
    if (row === null) return;
    const known = row.upstreamId === undefined ? await adopt(context, row, upstreamId) : row;
    if (known !== undefined) await syncChannel(context, known.channelId, [known]);
  }

  function onMessage(channel: string, message: string): void {
    if (channel !== hintsChannel || atWork >= mostAtOnce) return;
    const parsed = hint.safeParse(parsedJson(message));
    if (!parsed.success) return;
    atWork += 1;
    look(parsed.data)
      .catch((error: unknown) => context.log.warn({ taskId: parsed.data.taskId, err: error }, 'a callback was left to the sync'))
      .finally(() => {
        atWork -= 1;
      });
  }

  subscriber.on('message', onMessage);
  await subscriber.subscribe(hintsChannel);
  return {
    async stop() {
      subscriber.off('message', onMessage);
      if (subscriber.status === 'ready') await subscriber.unsubscribe(hintsChannel);
    },
  };
}

/** Believes what a task is called when its channel knows one of that name which nobody else here has. */
async function adopt(context: SyncContext, row: TaskRow, upstreamId: string): Promise<TaskRow | undefined> {
  if (upstreamId === '') return undefined;
  const { channelId } = row;
  const [other, news] = await Promise.all([
    rows.tasks().findOne({ upstreamId, channelId }, { projection: { _id: 1 } }),
    askFor(context, channelId, [upstreamId]),
  ]);
  if (other !== null || news?.get(upstreamId) === undefined) return undefined;
  try {
    const filter = { _id: row._id, isOpen: true as const, status: '' as const };
    const { modifiedCount } = await rows.tasks().updateOne(filter, { $set: { upstreamId, status: 'SUBMITTED' } });
    return modifiedCount === 1 ? { ...row, upstreamId, status: 'SUBMITTED' } : undefined;
  } catch (error) {
    if (isDuplicate(error)) return undefined;
    throw error;
  }
}
