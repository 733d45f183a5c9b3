import { eventually, freePort, type RedisServer, startRedis } from '@tollgate/testing';
import { expect } from 'chai';
import type { Redis } from 'ioredis';

/** The Redis of an installation listens on a socket: for a replica it opens a port besides, on loopback. */
export async function replicaOf(primary: Redis, password: string): Promise<RedisServer> {
  const port = await freePort();
  await primary.call('CONFIG', 'SET', 'bind', '127.0.0.1', 'port', String(port));
  const replica = await startRedis({ args: ['--replicaof', `127.0.0.1 ${port}`, '--masterauth', password] });
  await untilReplicated(primary);
  return replica;
}

export async function untilReplicated(primary: Redis): Promise<void> {
  await eventually(async () => expect(await primary.wait(1, 100)).to.equal(1), { timeoutMs: 30_000 });
}
