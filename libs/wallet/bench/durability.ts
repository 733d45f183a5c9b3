/**
 * Cost of durability: the three commands of a call (reserve, report, settle) against a Redis that flushes once a second, one that flushes
 * before it answers, and one whose reports wait for a replica, together as in the relay or each alone. The variants run interleaved, so
 * that other load affects all alike.
 * `node bench/durability.ts [calls per slice] [concurrent callers] [slices]`
 */
import { readFileSync } from 'node:fs';
import { connectDatabase, disconnectDatabase } from '@tollgate/db';
import { startBundledMongo, startRedis, usageEvent } from '@tollgate/testing';
import { openReplication, openWallet, type Replication } from '@tollgate/wallet';
import { Redis } from 'ioredis';

const [calls = 2_000, callers = 32, slices = 5] = process.argv.slice(2).map(Number);
const store = await startBundledMongo();
await connectDatabase(`${store.uri}durability`);
const everysec = await startRedis();
const always = await startRedis({ appendfsync: 'always' });
const replicated = await startRedis();
const replica = await startRedis({ args: ['--replicaof', '127.0.0.1', String(replicated.port)] });
let missed = 0;
const onMissed = () => {
  missed += 1;
};
const replication = openReplication(new Redis(replicated.url), { replicas: 1, waitMs: 1_000, onMissed });
const kinds: Record<string, Kind> = {
  everysec: { server: everysec },
  always: { server: always },
  'everysec, WAIT 1 each': { server: replicated, waits: 'each' },
  'everysec, WAIT 1 together': { server: replicated, waits: replication },
};

const seen = new Map<string, { cpu: number[]; waits: number[] }>(Object.keys(kinds).map((kind) => [kind, { cpu: [], waits: [] }]));
for (let slice = 0; slice < slices; slice += 1) {
  for (const [kind, { server, waits }] of Object.entries(kinds)) {
    const figures = seen.get(kind) as { cpu: number[]; waits: number[] };
    const before = cpuMicroseconds(server.pid);
    await Promise.all(Array.from({ length: callers }, (_, caller) => oneCaller(server.url, { caller, waits, took: figures.waits })));
    figures.cpu.push((cpuMicroseconds(server.pid) - before) / calls);
  }
}
for (const [kind, { cpu, waits }] of seen) {
  waits.sort((a, b) => a - b);
  const at = (share: number) => (waits[Math.floor(waits.length * share)] as number).toFixed(2);
  console.log(`${kind}: Redis ${Math.min(...cpu).toFixed(0)} us a call, reserve and report p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
}
console.log(`${missed} went on without the replica`);
replication.close();
for (const server of [replica, everysec, always, replicated]) await server.stop();
await disconnectDatabase();
await store.stop();

interface Kind {
  server: { url: string; pid: number };
  waits?: 'each' | Replication;
}

async function oneCaller(url: string, { caller, waits, took }: Pick<Kind, 'waits'> & { caller: number; took: number[] }): Promise<void> {
  const redis = new Redis(url, { enableAutoPipelining: true });
  const wallet = openWallet({ redis });
  const owner = { userId: 1_000 + caller, tokenId: 1, tokenUnlimited: true };
  await wallet.post({ id: `grant:${owner.userId}`, userId: owner.userId, amount: 1e9, reason: 'bench' });
  for (let number = 0; number < calls / callers; number += 1) {
    const call = { ...owner, requestId: `${process.hrtime.bigint()}` };
    const began = performance.now();
    await wallet.reserve({ ...call, amount: 100, deadlineMs: Date.now() + 60_000 });
    await wallet.report(call, usageEvent({ id: call.requestId, userId: call.userId, tokenId: 1, quota: 10 }));
    if (waits === 'each') await redis.wait(1, 1_000);
    else await waits?.reached();
    took.push(performance.now() - began);
    await wallet.release(call);
  }
  await redis.quit();
}

/** User and system time of a process, https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function cpuMicroseconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
