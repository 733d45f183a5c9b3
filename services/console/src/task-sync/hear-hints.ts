import { noKey, type TaskHint } from '@tollgate/contracts';
import type { TaskRow } from '@tollgate/db';
import { adoptUpstreamId, isKnownUpstream, openTask, subscribeToHints, takeHint } from '@tollgate/tasks';
import type { Redis } from 'ioredis';
import { askFor, type SyncContext, syncChannel } from './sync-tasks.ts';

const mostAtOnce = 50;

interface HintsOptions {
  redis: Redis;
  subscriber: Redis;
}

/**
 * Asks providers about tasks that they called back about, without waiting for the next sync. A callback is only a hint: the state comes from
 * the provider's answer. For a task whose relay died before it wrote the provider's id, the hint carries that id too.
 */
export async function hearHints(context: SyncContext, { redis, subscriber }: HintsOptions): Promise<{ stop(): Promise<void> }> {
  let atWork = 0;

  async function look({ taskId, upstreamId }: TaskHint): Promise<void> {
    if (!(await takeHint(redis, taskId))) return;
    const row = await openTask(taskId);
    if (row === null) return;
    const known = row.upstreamId === undefined ? await adopt(context, row, upstreamId) : row;
    if (known !== undefined) await syncChannel(context, [known]);
  }

  return subscribeToHints(subscriber, (hint) => {
    if (atWork >= mostAtOnce) return;
    atWork += 1;
    look(hint)
      .catch((error: unknown) => context.log.warn({ taskId: hint.taskId, err: error }, 'a callback was left to the sync'))
      .finally(() => {
        atWork -= 1;
      });
  });
}

/** Accepts the id of a callback when its channel knows such a task and no other row has it. */
async function adopt(context: SyncContext, row: TaskRow, upstreamId: string): Promise<TaskRow | undefined> {
  if (upstreamId === '') return undefined;
  const { channelId, keyId } = row;
  const [isKnown, news] = await Promise.all([
    isKnownUpstream(upstreamId, channelId),
    askFor(context, { channelId, keyId: keyId ?? noKey }, [upstreamId]),
  ]);
  if (isKnown || news?.get(upstreamId) === undefined) return undefined;
  return adoptUpstreamId(row, upstreamId);
}
