import { type RedisServer, startRedis } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { askForReplay, type Bus, deadLettersState, openBus, tendDeadLetters } from '../src/index.ts';

const topic = { name: 'replays' };
const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('a wish that dead letters be published again', () => {
  let server: RedisServer;
  let redis: Redis;
  let bus: Bus;
  const turn = (over: Bus) => tendDeadLetters(over, redis, { topics: [topic], now: async () => 7, logger: silent });
  const failing = (): Bus => ({ ...bus, replayDead: async () => Promise.reject(new Error('the engine is away')) });
  const endOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: Error) => error.message,
    );

  beforeEach(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
    bus = await openBus(server.url);
    await turn(bus);
  });
  afterEach(async () => {
    redis.disconnect();
    await bus.close();
    await server.stop();
  });

  it('stands while the engine is away, and is met once it is back', async () => {
    await askForReplay(redis);
    for (const _ of [1, 2]) expect(await endOf(turn(failing()))).to.equal('the engine is away');
    expect(await deadLettersState(redis)).to.deep.include({ isWanted: true, waiting: { replays: 0 } });
    await turn(bus);
    expect(await deadLettersState(redis)).to.deep.include({ isWanted: false, replay: { atMs: 7, replayed: 0, kept: 0 } });
  });

  it('is given up after the third failure', async () => {
    await askForReplay(redis);
    for (const _ of [1, 2, 3]) expect(await endOf(turn(failing()))).to.equal('the engine is away');
    expect(await deadLettersState(redis)).to.include({ isWanted: false });
    expect(await endOf(turn(failing()))).to.equal('done');
  });
});
