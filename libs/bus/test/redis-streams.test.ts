import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { eventually, type RedisServer, startFaultProxy, startRedis } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { batchedPublisher, openBus } from '../src/index.ts';
import { busContract } from './contract.ts';
import { freshTopic, numbered, type TestEngine } from './engine.ts';
import { Recorder } from './recorder.ts';

describe('the bus on Redis Streams', () => {
  let server: RedisServer;
  let client: Redis;
  let engine: TestEngine;

  before(async () => {
    server = await startRedis({ appendfsync: 'always' });
    client = connect(server);
    engine = {
      url: server.url,
      sessionMs: 6_000,
      async publishRaw(topic, key, value) {
        const partitions = Number(await client.get(`bus:{${topic}}:partitions`));
        const p = crc32(key) % (partitions || 4);
        const epoch = await client.hget(`bus:{${topic}}:births`, String(p));
        await client.xadd(`bus:{${topic}}:${p}`, '*', 'e', `${epoch}00000000`, 'k', key, 'v', value);
        await client.hincrby(`bus:{${topic}}:published`, String(p), 1);
      },
      async deleteTopic(topic) {
        await client.del(await client.keys(`bus:{${topic}}:[0-9]*`));
      },
      kill9: server.kill9,
      restart: server.restart,
      stop: server.stop,
    };
  });
  after(async () => {
    client.disconnect();
    await server.stop();
  });

  busContract(() => engine);

  it('keeps in memory only what a group has not handled', async () => {
    const bus = await openBus(server.url);
    const topic = freshTopic();
    const seen = new Recorder();
    await bus.publish(topic, numbered(500, 50));
    const consumption = await bus.consume({ topic, group: 'g', lingerMs: 0, handleBatch: seen.handleBatch });
    await eventually(() => expect(seen.distinct).to.equal(500));
    await eventually(async () => {
      const lengths = await Promise.all((await client.keys(`bus:{${topic.name}}:[0-9]*`)).map((stream) => client.xlen(stream)));
      expect(lengths.reduce((sum, length) => sum + length, 0)).to.equal(0);
    });
    await consumption.stop();
    await bus.close();
  });

  it('waits for company once, and once more where many have come, but no longer', async () => {
    for (const [events, waits] of [
      [31, 1],
      [32, 2],
      [100, 0], // the batch is full
    ] as const) {
      const bus = await openBus(server.url, { partitions: 1 });
      const topic = freshTopic();
      const seen = new Recorder();
      const monitor = await client.monitor();
      const asked: string[] = [];
      const stream = `bus:{${topic.name}}:0`;
      monitor.on('monitor', (_time, [command = '', ...args]: string[]) => {
        if (/^xread$/i.test(command) && args.includes(stream)) asked.push('read');
        if (/^evalsha$|^eval$/i.test(command) && args.includes('g') && args.includes(String(events))) asked.push('commit');
      });
      await bus.publish(topic, numbered(events, 1));
      const consumption = await bus.consume({ topic, group: 'g', lingerMs: 5, maxBatch: 100, handleBatch: seen.handleBatch });
      await eventually(() => expect(asked).to.include('commit'));
      expect(asked.slice(0, asked.indexOf('commit')), `${events} events`).to.deep.equal(Array(1 + waits).fill('read'));
      expect(seen.batches.map(({ length }) => length)).to.deep.equal([events]);
      await consumption.stop();
      monitor.disconnect();
      await bus.close();
    }
  });

  it('survives a Redis that lost the end of its file while the clock went back: new events are never taken for old ones', async () => {
    const own = await startRedis({ dir: await mkdtemp(join(tmpdir(), 'tollgate-bus-')) });
    const copy = `${own.dir}-copy`;
    const bus = await openBus(own.url, { partitions: 1 });
    const side = connect(own);
    const topic = freshTopic();
    const seen = new Recorder();
    await bus.publish(topic, numbered(10, 1));
    const consumption = await bus.consume({ topic, group: 'g', lingerMs: 0, handleBatch: seen.handleBatch });
    await eventually(() => expect(seen.distinct).to.equal(10));
    await eventually(async () => expect(await bus.lag(topic, 'g')).to.equal(0));
    await side.call('WAITAOF', 1, 0, 1_000).catch(() => new Promise((resolve) => setTimeout(resolve, 1_100))); // everysec
    await cp(own.dir, copy, { recursive: true });

    // An event with an id one hour ahead: after the crash the clock seems to have gone back.
    const epoch = seen.deliveries[0]?.coordinates.epoch ?? '';
    const event = JSON.stringify({ key: 'user-0', n: 10 });
    await side.xadd(`bus:{${topic.name}}:0`, `${Date.now() + 3_600_000}-0`, 'e', epoch, 'k', 'user-0', 'v', event);
    await eventually(() => expect(seen.distinct).to.equal(11));
    await own.kill9();
    await rm(own.dir, { recursive: true });
    await cp(copy, own.dir, { recursive: true });
    await own.restart();

    await eventually(() => bus.publish(topic, numbered(10, 1, 11)));
    await eventually(() => expect(seen.distinct).to.equal(21), { timeoutMs: 20_000 });
    const late = seen.deliveries.filter(({ value }) => value.n > 10);
    for (const { coordinates } of late) expect(coordinates.epoch).not.to.equal(epoch);
    await eventually(async () => expect(await bus.lag(topic, 'g')).to.equal(0));
    await consumption.stop();
    await bus.close();
    side.disconnect();
    await own.stop();
    for (const folder of [own.dir, copy]) await rm(folder, { recursive: true, force: true });
  });

  it('tells a Redis that came back without its newest seconds again what it had lost, as much as a process can send in them', async () => {
    const own = await startRedis({ dir: await mkdtemp(join(tmpdir(), 'tollgate-bus-')), appendfsync: 'always' });
    const copy = `${own.dir}-copy`;
    const bus = await openBus(own.url);
    const reader = await openBus(own.url);
    const topic = freshTopic();
    const seen = new Recorder();
    await bus.publish(topic, numbered(20, 5));
    await cp(own.dir, copy, { recursive: true });
    const lost = numbered(18_000, 5, 4).map(({ key, value }) => ({ key: `${key} 💶`, value: { ...value, key: `${key} 💶` } }));
    for (let from = 0; from < lost.length; from += 500) await bus.publish(topic, lost.slice(from, from + 500)); // the replica does not have these
    await own.kill9();
    await rm(own.dir, { recursive: true });
    await cp(copy, own.dir, { recursive: true });
    await own.restart();

    const consumption = await reader.consume({ topic, group: 'g', lingerMs: 0, handleBatch: seen.handleBatch });
    await eventually(() => expect(seen.distinct).to.equal(18_020), { timeoutMs: 20_000 });
    expect(seen.ofKey('user-0 💶')).to.include(4);
    await consumption.stop();
    await bus.close();
    await reader.close();
    await own.stop();
    for (const folder of [own.dir, copy]) await rm(folder, { recursive: true, force: true });
  });

  it('goes on when its lines fall silent without an end, as when a firewall forgot them', async () => {
    const proxy = await startFaultProxy({ to: server.port });
    const bus = await openBus(`redis://127.0.0.1:${proxy.port}`);
    const topic = freshTopic();
    const seen = new Recorder();
    const publisher = batchedPublisher(bus, topic);
    const consumption = await bus.consume({ topic, group: 'g', lingerMs: 0, handleBatch: seen.handleBatch });
    for (const { key, value } of numbered(10, 5)) publisher.push(key, value);
    await eventually(() => expect(seen.distinct).to.equal(10));
    proxy.forgetLines();
    for (const { key, value } of numbered(10, 5, 2)) publisher.push(key, value);
    await eventually(() => expect(seen.distinct).to.equal(20), { timeoutMs: 30_000 });
    await publisher.close();
    await consumption.stop();
    await bus.close();
    await proxy.close();
  });

  it('keeps the partitions that a topic has, whatever the setting says later', async () => {
    const topic = freshTopic();
    const [first, second] = [await openBus(server.url, { partitions: 2 }), await openBus(server.url, { partitions: 16 })];
    await first.publish(topic, numbered(1, 1));
    await second.publish(topic, numbered(100, 100));
    expect(await client.keys(`bus:{${topic.name}}:[0-9]*`)).to.have.length(2);
    await first.close();
    await second.close();
  });

  it('refuses a Redis that may evict events, and one that does not answer', async () => {
    const evicting = await startRedis({ args: ['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru'] });
    await rejects(openBus(evicting.url), /maxmemory-policy is allkeys-lru; set it to noeviction/);
    await evicting.stop();
    await rejects(openBus(evicting.url), /BUS_URL: connect ECONNREFUSED/);
    await rejects(openBus('amqp://localhost'), /BUS_URL must begin with/);
  });
});

function connect(server: RedisServer): Redis {
  const client = new Redis(server.url, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  return client;
}

async function rejects(work: Promise<unknown>, message: RegExp): Promise<void> {
  const error = await work.then(
    () => new Error('it was accepted'),
    (reason: Error) => reason,
  );
  expect(error.message).to.match(message);
}
