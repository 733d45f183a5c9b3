import { type TaskHint, taskHint, taskHintsChannel } from '@tollgate/contracts';
import type { Redis } from 'ioredis';

/** The console looks at one task at most once in this time, whichever process receives the hint. */
const quietMs = 1_000;

/** Notifies the consoles that a task changed at its provider. Rejects when Redis does not answer; the next sync then finds the change. */
export async function publishHint(redis: Redis, hint: TaskHint): Promise<void> {
  await redis.publish(taskHintsChannel, JSON.stringify(hint));
}

/** Calls `onHint` for every valid hint. */
export async function subscribeToHints(subscriber: Redis, onHint: (hint: TaskHint) => void): Promise<{ stop(): Promise<void> }> {
  function onMessage(channel: string, message: string): void {
    if (channel !== taskHintsChannel) return;
    const hint = hintIn(message);
    if (hint !== undefined) onHint(hint);
  }
  subscriber.on('message', onMessage);
  await subscriber.subscribe(taskHintsChannel);
  return {
    async stop() {
      subscriber.off('message', onMessage);
      if (subscriber.status === 'ready') await subscriber.unsubscribe(taskHintsChannel);
    },
  };
}

/** Whether the caller is the first to take a hint about this task within a second, over all processes. */
export async function takeHint(redis: Redis, taskId: string): Promise<boolean> {
  return (await redis.set(`task:hint:${taskId}`, '1', 'PX', quietMs, 'NX')) !== null;
}

function hintIn(message: string): TaskHint | undefined {
  try {
    return taskHint.safeParse(JSON.parse(message)).data;
  } catch {
    return undefined; // not JSON, so not from a relay
  }
}
