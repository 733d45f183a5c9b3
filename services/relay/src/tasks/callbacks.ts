import { createHmac } from 'node:crypto';
import { derivedKeys, isOneOf, type Logger } from '@tollgate/runtime';
import { publishHint } from '@tollgate/tasks';
import type { Redis } from 'ioredis';

/** What providers are told to call when something becomes of a task: each task has an address of its own that nobody else can know. */
export interface Callbacks {
  address(server: string, taskId: string): string;
  isValid(taskId: string, secret: string): boolean;
  /** Has the task looked after soon. `upstreamId`: what the provider calls it. */
  hint(taskId: string, upstreamId: string): void;
}

export function openCallbacks(
  masterKeys: readonly [Buffer, ...Buffer[]],
  { redis, logger }: { redis: Redis; logger: Pick<Logger, 'warn'> },
): Callbacks {
  const [masterKey, ...also] = masterKeys;
  const keys = derivedKeys(masterKey, also, 'tollgate:task-callbacks:v1');
  const secretOf = (taskId: string, key: Buffer) => createHmac('sha256', key).update(taskId).digest('base64url');
  return {
    address: (server, taskId) => `${server}/mj/notify/${taskId}/${secretOf(taskId, keys[0])}`,
    isValid(taskId, secret) {
      const wanted = keys.map((key) => Buffer.from(secretOf(taskId, key)));
      return isOneOf(Buffer.from(secret), wanted);
    },
    hint(taskId, upstreamId) {
      publishHint(redis, { taskId, upstreamId }).catch((error: unknown) =>
        logger.warn({ taskId, err: error }, 'a callback was left to the sync'),
      );
    },
  };
}
