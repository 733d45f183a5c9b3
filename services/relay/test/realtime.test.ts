import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { channelStatus } from '@tollgate/contracts';
import { Channel, seal, Token } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { holdKey } from '@tollgate/wallet';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { proxyCredentials, startConnectProxy } from './support/connect-proxy.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { type RealtimeProvider, startRealtimeProvider, tenthOfSecond, usualUsage } from './support/realtime-provider.ts';
import { Refused, type Talk, talkAt } from './support/talk.ts';

type Json = Record<string, unknown>;
const patient = { timeoutMs: 30_000 };

describe('Spoken sessions', function () {
  this.timeout(120_000);
  let gateway: Gateway;
  let provider: RealtimeProvider;
  let user: TestUser;
  let channel: number;
  const talks: Talk[] = [];

  before(async () => {
    provider = await startRealtimeProvider();
    gateway = await startGateway({ RELAY_TURN_MS: '300' });
    channel = await gateway.channel({ models: ['voice', 'mapped'], baseUrl: provider.url, modelMapping: '{"mapped":"upstream-voice"}' });
    await gateway.channel({ type: 3, models: ['azure.voice'], baseUrl: provider.url, key: 'azure-key', other: '2025-01-01' });
    await gateway.options({
      ModelRatio: JSON.stringify({ 'lost-voice': 1, 'far-voice': 1, voice: 2, mapped: 1, 'azure.voice': 1, writer: 1 }),
      CompletionRatio: JSON.stringify({ voice: 4 }),
      CacheRatio: JSON.stringify({ voice: 0.5 }),
      AudioRatio: JSON.stringify({ voice: 8 }),
      AudioCompletionRatio: JSON.stringify({ voice: 2 }),
      ModelMaxOutput: JSON.stringify({ 'lost-voice': 100, 'far-voice': 100, voice: 1000, mapped: 100, 'azure.voice': 100 }),
      PiecePrice: JSON.stringify({ writer: { seconds: 0.0001 } }),
      SensitiveWords: 'forbidden-word',
    });
    user = await gateway.user();
    await untilServed(gateway, user.token, 'azure.voice');
  });
  after(async () => {
    await gateway?.stop();
    await provider?.close();
  });
  beforeEach(async () => {
    provider.reset();
    user = await gateway.user();
  });
  afterEach(async () => {
    for (const { socket } of talks.splice(0)) socket.terminate();
    await eventually(async () => expect(await gateway.openHolds(user)).to.equal(0), patient);
  });

  const talk = async (options: Parameters<typeof talkAt>[2] = {}, authorization: string | undefined = user.token.authorization) => {
    const made = await talkAt(gateway.url, authorization, options);
    talks.push(made);
    return made;
  };
  const refused = async (work: Promise<unknown>): Promise<{ status: number; error: Json }> => {
    const failure = await work.catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Refused);
    const { status, body } = failure as Refused;
    return { status, error: (JSON.parse(body) as { error: Json }).error };
  };
  const errorIn = async (made: Talk) => (await made.next('error')).error as Json;
  const bills = (count: number) =>
    eventually(async () => {
      const events = await gateway.events(user);
      expect(events).to.have.length(count);
      return events;
    }, patient);
  const say = (text: string) => ({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
  });

  it('serves the official client: each answer is a call of its own, charged by text, speech and cache', async () => {
    const client = new OpenAI({ apiKey: `sk-${user.token.key}`, baseURL: `${gateway.url}/v1` });
    const port = Number(new URL(gateway.url).port);
    const plain = { createConnection: () => connect(port, '127.0.0.1') }; // it insists on wss
    const session = new OpenAIRealtimeWS({ model: 'voice', options: plain as never }, client);
    const heard: Json[] = [];
    session.on('event', (event) => heard.push(event as unknown as Json));
    session.on('error', (error) => heard.push({ type: 'failed', error }));
    const until = (type: string, times: number) =>
      eventually(
        () =>
          expect(
            heard.filter((event) => event.type === type),
            JSON.stringify(heard).slice(0, 500),
          ).to.have.length(times),
        patient,
      );
    await until('session.created', 1);
    session.send({ type: 'session.update', session: { type: 'realtime', instructions: 'Be brief' } });
    await until('session.updated', 1);
    for (let round = 1; round <= 2; round += 1) {
      session.send(say('Hello') as never);
      session.send({ type: 'response.create' });
      await until('response.done', round);
    }
    session.close();
    expect(heard.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta)).to.deep.equal([
      'w0 ',
      'w1 ',
      'w2 ',
      'w0 ',
      'w1 ',
      'w2 ',
    ]);
    const events = await bills(2);
    for (const bill of events) {
      expect(bill).to.include({
        mode: 'realtime',
        model: 'voice',
        usageSource: 'upstream',
        endReason: 'complete',
        isStream: true,
        channelId: channel,
      });
      expect(bill.usage).to.include({ textInput: 20, audioInput: 50, cachedInput: 30, textOutput: 20, audioOutput: 30 });
      // (20 + 50 x 8 + 30 x 0.5 + 20 x 4 + 30 x 8 x 2) x 2
      expect(bill.quota).to.equal(1990);
    }
    const [first, second] = events;
    expect(first?.sessionId).to.be.a('string').and.equal(second?.sessionId);
    expect(first?.id).to.not.equal(second?.id);
    const seen = provider.last();
    expect(seen.path).to.equal('/v1/realtime?model=voice');
    expect(seen.headers.authorization).to.equal('Bearer upstream-key-1');
    expect(JSON.stringify(seen.headers)).to.not.contain(user.token.key);
  });

  it('takes the key from a subprotocol, the header api-key or the address, and refuses others by plain HTTP', async () => {
    const { key } = user.token;
    const protocols = ['realtime', `openai-insecure-api-key.sk-${key}`, 'openai-beta.realtime-v1'];
    const browser = await talk({ protocols }, '');
    expect(browser.socket.protocol).to.equal('realtime');
    await browser.next('session.created');
    expect(provider.last().headers['openai-beta']).to.equal('realtime=v1');
    await (await talk({ headers: { 'api-key': `sk-${key}` } }, '')).next('session.created');
    await (await talk({ query: `&api-key=${key}` }, '')).next('session.created');
    await (await talk({ query: `&key=${key}` }, '')).next('session.created');
    expect(JSON.stringify(provider.sessions.map(({ path, headers }) => [path, headers]))).to.not.contain(key);
    expect(await refused(talk({}, 'Bearer sk-nonsense'))).to.have.property('status', 401);
    expect(await refused(talk({}, ''))).to.have.nested.property('error.code', 'missing_api_key');
    expect(await refused(talk({ model: 'nobody' }))).to.include({ status: 404 });
    expect(await refused(talk({ model: '' }))).to.have.nested.property('error.param', 'model');
    expect(await refused(talk({ query: '&intent=transcription' }))).to.have.nested.property('error.param', 'intent');
    const plain = await fetch(`${gateway.url}/v1/realtime?model=voice`, { headers: { authorization: user.token.authorization } });
    expect(plain.status).to.equal(426);
    const asked = request(`${gateway.url}/v1/realtime?model=voice`, {
      headers: { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '8' },
    });
    const [answer] = (await once(asked.end(), 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).to.equal(400);
  });

  it('asks Azure by its deployment, and a mapped model by its name upstream', async () => {
    await (await talk({ model: 'azure.voice' })).next('session.created');
    expect(provider.last().path).to.equal('/openai/realtime?api-version=2025-01-01&deployment=azurevoice');
    expect(provider.last().headers).to.include({ 'api-key': 'azure-key' }).and.not.have.property('authorization');
    const mapped = await talk({ model: 'mapped' });
    expect(provider.last().path).to.equal('/v1/realtime?model=upstream-voice');
    mapped.say({ type: 'session.update', session: { model: 'mapped', voice: 'alloy' } });
    expect((await mapped.next('session.created')).session, 'as it was requested').to.include({ model: 'mapped' });
    await mapped.next('session.updated');
    expect(provider.last().of('session.update')[0]?.session).to.deep.equal({ model: 'upstream-voice', voice: 'alloy' });
    mapped.say({ type: 'response.create' });
    await mapped.next('response.done');
    expect((await bills(1))[0]).to.include({ model: 'mapped', upstreamModel: 'upstream-voice' });
  });

  it('tries the next channel as long as no provider has said a word, and tells the last refusal', async () => {
    const [dead, broke] = await gateway.channels([
      { models: ['voice', 'broken'], baseUrl: 'http://127.0.0.1:9', priority: 10 },
      { models: ['broken'], baseUrl: provider.url },
    ]);
    await gateway.options({
      RetryTimes: '2',
      ModelRatio: JSON.stringify({ 'lost-voice': 1, 'far-voice': 1, voice: 2, mapped: 1, 'azure.voice': 1, writer: 1, broken: 1 }),
    });
    await untilServed(gateway, user.token, 'broken');
    const made = await talk();
    made.say({ type: 'response.create' });
    await made.next('response.done');
    expect((await bills(1))[0]).to.have.deep.property('triedChannels', [dead, channel]);
    provider.manner({
      refuse: { status: 401, body: { error: { message: 'Incorrect API key provided: upstream-key-1', code: 'invalid_api_key' } } },
    });
    const { status, error } = await refused(talk({ model: 'broken' }));
    expect(status).to.equal(502);
    expect(error.message).to.contain('refused the account').and.not.contain('upstream-key-1');
    provider.manner({
      refuse: undefined,
      firstWord: { type: 'error', error: { type: 'invalid_request_error', code: 'invalid_model', message: 'No such model' } },
    });
    expect((await refused(talk({ model: 'broken' }))).status).to.equal(400);
    await gateway.changeChannel(dead as number, { status: 2 });
    await gateway.changeChannel(broke as number, { status: 2 });
  });

  it('holds an answer before it may begin, and refuses it when the wallet does not carry it', async () => {
    user = await gateway.user({ balance: 2500 });
    const made = await talk();
    made.say({ type: 'response.create' });
    await made.next('response.created');
    expect(provider.last().of('response.create')[0]?.response).to.have.property('max_output_tokens').that.is.below(1000);
    await made.next('response.done');
    await bills(1);
    made.say({ type: 'response.create', event_id: 'mine' });
    expect(await errorIn(made)).to.include({ code: 'insufficient_user_quota', event_id: 'mine' });
    expect(provider.last().of('response.create')).to.have.length(1);
    await gateway.wallet.post({ id: `more:${user.id}`, userId: user.id, amount: 100_000, reason: 'test' });
    made.say({ type: 'response.create' });
    await made.next('response.done');
    expect(await bills(2)).to.satisfy((all: Json[]) => all.every(({ quota }) => quota === 1990));
  });

  it('holds for the longest answer that the provider has agreed to, and asks for no longer one', async () => {
    const owners: TestUser[] = [];
    const heldAfter = async (session: Json | undefined, refusesUpdates = false) => {
      const own = await gateway.user();
      owners.push(own);
      provider.manner({ stopAfter: 0, refusesUpdates });
      const made = await talk({}, own.token.authorization);
      if (session !== undefined) {
        made.say({ type: 'session.update', session });
        await made.next(refusesUpdates ? 'error' : 'session.updated');
      }
      made.say({ type: 'response.create' });
      await made.next('response.created');
      const held = await gateway.held(own);
      made.socket.terminate();
      return { held, asked: (provider.last().of('response.create')[0]?.response as Json | undefined)?.max_output_tokens };
    };
    const usual = await heldAfter(undefined);
    const short = await heldAfter({ max_output_tokens: 10 });
    expect(short.held).to.be.below(usual.held / 50);
    expect(short.asked).to.equal(10);
    expect(await heldAfter({ max_output_tokens: 10, audio: { output: { voice: 'nobody' } } }, true)).to.deep.equal(usual);

    provider.manner({ stopAfter: Number.POSITIVE_INFINITY, refusesUpdates: false });
    const made = await talk();
    for (const limit of [-1_000_000, 0, 1.5, '7', true, []])
      for (const event of [
        { type: 'session.update', session: { max_output_tokens: limit } },
        { type: 'session.update', session: { max_response_output_tokens: limit } },
        { type: 'response.create', response: { max_output_tokens: limit } },
      ]) {
        made.say(event);
        expect((await errorIn(made)).message, JSON.stringify(event)).to.contain('must be a whole number of at least 1, or "inf"');
      }
    expect(provider.last().events).to.have.length(0);
    for (const own of owners) await eventually(async () => expect(await gateway.openHolds(own)).to.equal(0), patient);
  });

  it('holds for what sound may begin by itself, and stops an answer that nobody can pay', async () => {
    const made = await talk();
    made.say({ type: 'session.update', session: { turn_detection: { type: 'server_vad' } } });
    await made.next('session.updated');
    made.say({ type: 'input_audio_buffer.append', audio: tenthOfSecond });
    await eventually(async () => expect(await gateway.openHolds(user), 'of the session and its answer').to.equal(2), patient);
    const { say: speak } = provider.last();
    speak({ type: 'response.created', response: { id: 'resp_auto' } });
    speak({ type: 'response.output_audio.delta', response_id: 'resp_auto', delta: tenthOfSecond });
    speak({ type: 'response.done', response: { id: 'resp_auto', status: 'completed', usage: usualUsage } });
    await made.next('response.done');
    expect((await bills(1))[0]).to.include({ quota: 1990 });

    const poor = await gateway.user({ balance: 1000 });
    const broke = await talk({}, poor.token.authorization);
    await gateway.wallet.post({ id: `spent:${poor.id}`, userId: poor.id, amount: -1000, reason: 'test' });
    broke.say({ type: 'session.update', session: { turn_detection: { type: 'server_vad' } } });
    await broke.next('session.updated');
    for (let piece = 0; piece < 3; piece += 1) broke.say({ type: 'input_audio_buffer.append', audio: tenthOfSecond });
    expect((await errorIn(broke)).code).to.equal('insufficient_user_quota');
    provider.last().say({ type: 'response.created', response: { id: 'resp_free' } });
    await eventually(() => expect(provider.last().of('response.cancel')[0]).to.have.property('response_id', 'resp_free'), patient);
    expect(provider.last().of('input_audio_buffer.append')).to.have.length(0);
    expect(broke.heard.filter(({ type }) => type === 'error')).to.have.length(2);
  });

  it('takes an answer that a provider begins twice for one', async () => {
    const made = await talk();
    made.say({ type: 'session.update', session: { turn_detection: { type: 'server_vad' } } });
    await made.next('session.updated');
    made.say({ type: 'input_audio_buffer.append', audio: tenthOfSecond });
    await eventually(async () => expect(await gateway.openHolds(user), 'of the session and its answer').to.equal(2), patient);
    const { say: speak } = provider.last();
    for (let turn = 0; turn < 2; turn += 1) {
      speak({ type: 'response.created', response: { id: 'resp_again' } });
      speak({ type: 'response.output_audio.delta', response_id: 'resp_again', delta: tenthOfSecond });
    }
    for (let turn = 0; turn < 2; turn += 1) speak({ type: 'response.done', response: { id: 'resp_again', usage: usualUsage } });
    await made.next('response.done');
    await made.next('response.done');
    expect((await bills(1))[0]).to.include({ quota: 1990 });
    expect(await gateway.openHolds(user), 'of the session').to.equal(1);
  });

  it('charges what is written down of the sound by the price of the model that writes', async () => {
    const made = await talk();
    made.say({ type: 'session.update', session: { input_audio_transcription: { model: 'nobody-knows' } } });
    expect(await errorIn(made)).to.include({ code: 'unpriced_model' });
    made.say({ type: 'session.update', session: { turn_detection: null, input_audio_transcription: { model: 'writer' } } });
    await made.next('session.updated');
    const speak = async () => {
      for (let piece = 0; piece < 10; piece += 1) made.say({ type: 'input_audio_buffer.append', audio: tenthOfSecond });
      made.say({ type: 'input_audio_buffer.commit' });
      const { item_id } = await made.next('input_audio_buffer.committed');
      expect(await gateway.openHolds(user), 'of the session and its transcript').to.equal(2);
      const type = 'conversation.item.input_audio_transcription.completed';
      provider.last().say({ type, item_id, transcript: 'one', usage: { type: 'duration', seconds: 1 } });
      await made.next(type);
    };
    const nameless = 'conversation.item.input_audio_transcription.failed';
    provider.last().say({ type: nameless, item_id: { toString: 1 } });
    await made.next(nameless);
    await speak();
    const [bill] = await bills(1);
    expect(bill).to.include({ mode: 'transcription', model: 'writer', quota: 50, usageSource: 'upstream' });
    provider.manner({ refusesUpdates: true });
    made.say({ type: 'session.update', session: { input_audio_transcription: null, voice: 'nobody' } });
    await errorIn(made);
    await speak();
    expect((await bills(2)).map(({ quota }) => quota)).to.deep.equal([50, 50]);
    expect(bill?.sessionId).to.be.a('string');
  });

  it('charges each transcript, however much sound came at once', async () => {
    const made = await talk();
    const session = { turn_detection: { type: 'server_vad', create_response: false }, input_audio_transcription: { model: 'writer' } };
    made.say({ type: 'session.update', session });
    await made.next('session.updated');
    const sixSeconds = Buffer.alloc(60 * 4_800).toString('base64');
    made.say({ type: 'input_audio_buffer.append', audio: sixSeconds });
    await eventually(() => expect(provider.last().of('input_audio_buffer.append')).to.have.length(1), patient);
    const items = ['first', 'second', 'third'];
    for (const item_id of items) {
      provider.last().say({ type: 'input_audio_buffer.committed', item_id });
      await made.next('input_audio_buffer.committed');
    }
    for (const item_id of [...items, 'untold']) {
      const type = 'conversation.item.input_audio_transcription.completed';
      provider.last().say({ type, item_id, transcript: 'one', usage: { type: 'duration', seconds: 1 } });
      await made.next(type);
    }
    for (const bill of await bills(4)) expect(bill).to.include({ mode: 'transcription', quota: 50, usageSource: 'upstream' });
  });

  it('charges an answer whose provider tells no bill, or an impossible one, by what was delivered', async () => {
    provider.manner({ usage: null });
    const made = await talk();
    made.say({ type: 'response.create' });
    await made.next('response.done');
    provider.manner({ usage: { input_tokens: -5, output_tokens: 1e12 } });
    made.say({ type: 'response.create' });
    await made.next('response.done');
    for (const bill of await bills(2)) {
      expect(bill).to.include({ usageSource: 'estimated', endReason: 'complete' });
      expect(bill.usage).to.include({ audioOutput: 4 }); // twice 100 ms
      expect((bill.usage as { textOutput: number }).textOutput).to.be.within(3, 9);
    }
  });

  it('charges what was delivered when the provider dies in the middle, and tells the caller', async () => {
    provider.manner({ stopAfter: 4 });
    const made = await talk();
    made.say({ type: 'response.create' });
    await made.next('response.output_audio.delta');
    provider.last().socket.terminate();
    expect((await errorIn(made)).code).to.equal('upstream_interrupted');
    expect(await made.closed()).to.equal(1011);
    expect((await bills(1))[0]).to.include({ endReason: 'upstream_died', usageSource: 'estimated' });
  });

  it('gives back what is being held at the moment its provider leaves', async () => {
    for (let round = 0; round < 10; round += 1) {
      const made = await talk();
      await made.next('session.created');
      for (let asked = 0; asked < 3; asked += 1) made.say({ type: 'response.create' });
      provider.last().socket.terminate();
      await made.closed();
    }
    await eventually(async () => expect(await gateway.openHolds(user)).to.equal(0));
  });

  it('lets a caller leave in the middle: the answer is stopped and charged as its provider counts it', async () => {
    provider.manner({ stopAfter: 4, words: 1000 });
    const made = await talk();
    made.say({ type: 'response.create' });
    await made.next('response.output_text.delta');
    made.socket.terminate();
    expect((await bills(1))[0]).to.include({ endReason: 'client_gone', usageSource: 'upstream', quota: 1990 });
    await eventually(() => expect(provider.last().socket.readyState).to.equal(3), patient);
  });

  it('ends within seconds when the token is deleted or its owner banned', async () => {
    const made = await talk();
    await made.next('session.created');
    await Token.updateOne({ id: user.token.id }, { $set: { deletedAt: new Date() } });
    const deletedAt = performance.now();
    await gateway.announce('token', user.token.id);
    expect((await errorIn(made)).code).to.equal('invalid_api_key');
    expect(await made.closed()).to.equal(1008);
    expect(performance.now() - deletedAt).to.be.below(20_000);
  });

  it('ends within seconds when its channel is switched off or deleted, and the answer that runs is charged', async () => {
    const lost = await gateway.channel({ models: ['lost-voice'], baseUrl: provider.url });
    await untilServed(gateway, user.token, 'lost-voice');
    const changes = [
      () => gateway.changeChannel(lost, { status: channelStatus.disabled }),
      async () => {
        await Channel.deleteOne({ id: lost });
        await gateway.announce('channel', lost);
      },
    ];
    for (const [turn, change] of changes.entries()) {
      provider.manner({ stopAfter: 4, words: 1000 });
      const made = await talk({ model: 'lost-voice' });
      made.say({ type: 'response.create' });
      await made.next('response.output_text.delta');
      await change();
      expect((await errorIn(made)).code).to.equal('channel_disabled');
      expect(await made.closed()).to.equal(1013);
      expect((await bills(turn + 1))[turn]).to.include({ endReason: 'shutdown', usageSource: 'upstream' });
      await eventually(() => expect(provider.last().socket.readyState).to.equal(3), patient);
      if (turn > 0) continue;
      await gateway.changeChannel(lost, { status: channelStatus.enabled });
      await untilServed(gateway, user.token, 'lost-voice');
    }
  });

  it('charges what was delivered when the provider dies within a frame', async () => {
    provider.manner({ stopAfter: 4 });
    const made = await talk();
    made.say({ type: 'response.create' });
    await made.next('response.output_audio.delta');
    const { _socket: line } = provider.last().socket as unknown as { _socket: Socket };
    const half = Buffer.from('{"type":"response.output_text.delta","delta":"never whole');
    line.end(Buffer.concat([Buffer.from([0x81, 126, 4, 0]), half])); // a text of 1 024 bytes, of which few come
    expect((await errorIn(made)).code).to.equal('upstream_interrupted');
    expect(await made.closed()).to.equal(1011);
    expect(made.heard.filter((event) => JSON.stringify(event).includes('never whole'))).to.deep.equal([]);
    expect((await bills(1))[0]).to.include({ endReason: 'upstream_died', usageSource: 'estimated' });
  });

  it('goes through the proxy of its channel and by no other way', async () => {
    const proxy = await startConnectProxy();
    const proxied = await gateway.channel({
      models: ['far-voice'],
      baseUrl: provider.url,
      setting: JSON.stringify({ proxy: seal(proxy.url, 'channel proxy') }),
    });
    await untilServed(gateway, user.token, 'far-voice');
    const made = await talk({ model: 'far-voice' });
    await made.next('session.created');
    made.say({ type: 'response.create' });
    await made.next('response.done');
    await bills(1);
    expect(proxy.through).to.deep.equal([`${new URL(provider.url).host} ${proxyCredentials}`]);
    made.socket.close();
    proxy.close();
    const { length: sessions } = provider.sessions;
    await gateway.changeChannel(proxied, { setting: JSON.stringify({ proxy: 'http://127.0.0.1:9' }) });
    await eventually(async () => {
      const { status, error } = await refused(talk({ model: 'far-voice' }));
      expect(status).to.equal(502);
      expect(JSON.stringify(error)).to.not.include('127.0.0.1');
    }, patient);
    expect(provider.sessions).to.have.length(sessions);
  });

  it('refuses what changes the price or the model and has no price, and passes what it does not know', async () => {
    const made = await talk();
    const cases: [Json, Json][] = [
      [{ type: 'session.update', session: { model: 'other' } }, { param: 'session.model' }],
      [{ type: 'session.update', session: { tools: [{ type: 'mcp', server_label: 'x' }] } }, { code: 'unpriced_request_field' }],
      [{ type: 'response.create', response: { tools: [{ type: 'web_search' }] } }, { code: 'unpriced_request_field' }],
      [{ type: 'session.update', session: { tools: [null] } }, { param: 'session.tools' }],
      [{ type: 'response.create', response: { tools: { type: 'function' } } }, { param: 'response.tools' }],
      [{ type: 'session.update', session: { prompt: { id: 'pmpt_1' } } }, { param: 'session.prompt.id' }],
      [
        { type: 'response.create', response: { audio: { output: { voice: { id: 'voice_1' } } } } },
        { param: 'response.audio.output.voice.id' },
      ],
      [{ type: 'session.update', session: { type: 'transcription' } }, { param: 'session.type' }],
      [{ type: 'transcription_session.update', session: {} }, { param: 'type' }],
      [{ type: 'session.update', Session: { model: 'other' } }, { param: 'Session' }],
      [{ type: 'session.update', session: { Tools: [{ type: 'mcp' }] } }, { param: 'Tools' }],
      [say('a forbidden-word'), { code: 'sensitive_words_detected' }],
      [{ type: 'session.update', session: { instructions: 'FORBIDDEN-word' } }, { code: 'sensitive_words_detected' }],
      [say(`${'long '.repeat(20_000)} forbidden-word`), { code: 'sensitive_words_detected' }],
      [{ type: 'input_audio_buffer.append', audio: 5 }, { code: 'invalid_json' }],
      [{ no: 'type' }, { param: 'type' }],
    ];
    for (const [event, error] of cases) {
      made.say({ ...event, event_id: 'mine' });
      expect(await errorIn(made), JSON.stringify(event).slice(0, 100)).to.include({ ...error, event_id: 'mine' });
    }
    const doubled = '{"type":"session.update","session":{"input_audio_transcription":{"model":"unpriced-x","model":"whisper-1"}}}';
    made.socket.send(doubled);
    expect((await errorIn(made)).message).to.contain('a key twice');
    made.socket.send(doubled.replace('"whisper-1"', `"whisper-1","prompt":"${'long '.repeat(20_000)}"`));
    expect((await errorIn(made)).message).to.contain('a key twice');
    made.socket.send('{"type":');
    expect(await errorIn(made)).to.include({ code: 'invalid_json' });
    made.socket.send(Buffer.from([1, 2, 3]));
    expect((await errorIn(made)).message).to.contain('binary');
    made.socket.send('['.repeat(200_000));
    expect(await errorIn(made)).to.include({ code: 'invalid_json' });
    expect(provider.last().events).to.have.length(0);
    made.say({ type: 'something.new', event_id: 'n', nested: { a: [1] } });
    await eventually(() => expect(provider.last().of('something.new')).to.have.length(1), patient);
    const [passed] = provider.last().events;
    expect(passed).to.deep.equal({ type: 'something.new', event_id: passed?.event_id, nested: { a: [1] } });
    provider.last().say({ type: 'also.new', x: 1 });
    expect(await made.next('also.new')).to.include({ x: 1 });
    const text = `${'long "quoted" \\ '.repeat(20_000)}é`;
    made.say(say(text));
    await made.next('conversation.item.created');
    expect(provider.last().of('conversation.item.create')[0]).to.deep.equal(say(text));
    expect(await gateway.events(user)).to.have.length(0);
  });

  it('closes on a message of 50 MB, and on a provider that says no event', async () => {
    const made = await talk();
    await made.next('session.created');
    made.socket.send(Buffer.alloc(50 << 20, 0x20), { binary: false }, () => undefined);
    expect(await made.closed()).to.be.oneOf([1009, 1006]);
    for (const bad of ['no json', '[1]', Buffer.from([1, 2])]) {
      const other = await talk();
      await other.next('session.created');
      provider.last().socket.send(bad);
      expect((await errorIn(other)).code).to.equal('upstream_bad_answer');
      expect(await other.closed()).to.equal(1011);
    }
  });

  it('gives back what was held for an answer that its provider refuses to begin, and hides whose account it is', async () => {
    const made = await talk();
    await made.next('session.created');
    provider.last().socket.removeAllListeners('message');
    const asked: Json[] = [];
    provider.last().socket.on('message', (data) => asked.push(JSON.parse(String(data)) as Json));
    made.say({ type: 'response.create' });
    await eventually(() => expect(asked).to.have.length(1), patient);
    expect(await gateway.openHolds(user), 'of the session and its answer').to.equal(2);
    const error = {
      type: 'invalid_request_error',
      code: 'insufficient_quota',
      message: 'org-secret99 owes money',
      event_id: asked[0]?.event_id,
    };
    provider.last().say({ type: 'error', error });
    expect((await errorIn(made)).message)
      .to.contain('refused the account')
      .and.not.contain('org-secret99');
    await eventually(async () => expect(await gateway.openHolds(user), 'of the session').to.equal(1), patient);
    expect(await gateway.events(user)).to.have.length(0);
  });

  it('does not read a provider on while the caller takes nothing, and the other way round', async () => {
    const made = await talk();
    await made.next('session.created');
    const { socket, events } = provider.last();
    made.socket.pause();
    const filler = JSON.stringify({ type: 'filler', text: 'x'.repeat(1 << 20) });
    for (let piece = 0; piece < 24; piece += 1) socket.send(filler);
    await eventually(() => expect(socket.bufferedAmount).to.be.greaterThan(2 << 20), patient);
    made.socket.resume();
    await eventually(() => expect(made.heard.filter(({ type }) => type === 'filler')).to.have.length(24), patient);
    socket.pause();
    for (let piece = 0; piece < 24; piece += 1) made.socket.send(filler);
    await eventually(() => expect(made.socket.bufferedAmount).to.be.greaterThan(2 << 20), patient);
    socket.resume();
    await eventually(() => expect(events).to.have.length(24), patient);
  });
});

describe('Spoken sessions that last too long', function () {
  this.timeout(120_000);
  let gateway: Gateway;
  let provider: RealtimeProvider;
  let user: TestUser;

  before(async () => {
    provider = await startRealtimeProvider();
    gateway = await startGateway({ RELAY_REALTIME_IDLE_MS: '1500', RELAY_REALTIME_LIFE_MS: '4000', RELAY_STOP_GRACE_MS: '500' });
    await gateway.channel({ models: ['voice'], baseUrl: provider.url });
    await gateway.options({ ModelRatio: '{"voice":1}' });
    user = await gateway.user();
    await untilServed(gateway, user.token, 'voice');
  });
  after(() => provider?.close());

  it('end when nobody says anything, and when their time is over', async () => {
    const silent = await talkAt(gateway.url, user.token.authorization);
    const lively = await talkAt(gateway.url, user.token.authorization);
    const openedAt = performance.now();
    const chatter = setInterval(() => lively.say({ type: 'ping' }), 200);
    expect(await silent.closed()).to.equal(1000);
    expect(silent.heard.at(-1)).to.have.nested.property('error.code', 'session_over');
    expect(await lively.closed()).to.equal(1000);
    clearInterval(chatter);
    expect(performance.now() - openedAt).to.be.greaterThan(3_500);
  });

  it('end in words when the relay stops, charged for what they delivered', async () => {
    provider.manner({ stopAfter: 4 });
    const made = await talkAt(gateway.url, user.token.authorization);
    made.say({ type: 'response.create' });
    await made.next('response.output_audio.delta');
    const stopped = gateway.stop();
    expect(((await made.next('error')).error as Json).code).to.equal('service_unavailable');
    expect(await made.closed()).to.equal(1001);
    await stopped;
    const redis = new Redis(gateway.env.REDIS_URL ?? '');
    const [hold, ...more] = await redis.keys(holdKey(user.id, '*'));
    const bill = JSON.parse((await redis.hget(hold ?? '', 'event')) ?? '{}') as Json;
    await redis.quit();
    expect(more).to.have.length(0);
    expect(bill).to.include({ endReason: 'shutdown', usageSource: 'upstream' });
  });
});
