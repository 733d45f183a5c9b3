import { execFileSync } from 'node:child_process';
import { engines } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { hashScripts, writeInBatches } from '../src/context/hashed-scripts.ts';

describe('Commands for Redis', () => {
  let redis: Redis;
  let url: URL;

  before(async () => {
    const { redisUrl } = await engines();
    url = new URL(await redisUrl());
    redis = new Redis(url.href);
    await redis.ping();
  });
  after(async () => void (await redis.quit()));

  /** What another process reads now, while this one does nothing else: no turn of the event loop ends meanwhile. */
  const readElsewhere = (key: string) =>
    execFileSync(process.execPath, [
      '-e',
      `const line = require('node:net').connect(${url.port}, '${url.hostname}', () => line.write('GET ${key}\\r\\n'));
       line.once('data', (bytes) => { process.stdout.write(bytes); line.end(); });`,
    ])
      .toString()
      .trim();

  it('leave together when the turn ends, or before anything else is done when that is wanted', async () => {
    const { sendNow } = writeInBatches(redis);
    const [later, now] = ['batched-writes:later', 'batched-writes:now'];
    await redis.del(later, now);
    const first = redis.set(later, 'set');
    expect(readElsewhere(later)).to.equal('$-1');
    await first;
    expect(await redis.get(later)).to.equal('set');
    const second = redis.set(now, 'set');
    sendNow();
    expect(readElsewhere(now)).to.contain('set');
    expect(await second).to.equal('OK');
    await redis.del(later, now);
  });

  it('are joined by what waited for the end of the turn, once', async () => {
    const own = new Redis(url.href);
    await own.ping();
    const { sendNow, atEnd } = writeInBatches(own);
    const list = 'batched-writes:list';
    const answers: Promise<number>[] = [];
    for (const word of ['first', 'second']) {
      atEnd(() => void answers.push(own.rpush(list, word)));
      answers.push(own.rpush(list, `before ${word}`));
      if (word === 'second') sendNow();
      else await new Promise(setImmediate);
    }
    await Promise.all(answers);
    expect(await own.lrange(list, 0, -1)).to.deep.equal(['before first', 'first', 'before second', 'second']);
    await own.del(list);
    await own.quit();
  });

  it('want no further turn where only the last words of one have asked for them', async () => {
    const own = new Redis(url.href);
    await own.ping();
    const { atEnd } = writeInBatches(own);
    const answers: Promise<string>[] = [];
    atEnd(() => void answers.push(own.ping()));
    const left = await new Promise<string[]>((resolve) => setImmediate(() => resolve(process.getActiveResourcesInfo())));
    expect(left).not.to.include('Immediate');
    expect(await Promise.all(answers)).to.deep.equal(['PONG']);
    atEnd(() => atEnd(() => void answers.push(own.ping())));
    while (answers.length < 2) await new Promise(setImmediate);
    expect(await answers[1]).to.equal('PONG');
    await own.quit();
  });

  it('get the answers to themselves, also beside a transaction of the same turn', async () => {
    const own = new Redis(url.href);
    const [count, word] = ['batched-writes:count', 'batched-writes:word'];
    await own.mset(count, 40, word, 'told');
    writeInBatches(own);
    const answers = await Promise.all([
      own.get(word),
      own.multi().incr(count).get(count).exec(),
      own.getBuffer(word),
      own.pipeline().incr(count).getBuffer(word).exec(),
      own.strlen(word),
    ]);
    const bytes = Buffer.from('told');
    const inTransaction = [
      [null, 41],
      [null, '41'],
    ];
    const inPipeline = [
      [null, 42],
      [null, bytes],
    ];
    expect(answers).to.deep.equal(['told', inTransaction, bytes, inPipeline, 4]);
    await own.del(count, word);
    await own.quit();
  });

  it('may be scripts, which are sent whole when Redis has forgotten them', async () => {
    const own = new Redis(url.href);
    hashScripts(own);
    own.defineCommand('toldBack', { numberOfKeys: 1, lua: 'return { KEYS[1], ARGV[1], tonumber(ARGV[2]), #ARGV }' });
    own.defineCommand('countKeys', { lua: 'return { #KEYS, #ARGV }' });
    const scripts = own as Redis & Record<'toldBack' | 'countKeys', (...args: (string | number)[]) => Promise<unknown>>;
    for (const state of ['new', 'known', 'forgotten']) {
      if (state === 'forgotten') await own.script('FLUSH');
      expect(await scripts.toldBack('key', '一些汉字', 7), state).to.deep.equal(['key', '一些汉字', 7, 2]);
      expect(await scripts.countKeys(2, 'a', 'b', ''), state).to.deep.equal([2, 1]);
    }
    own.defineCommand('fails', { numberOfKeys: 0, lua: "return redis.error_reply('WRONG words')" });
    const refusal = (own as unknown as { fails(): Promise<unknown> }).fails().catch((error: Error) => error.message);
    expect(await refusal).to.contain('WRONG words');
    await own.quit();
  });
});
