import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { type RealtimeProvider, startRealtimeProvider, tenthOfSecond, usualUsage } from './support/realtime-provider.ts';
import { Refused, type Talk, talkAt } from './support/talk.ts';

type Json = Record<string, unknown>;
const patient = { timeoutMs: 30_000 };
const transcript = 'conversation.item.input_audio_transcription';
/** So many seconds of audio as base64: G.711, and 16-bit samples at 24 kHz. */
const g711 = (seconds: number) => Buffer.alloc(8_000 * seconds).toString('base64');
const pcm16 = (seconds: number) => Buffer.alloc(48_000 * seconds).toString('base64');

describe('What a realtime session is charged', function () {
  this.timeout(120_000);
  let gateway: Gateway;
  let provider: RealtimeProvider;
  let user: TestUser;
  const talks: Talk[] = [];

  before(async () => {
    provider = await startRealtimeProvider();
    gateway = await startGateway({ RELAY_TURN_MS: '300' });
    await gateway.channel({ models: ['voice', 'free-voice'], baseUrl: provider.url });
    await gateway.options({
      ModelRatio: JSON.stringify({ voice: 2, 'free-voice': 0, writer: 1 }),
      CompletionRatio: JSON.stringify({ voice: 4 }),
      CacheRatio: JSON.stringify({ voice: 0.5 }),
      AudioRatio: JSON.stringify({ voice: 8 }),
      AudioCompletionRatio: JSON.stringify({ voice: 2 }),
      ModelMaxOutput: JSON.stringify({ voice: 1000, 'free-voice': 1000 }),
      PiecePrice: JSON.stringify({ writer: { seconds: 0.0001 } }), // 50 a second
    });
    user = await gateway.user();
    await untilServed(gateway, user.token, 'voice');
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
    await expectBooks();
  });

  const talk = async (options: Parameters<typeof talkAt>[2] = {}, authorization = user.token.authorization) => {
    const made = await talkAt(gateway.url, authorization, options);
    talks.push(made);
    await made.next('session.created');
    return made;
  };
  const bills = (count: number) =>
    eventually(async () => {
      const events = await gateway.events(user);
      expect(events).to.have.length(count);
      return events;
    }, patient);
  const seconds = async (count: number) => (await bills(count)).map(({ quota }) => Number(quota) / 50);

  /** What is taken from the wallet is what the rows say was collected. */
  async function expectBooks(): Promise<void> {
    const events = (await gateway.events(user)) as unknown as { quota: number; uncollected: number }[];
    const stored = await Promise.all((await gateway.redis.keys(`*hold:${user.id}:*`)).map((key) => gateway.redis.hgetall(key)));
    const uncollected = stored.reduce((sum, hold) => sum + Number(hold.uncollected ?? 0), 0);
    expect(await gateway.held(user)).to.equal(events.reduce((sum, { quota }) => sum + quota, 0) - uncollected);
  }

  /** A session whose balance is spent while it is open. */
  async function brokeTalk(): Promise<Talk> {
    user = await gateway.user({ balance: 100_000 });
    const made = await talk();
    await gateway.wallet.post({ id: `spent:${user.id}`, userId: user.id, amount: -100_000, reason: 'test' });
    return made;
  }

  /** A session in which the provider writes down what it hears. */
  async function transcribedTalk(session: Json = {}): Promise<Talk> {
    const made = await talk();
    made.say({ type: 'session.update', session: { turn_detection: null, input_audio_transcription: { model: 'writer' }, ...session } });
    await made.next('session.updated');
    return made;
  }
  const writeDown = (item_id: unknown, usage?: Json) => {
    const stated = usage === undefined ? {} : { usage };
    provider.last().say({ type: `${transcript}.completed`, item_id, content_index: 0, transcript: 'one', ...stated });
  };

  it('keeps the hold of an answer when another event with the same id is refused', async () => {
    const made = await talk();
    made.say({ type: 'bogus', event_id: 'X' });
    made.say({ type: 'response.create', event_id: 'X' });
    await made.next('response.created');
    const [bogus] = provider.last().of('bogus');
    const [create] = provider.last().of('response.create');
    expect(new Set([bogus?.event_id, create?.event_id, 'X'])).to.have.property('size', 3);
    await made.next('response.done');

    provider.manner({ refuses: ['bogus'], paceMs: 50 });
    made.say({ type: 'bogus', event_id: 'X' });
    made.say({ type: 'response.create', event_id: 'X' });
    expect(((await made.next('error')).error as Json).event_id, 'in the client’s own words').to.equal('X');
    await eventually(async () => expect(await gateway.openHolds(user), 'of the session and its answer').to.equal(2), patient);
    await made.next('response.done');
    expect((await bills(2)).map(({ quota }) => quota)).to.deep.equal([1990, 1990]);
  });

  it('drops the hold of the refused answer only', async () => {
    const made = await talk();
    const { socket, events, of, say } = provider.last();
    socket.removeAllListeners('message');
    socket.on('message', (data) => events.push(JSON.parse(String(data)) as Json));
    made.say({ type: 'response.create', event_id: 'same' });
    await eventually(() => expect(of('response.create')).to.have.length(1), patient);
    const ofLong = await gateway.held(user);
    made.say({ type: 'response.create', event_id: 'same', response: { max_output_tokens: 10 } });
    await eventually(() => expect(of('response.create')).to.have.length(2), patient);
    const ofBoth = await gateway.held(user);
    const refusal = { type: 'invalid_request_error', message: 'No', event_id: of('response.create')[0]?.event_id };
    for (let times = 0; times < 2; times += 1) say({ type: 'error', error: refusal });
    await made.next('error');
    await made.next('error');
    const ofSession = 1;
    await eventually(async () => expect(await gateway.held(user)).to.equal(ofBoth - ofLong + ofSession), patient);
  });

  it('delivers nothing of an answer that could not be held, and records its cost as not collected', async () => {
    const made = await brokeTalk();
    made.say({ type: 'response.create', event_id: 'mine' });
    expect(((await made.next('error')).error as Json).event_id).to.equal('mine');
    const { say } = provider.last();
    const item = { id: 'item_secret', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    const whole = { ...item, status: 'completed', content: [{ type: 'output_text', text: 'SECRET' }] };
    const own = { response_id: 'resp_free', item_id: item.id, output_index: 0, content_index: 0 };
    say({ type: 'response.created', response: { id: 'resp_free' } });
    say({ type: 'conversation.item.added', item });
    say({ type: 'response.output_item.added', item, ...own });
    say({ type: 'response.output_text.delta', delta: 'SECRET', ...own });
    say({ type: 'response.output_audio.delta', delta: tenthOfSecond, ...own });
    say({ type: 'response.output_text.done', text: 'SECRET', ...own });
    say({ type: 'conversation.item.done', item: whole });
    say({ type: 'response.done', response: { id: 'resp_free', status: 'cancelled', output: [whole], usage: usualUsage } });
    say({ type: 'conversation.item.retrieved', item: whole });
    say({ type: 'response.output_text.delta', delta: 'SECRET', ...own });
    say({ type: 'marker' });
    await made.next('marker');
    expect(JSON.stringify(made.heard)).to.not.match(/SECRET|resp_free|item_secret/);
    expect(provider.last().of('response.cancel')).to.have.length(1);
    const [bill] = await bills(1);
    expect(bill).to.include({ quota: 1990, endReason: 'balance', usageSource: 'upstream' });
    const [key] = await gateway.redis.keys(`*hold:${user.id}:${bill?.id}`);
    expect(await gateway.redis.hget(key ?? '', 'uncollected')).to.equal('1990');
  });

  it('counts an answer that begins without response.created, and one that ends at once', async () => {
    const made = await talk();
    const { say } = provider.last();
    say({ type: 'response.output_text.delta', response_id: 'resp_a', delta: 'w ' });
    say({ type: 'response.done', response: { id: 'resp_a', usage: usualUsage } });
    say({ type: 'response.done', response: { id: 'resp_b', usage: usualUsage } });
    await made.next('response.done');
    await made.next('response.done');
    await bills(2);
    say({ type: 'response.output_text.delta', response_id: 'resp_a', delta: 'more' });
    say({ type: 'marker' });
    await made.next('marker');
    expect(JSON.stringify(made.heard), 'behind its end').to.not.contain('more');
  });

  it('charges audio that is committed although the client clears the buffer at once', async () => {
    provider.manner({ answersLate: true });
    const made = await transcribedTalk({ input_audio_format: 'g711_ulaw' });
    made.say({ type: 'input_audio_buffer.append', audio: g711(60) });
    made.say({ type: 'input_audio_buffer.commit' });
    made.say({ type: 'input_audio_buffer.clear' });
    const { item_id } = await made.next('input_audio_buffer.committed');
    writeDown(item_id);
    expect(await seconds(1)).to.deep.equal([60]);
  });

  it('charges each of many commits that were sent without waiting', async () => {
    provider.manner({ answersLate: true });
    const made = await transcribedTalk({ input_audio_format: 'g711_ulaw' });
    for (let turn = 0; turn < 10; turn += 1) {
      made.say({ type: 'input_audio_buffer.append', audio: g711(10) });
      made.say({ type: 'input_audio_buffer.commit' });
    }
    for (let turn = 0; turn < 10; turn += 1) writeDown((await made.next('input_audio_buffer.committed')).item_id);
    expect(await seconds(10)).to.deep.equal(Array(10).fill(10));
  });

  it('keeps audio whose commit is refused, and drops audio that is cleared', async () => {
    const made = await transcribedTalk({ input_audio_format: 'g711_ulaw' });
    provider.manner({ refuses: ['input_audio_buffer.commit'] });
    made.say({ type: 'input_audio_buffer.append', audio: g711(7) });
    made.say({ type: 'input_audio_buffer.commit' });
    await made.next('error');
    provider.manner({ refuses: [] });
    made.say({ type: 'input_audio_buffer.append', audio: g711(3) });
    made.say({ type: 'input_audio_buffer.commit' });
    writeDown((await made.next('input_audio_buffer.committed')).item_id);
    made.say({ type: 'input_audio_buffer.append', audio: g711(50) });
    made.say({ type: 'input_audio_buffer.clear' });
    made.say({ type: 'input_audio_buffer.append', audio: g711(2) });
    made.say({ type: 'input_audio_buffer.commit' });
    writeDown((await made.next('input_audio_buffer.committed')).item_id);
    expect((await seconds(2)).sort((a, b) => a - b)).to.deep.equal([2, 10]);
  });

  it('takes audio formats over when the provider confirms them, until then the one that makes more seconds', async () => {
    const made = await transcribedTalk({ input_audio_format: 'g711_ulaw' });
    provider.manner({ refusesUpdates: true });
    made.say({ type: 'session.update', session: { input_audio_format: 'pcm16', nonsense: true } });
    await made.next('error');
    made.say({ type: 'input_audio_buffer.append', audio: g711(60) });
    made.say({ type: 'input_audio_buffer.commit' });
    writeDown((await made.next('input_audio_buffer.committed')).item_id);
    expect(await seconds(1)).to.deep.equal([60]);
    provider.manner({ refusesUpdates: false, answersLate: true });
    made.say({ type: 'session.update', session: { audio: { input: { format: { type: 'audio/pcm', rate: 24_000 } } } } });
    made.say({ type: 'input_audio_buffer.append', audio: g711(6) });
    made.say({ type: 'input_audio_buffer.commit' });
    writeDown((await made.next('input_audio_buffer.committed')).item_id);
    expect((await seconds(2)).sort((a, b) => a - b)).to.deep.equal([6, 60]);
    made.say({ type: 'input_audio_buffer.append', audio: pcm16(3) });
    made.say({ type: 'input_audio_buffer.commit' });
    writeDown((await made.next('input_audio_buffer.committed')).item_id);
    expect((await seconds(3)).sort((a, b) => a - b)).to.deep.equal([3, 6, 60]);
  });

  it('believes a provider that counts more seconds, up to what the bytes can be', async () => {
    const made = await transcribedTalk();
    for (const [stated, charged] of [
      [5, 5],
      [1e6, 1],
    ]) {
      made.say({ type: 'input_audio_buffer.append', audio: pcm16(1) }); // as G.711 six seconds
      made.say({ type: 'input_audio_buffer.commit' });
      writeDown((await made.next('input_audio_buffer.committed')).item_id, { type: 'duration', seconds: stated });
      await eventually(
        async () => expect((await gateway.events(user)).map(({ quota }) => Number(quota) / 50)).to.include(charged),
        patient,
      );
    }
    await bills(2);
  });

  it('charges turns that the provider cuts by where it says they begin and end', async () => {
    const made = await transcribedTalk({ turn_detection: { type: 'server_vad', create_response: false }, input_audio_format: 'g711_ulaw' });
    made.say({ type: 'input_audio_buffer.append', audio: g711(60) });
    await eventually(() => expect(provider.last().of('input_audio_buffer.append')).to.have.length(1), patient);
    for (const [item_id, from, to] of [
      ['a', 5_000, 15_000],
      ['b', 20_000, 40_000],
    ] as const) {
      const { say } = provider.last();
      say({ type: 'input_audio_buffer.speech_started', item_id, audio_start_ms: from });
      say({ type: 'input_audio_buffer.speech_stopped', item_id, audio_end_ms: to });
      say({ type: 'input_audio_buffer.committed', item_id });
      writeDown(item_id);
      await made.next(`${transcript}.completed`);
    }
    expect((await seconds(2)).sort((a, b) => a - b)).to.deep.equal([10, 20]);
  });

  it('charges a transcript that was delivered in pieces although its session ends before it does', async () => {
    const made = await transcribedTalk();
    made.say({ type: 'input_audio_buffer.append', audio: pcm16(20) });
    made.say({ type: 'input_audio_buffer.commit' });
    const { item_id } = await made.next('input_audio_buffer.committed');
    provider.last().say({ type: `${transcript}.delta`, item_id, content_index: 0, delta: 'all of it' });
    await made.next(`${transcript}.delta`);
    made.socket.terminate();
    expect(await seconds(1)).to.deep.equal([20]);
  });

  it('delivers no transcript that could not be held, and records its cost', async () => {
    user = await gateway.user({ balance: 10_000 });
    const made = await transcribedTalk({ turn_detection: { type: 'server_vad', create_response: false } });
    await gateway.wallet.post({ id: `spent:${user.id}`, userId: user.id, amount: -10_000, reason: 'test' });
    const { say } = provider.last();
    say({ type: 'input_audio_buffer.committed', item_id: 'a' });
    say({ type: `${transcript}.delta`, item_id: 'a', delta: 'SECRET' });
    say({ type: `${transcript}.completed`, item_id: 'a', transcript: 'SECRET', usage: { type: 'duration', seconds: 1 } });
    say({ type: 'marker' });
    await made.next('marker');
    expect(JSON.stringify(made.heard)).to.not.contain('SECRET');
    expect((await bills(1))[0]).to.include({ quota: 50 });
  });

  it('holds for the whole length of audio before it is transcribed', async () => {
    user = await gateway.user({ balance: 5_000 }); // a hundred seconds
    const made = await transcribedTalk({ input_audio_format: 'g711_ulaw' });
    made.say({ type: 'input_audio_buffer.append', audio: g711(90) });
    made.say({ type: 'input_audio_buffer.append', audio: g711(90), event_id: 'more' });
    expect(((await made.next('error')).error as Json).event_id).to.equal('more');
    expect(provider.last().of('input_audio_buffer.append')).to.have.length(1);
  });

  it('refuses a transcription model that the token does not include', async () => {
    user.token = await gateway.token(user, { modelLimitsEnabled: true, modelLimits: ['voice'] });
    const made = await talk();
    for (const session of [
      { input_audio_transcription: { model: 'writer' } },
      { audio: { input: { transcription: { model: 'writer' } } } },
      { input_audio_transcription: null, audio: { input: { transcription: { model: 'writer' } } } },
    ]) {
      made.say({ type: 'session.update', session });
      expect((await made.next('error')).error).to.include({ code: 'model_not_found' });
    }
    expect(provider.last().of('session.update')).to.have.length(0);
    const ids = made.heard.filter(({ type }) => type === 'error').map(({ event_id }) => event_id);
    expect(new Set(ids).size, 'each error event has an id of its own').to.equal(ids.length);
  });

  describe('as a call of its own', () => {
    const refusal = async (authorization: string, model = 'voice') => {
      const failure = await talkAt(gateway.url, authorization, { model }).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(Refused);
      const { status, body } = failure as Refused;
      return { status, code: (JSON.parse(body) as { error: Json }).error.code };
    };

    it('counts against the calls at once of its token while it is open, and its answers do not', async () => {
      user.token = await gateway.token(user, { mostAtOnce: 1 });
      const made = await talk();
      expect(await refusal(user.token.authorization)).to.deep.equal({ status: 429, code: 'rate_limit_exceeded' });
      made.say({ type: 'response.create' });
      await made.next('response.done');
      await bills(1);
      made.socket.close();
      await eventually(async () => void (await talk()), patient);
    });

    it('counts against the requests of a minute, failed or not', async () => {
      user.token = await gateway.token(user, { requestsPerMinute: 2 });
      await talk();
      await talk();
      expect(await refusal(user.token.authorization)).to.deep.equal({ status: 429, code: 'rate_limit_exceeded' });
      expect(provider.sessions).to.have.length(2);
    });

    it('needs a balance, unless its model is free, and holds some of it while it is open', async () => {
      const poor = await gateway.user({ balance: 0 });
      expect(await refusal(poor.token.authorization)).to.deep.equal({ status: 403, code: 'insufficient_user_quota' });
      expect(provider.sessions).to.have.length(0);
      const free = await talkAt(gateway.url, poor.token.authorization, { model: 'free-voice' });
      free.socket.terminate();
      await talk();
      expect(await gateway.openHolds(user)).to.equal(1);
      expect(await gateway.held(user)).to.equal(1);
    });

    it('ends with an error event when its balance has been gone for a while', async () => {
      const made = await brokeTalk();
      expect((await made.next('error')).error).to.include({ code: 'insufficient_user_quota' });
      expect(await made.closed()).to.equal(1008);
      await eventually(() => expect(provider.last().socket.readyState).to.equal(3), patient);
    });
  });
});
