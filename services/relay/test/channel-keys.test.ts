import { channelFailuresKey, channelStatus, restingKeysKey } from '@tollgate/contracts';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { type KeyBehavior, type KeyedProvider, startKeyedProvider } from './support/keyed-provider.ts';

/** Rounds of the chaos scene; the full one is `CHAOS_CALLS=6000`. */
const chaosCalls = Number(process.env.CHAOS_CALLS ?? 300);

describe('Channels with several keys', () => {
  let gateway: Gateway;
  let provider: KeyedProvider;
  let user: TestUser;
  let models = 0;

  before(async () => {
    gateway = await startGateway({ UPSTREAM_FIRST_BYTE_MS: '700', UPSTREAM_CONNECT_MS: '500', UPSTREAM_SILENCE_MS: '700' });
    provider = await startKeyedProvider();
    user = await gateway.user({ balance: 1e9 });
  });
  after(async () => {
    await provider.close();
    await gateway.stop();
  });
  beforeEach(async () => {
    provider.reset();
    await gateway.redis.del(channelFailuresKey);
    await gateway.options({ RetryTimes: '0' });
  });

  async function channels(...all: Record<string, unknown>[]): Promise<{ model: string; ids: number[] }> {
    models += 1;
    const model = `keyed-${models}`;
    await gateway.options({ ModelRatio: JSON.stringify({ [model]: 1 }) });
    const ids = await gateway.channels(all.map((fields) => ({ models: [model], baseUrl: provider.url, ...fields })));
    await untilServed(gateway, user.token, model);
    return { model, ids };
  }
  const ask = (model: string, fields: Record<string, unknown> = {}) =>
    gateway.post('/v1/chat/completions', question({ model, ...fields }), { authorization: user.token.authorization });
  const askTimes = async (model: string, times: number) => {
    for (let call = 0; call < times; call += 1) expect((await ask(model)).status).to.equal(200);
  };
  const used = (key: string) => provider.asked.filter((call) => call.key === key).length;
  const billsOf = async (model: string) => (await gateway.events(user)).filter((event) => event.model === model);

  it('choose by their strategy: in turn, one until it fails, the least busy, or at random', async () => {
    const severalKeys = ['turn-1', 'turn-2', 'turn-3'];
    const { model: polling } = await channels({ severalKeys, keyMode: 'polling' });
    await askTimes(polling, 6);
    expect(provider.asked.map(({ key }) => key)).to.deep.equal([...severalKeys, ...severalKeys]);

    const { model: fill } = await channels({ severalKeys: ['fill-1', 'fill-2'], keyMode: 'fill' });
    await askTimes(fill, 3);
    provider.behaviors.set('fill-1', 'limited_for_a_second');
    await askTimes(fill, 2);
    expect([used('fill-1'), used('fill-2')]).to.deep.equal([4, 2]);

    const { model: busy } = await channels({ severalKeys: ['busy-1', 'busy-2', 'busy-3'], keyMode: 'least_busy' });
    for (const key of ['busy-1', 'busy-2', 'busy-3']) provider.behaviors.set(key, 'slow');
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(busy)));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 6 }, () => 200));
    expect(Math.min(...['busy-1', 'busy-2', 'busy-3'].map(used)), 'a busy machine sends them one by one').to.be.at.least(1);

    const { model: random } = await channels({ severalKeys: ['any-1', 'any-2'] });
    await askTimes(random, 30);
    expect(Math.min(used('any-1'), used('any-2'))).to.be.greaterThan(3);
  });

  it('try another key within the call when one is refused, and leave the refused one alone', async () => {
    const { model, ids } = await channels({ severalKeys: ['bad-1', 'bad-2', 'good-3'], keyMode: 'fill' });
    provider.behaviors.set('bad-1', 'unauthorized').set('bad-2', 'limited');
    expect((await ask(model)).status).to.equal(200);
    expect(provider.asked.map(({ key }) => key)).to.deep.equal(['bad-1', 'bad-2', 'good-3']);
    expect((await ask(model)).status).to.equal(200);
    expect(provider.asked.slice(3).map(({ key }) => key)).to.deep.equal(['good-3']);
    const bills = await eventually(async () => {
      const all = await billsOf(model);
      expect(all).to.have.length(2);
      return all;
    });
    expect(bills.map(({ keyId, channelId }) => [channelId, keyId])).to.deep.equal([
      [ids[0], 3],
      [ids[0], 3],
    ]);
    const attempts = bills.flatMap((bill) => (bill.attempts ?? []) as { keyId: number; kind: string }[]);
    expect(attempts.map(({ keyId, kind }) => [keyId, kind])).to.deep.equal([
      [1, 'credentials'],
      [2, 'rate_limit'],
    ]);
    expect(JSON.stringify(bills)).not.to.match(/bad-|good-/);
    const reports = (await gateway.redis.lrange(channelFailuresKey, 0, -1)).map((text) => JSON.parse(text));
    expect(reports.map(({ channelId, keyId, kind }) => [channelId, keyId, kind]).reverse()).to.deep.equal([
      [ids[0], 1, 'credentials'],
      [ids[0], 2, 'rate_limit'],
    ]);
    await eventually(async () => {
      const rests = await gateway.redis.hgetall(restingKeysKey(ids[0] as number));
      expect(JSON.parse(rests['1'] ?? '{}')).to.include({ reason: 'refused', model: '' });
      expect(JSON.parse(rests['2'] ?? '{}')).to.include({ reason: 'limited', model });
    });
  });

  it('tell other relays of a key so that an older one does not take it for the channel', async () => {
    const { model, ids } = await channels({ severalKeys: ['told-1', 'told-2'], keyMode: 'fill' });
    const subscriber = gateway.redis.duplicate();
    const heard: Record<string, unknown>[] = [];
    subscriber.on('message', (_channel, text) => heard.push(JSON.parse(text)));
    await subscriber.subscribe('breakers');
    provider.behaviors.set('told-1', 'unauthorized');
    await askTimes(model, 1);
    await eventually(async () => expect(heard).to.have.length(1));
    expect(heard[0]).to.include({ change: 'opened', reason: 'refused', model: '' }).and.not.to.have.property('channelId');
    expect(heard[0]?.ofKey).to.deep.equal([ids[0], 1]);
    subscriber.disconnect();
  });

  it('take a refused key back by itself once it works, and without a restart a key that is added or disabled', async () => {
    const { model, ids } = await channels({ severalKeys: ['back-1', 'back-2'], keyMode: 'fill' });
    provider.behaviors.set('back-1', 'unauthorized');
    await askTimes(model, 2);
    provider.behaviors.clear();
    await eventually(
      async () => {
        await askTimes(model, 1);
        expect(provider.asked.at(-1)?.key).to.equal('back-1');
      },
      { timeoutMs: 20_000 },
    );
    await gateway.changeChannel(ids[0] as number, { 'keys.0.status': channelStatus.disabled });
    await eventually(async () => {
      await askTimes(model, 1);
      expect(provider.asked.at(-1)?.key).to.equal('back-2');
    });
    await gateway.changeChannel(ids[0] as number, { 'keys.1.status': channelStatus.autoDisabled });
    await eventually(async () => expect((await ask(model)).status).to.equal(503));
  });

  it('rest a key that its provider says is near its limit, before it fails', async () => {
    const { model } = await channels({ severalKeys: ['near-1', 'far-2'], keyMode: 'fill' });
    provider.behaviors.set('near-1', 'near_its_limit');
    await askTimes(model, 4);
    expect([used('near-1'), used('far-2')]).to.deep.equal([1, 3]);
  });

  it('answer with another key when one hangs, lies or ends a stream with nothing', async () => {
    const { model } = await channels({ severalKeys: ['odd-1', 'odd-2', 'odd-3', 'fine-4'], keyMode: 'fill' });
    await gateway.options({ RetryTimes: '3' });
    provider.behaviors.set('odd-1', 'hanging').set('odd-2', 'lying').set('odd-3', 'empty_stream');
    const answer = await ask(model, { stream: true });
    expect(answer.status).to.equal(200);
    expect(await answer.text())
      .to.contain('Hello')
      .and.to.contain('[DONE]');
    expect(provider.asked.map(({ key }) => key)).to.deep.equal(['odd-1', 'odd-2', 'odd-3', 'fine-4']);
  });

  describe('keep a conversation where its cache is', () => {
    const words = (count: number, word = 'word') => `${word} `.repeat(count);
    type Message = { role: string; content: string };
    interface Usages {
      prompt: number;
      cached: number;
    }

    /** Asks the turns of sessions one after the other, and sums what their bills say. */
    async function replay(
      model: string,
      sessions: { headers?: Record<string, string>; fields?: Record<string, unknown>; turns: number }[],
    ) {
      const sums: Usages = { prompt: 0, cached: 0 };
      const histories = sessions.map((_, number): Message[] => [
        { role: 'system', content: `session ${number} of an agent. ${words(1_500)}` },
        { role: 'user', content: `task ${number}` },
      ]);
      const longest = Math.max(...sessions.map(({ turns }) => turns));
      for (let turn = 0; turn < longest; turn += 1) {
        await Promise.all(
          sessions.map(async ({ headers, fields, turns }, number) => {
            if (turn >= turns) return;
            const messages = histories[number] as Message[];
            const answer = await gateway.post(
              '/v1/chat/completions',
              { model, messages, ...fields },
              { authorization: user.token.authorization, ...headers },
            );
            expect(answer.status).to.equal(200);
            const { usage } = (await answer.json()) as {
              usage: { prompt_tokens: number; prompt_tokens_details?: { cached_tokens: number } };
            };
            sums.prompt += usage.prompt_tokens;
            sums.cached += usage.prompt_tokens_details?.cached_tokens ?? 0;
            messages.push({ role: 'assistant', content: 'Hello' }, { role: 'user', content: words(40, `turn${turn}`) });
          }),
        );
      }
      return sums.cached / sums.prompt;
    }

    it('over 6 channels with 4 keys, as with one key', async () => {
      const severalKeys = (channel: number) => Array.from({ length: 4 }, (_, key) => `cache-${channel}-${key}`);
      const { model: many } = await channels(...Array.from({ length: 6 }, (_, channel) => ({ severalKeys: severalKeys(channel) })));
      const sessions = [
        { headers: { 'x-session-id': 'by-header' }, turns: 40 },
        { fields: { prompt_cache_key: 'by-cache-key' }, turns: 40 },
        { fields: { metadata: { user_id: 'user_abc_account__session_1234' } }, turns: 40 },
        { fields: { user: 'someone' }, turns: 40 },
        { turns: 40 },
        { turns: 40 },
      ];
      const share = await replay(many, sessions);
      const { model: one } = await channels({ severalKeys: ['cache-alone'] });
      const ideal = await replay(one, sessions);
      expect(share / ideal, `${share} of ${ideal}`).to.be.at.least(0.9);
      const bills = await billsOf(many);
      expect(bills.filter(({ affinity }) => (affinity as { how: string }).how === 'kept').length).to.be.at.least(40 * 6 - 12);
    }).timeout(120_000);

    it('moves it when its key fails, says so in the bill, and stays with the next one', async () => {
      const { model, ids } = await channels({ severalKeys: ['stay-1', 'stay-2'], keyMode: 'fill' });
      const headers = { authorization: user.token.authorization, 'x-session-id': 'moved' };
      const turn = async () => expect((await gateway.post('/v1/chat/completions', question({ model }), headers)).status).to.equal(200);
      await turn();
      provider.behaviors.set('stay-1', 'unauthorized');
      await turn();
      provider.behaviors.clear();
      await turn();
      expect(provider.asked.map(({ key }) => key)).to.deep.equal(['stay-1', 'stay-1', 'stay-2', 'stay-2']);
      const bills = await eventually(async () => {
        const all = await billsOf(model);
        expect(all).to.have.length(3);
        return all;
      });
      const said = bills.sort((a, b) => Number(a.at) - Number(b.at)).map(({ affinity }) => affinity);
      expect(said).to.deep.equal([{ how: 'new' }, { how: 'moved', from: `${ids[0]}/1` }, { how: 'kept' }]);
    });

    it('but goes back to channels that are preferred', async () => {
      const { model } = await channels({ severalKeys: ['best-1'], priority: 5 }, { severalKeys: ['spare-1'] });
      const headers = { authorization: user.token.authorization, 'x-session-id': 'tiers' };
      await gateway.options({ RetryTimes: '1' });
      const turn = async () => expect((await gateway.post('/v1/chat/completions', question({ model }), headers)).status).to.equal(200);
      provider.behaviors.set('best-1', 'broken');
      await turn();
      provider.behaviors.clear();
      await turn();
      expect(provider.asked.map(({ key }) => key)).to.deep.equal(['best-1', 'spare-1', 'best-1']);
    });
  });

  it('serve what any working key can serve while keys fail in every way', async () => {
    const ways: KeyBehavior[] = ['unauthorized', 'limited', 'limited_for_a_second', 'broken', 'slow', 'hanging', 'lying', 'empty_stream'];
    const keysOf = (channel: number) => Array.from({ length: 5 }, (_, key) => `chaos-${channel}-${key}`);
    const all = Array.from({ length: 6 }, (_, channel) => keysOf(channel));
    const { model, ids } = await channels(...all.map((severalKeys) => ({ severalKeys })));
    await gateway.options({ RetryTimes: '5' });
    const keys = all.flat();
    // Two of three keys fail at any time; which ones, and how, changes all the time.
    const shuffle = (round: number) => {
      for (const [at, key] of keys.entries()) {
        const isGood = (at + round) % 3 === 0;
        provider.behaviors.set(key, isGood ? 'works' : (ways[(at * 7 + round * 3) % ways.length] as KeyBehavior));
      }
    };
    let failed = 0;
    const lanes = 6;
    const perLane = Math.ceil(chaosCalls / lanes);
    const shuffleEvery = Math.ceil(perLane / 3);
    const lane = async (_: unknown, number: number) => {
      for (let call = 0; call < perLane; call += 1) {
        if (number === 0 && call % shuffleEvery === 0) shuffle(call / shuffleEvery);
        const answer = await ask(model, { stream: call % 2 === 0 });
        const text = await answer.text();
        if (answer.status !== 200 || !text.includes('Hello')) failed += 1;
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    expect(failed, `of ${perLane * lanes} calls`).to.be.at.most(Math.floor((perLane * lanes) / 1000));
    const reports = (await gateway.redis.lrange(channelFailuresKey, 0, -1)).map((text) => JSON.parse(text));
    expect(reports.every(({ channelId, keyId }) => ids.includes(channelId) && keyId >= 1)).to.equal(true);
    if (chaosCalls < 1_000) return;
    // All of them are back within a minute.
    provider.behaviors.clear();
    const recoveredAt = performance.now();
    const missing = new Set(keys);
    const asked = provider.asked.length;
    while (missing.size > 0 && performance.now() - recoveredAt < 60_000) {
      await askTimes(model, 5);
      for (const { key } of provider.asked.slice(asked)) missing.delete(key);
    }
    expect([...missing]).to.deep.equal([]);
  }).timeout(600_000);
});
