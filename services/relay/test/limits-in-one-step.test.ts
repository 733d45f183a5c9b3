import { limitNames, storedLimits } from '@tollgate/contracts';
import { eventually } from '@tollgate/testing';
import { limitKeys, type Subject } from '@tollgate/wallet';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { question } from './support/ask.ts';
import { type Gateway, modelRatios, startGateway, type TestUser } from './support/gateway.ts';

/** A key of the caller's own: his wallet's, his token's, a hold's. */
const isOf = ({ id }: TestUser, key: string) => new RegExp(`^\\{u\\d+\\}:\\w+:${id}(?::|$)`).test(key);
const most = 1_000_000;
const all = Object.fromEntries(limitNames.map((name) => [name, most]));

describe('A call that all limits of all subjects concern', () => {
  let gateway: Gateway;
  let channelId: number;
  let monitor: Redis;
  /** What was asked of Redis by name and arguments, less what scripts did there. */
  let said: string[] = [];

  before(async () => {
    gateway = await startGateway();
    await gateway.options({
      ModelRatio: JSON.stringify({ ...modelRatios, limited: 1 }),
      GroupLimits: JSON.stringify({ limited: all }),
      ModelLimits: JSON.stringify({ limited: all }),
    });
    await gateway.channel();
    channelId = await gateway.channel({ models: ['limited'], groups: ['limited'], ...storedLimits(all) });
    monitor = await gateway.redis.monitor();
    monitor.on('monitor', (_time: string, words: string[], source: string) => {
      if (source !== 'lua') said.push(words.join(' '));
    });
  });
  after(async () => {
    monitor?.disconnect();
    await gateway.stop();
  });

  /** Until the monitor has told of all that was asked so far. */
  async function allHeard(): Promise<void> {
    const mark = `heard-${performance.now()}`;
    await gateway.redis.echo(mark);
    await eventually(() => expect(said.some((words) => words.includes(mark))).to.equal(true));
  }

  /** What is asked for a call from its arrival until its provider is asked. The caller is known, and so are the scripts. */
  async function askedFor(caller: TestUser, model: string): Promise<string[]> {
    const headers = { 'content-type': 'application/json', authorization: caller.token.authorization };
    const call = { method: 'POST', headers, body: JSON.stringify(question({ model })) };
    gateway.provider.reset();
    await eventually(
      async () => expect((await (await fetch(`${gateway.url}/v1/chat/completions`, call)).json()) as object).to.have.property('choices'),
      { timeoutMs: 30_000 },
    );
    await eventually(async () => expect(await gateway.openHolds(caller)).to.equal(0));
    gateway.provider.reset();
    gateway.provider.answers({ refuseBy: 'hang' });
    const leaving = new AbortController();
    await allHeard();
    said = [];
    const left = fetch(`${gateway.url}/v1/chat/completions`, { ...call, signal: leaving.signal }).catch(() => undefined);
    await eventually(() => expect(gateway.provider.calls).to.have.length(1));
    await allHeard();
    // Not what other callers' calls of before are still ended with, or his own on the bus.
    const isAskedFor = (key: string) => isOf(caller, key) || key.startsWith('{limit:');
    const asked = said.filter((words) => !words.includes('bus:') && words.split(' ').some(isAskedFor));
    leaving.abort();
    await left;
    gateway.provider.reset();
    return asked;
  }

  it('is held and counted by one command, as a call without limits is: no round trip more', async () => {
    const plain = await askedFor(await gateway.user(), 'test-model');
    await gateway.options({ UserLimits: JSON.stringify(all) });
    const caller = await gateway.user({ group: 'limited', token: storedLimits(all) });
    await eventually(
      async () => {
        const { headers } = await gateway.post('/v1/chat/completions', question(), {
          authorization: (await gateway.user()).token.authorization,
        });
        expect(headers.get('x-ratelimit-limit-requests')).to.equal(String(most));
      },
      { timeoutMs: 30_000 },
    );
    const limited = await askedFor(caller, 'limited');
    expect([plain.length, limited.length], [...plain, ...limited].join('\n')).to.deep.equal([1, 1]);
    const subjects: Subject[] = [
      { kind: 'user', userId: caller.id },
      { kind: 'token', userId: caller.id, tokenId: caller.token.id },
      { kind: 'group', name: 'limited' },
      { kind: 'model', name: 'limited' },
      { kind: 'channel', name: channelId },
    ];
    for (const key of subjects.flatMap((subject) => limitKeys(subject))) expect(limited[0]).to.include(key);
  });
});
