import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import type { HandMadeBill } from './bills/hand-made-bill.ts';
import { mediaBills } from './bills/media.ts';
import { otherBills } from './bills/others.ts';
import { priceList, priceOptions } from './bills/price-list.ts';
import { textBills } from './bills/texts.ts';
import { type EndlessProvider, type MannerName, manners, startEndlessProvider } from './support/endless-provider.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { talkAt } from './support/talk.ts';

/** Of each mode its first call in the table of bills, so that whole answers of every mode are asked for. */
const ofEachMode = [...new Map([...textBills, ...mediaBills, ...otherBills].toReversed().map((bill) => [bill.mode, bill])).values()].filter(
  ({ mode }) => mode !== 'realtime',
);
const asked = [{ role: 'user', content: 'Hello there' }];
const chat = { path: '/v1/chat/completions', body: { model: 'texts', stream: true, messages: asked } };
const ofMessages = { path: '/v1/messages', body: { model: 'texts', stream: true, max_tokens: 100, messages: asked } };
const ofResponses = { path: '/v1/responses', body: { model: 'texts', stream: true, input: 'Hello there' } };
const ofGemini = {
  path: '/v1beta/models/texts:streamGenerateContent?alt=sse',
  body: { contents: [{ role: 'user', parts: [{ text: 'Hello there' }] }] },
};
const streams = { 'who speaks as it does': chat, 'of Messages': ofMessages, 'of Responses': ofResponses, 'of generateContent': ofGemini };
const typesOf: Partial<Record<MannerName, number>> = { thoughts: 14, framed: 33, pondered: 33 };
const longestAnswer = 4 << 20;
/** What the lines between take besides, and what was under way. */
const mostTaken = longestAnswer + (24 << 20);
const mostMemory = 256 << 20;

describe('A provider who sends a gigabyte', function () {
  this.timeout(120_000);
  let gateway: Gateway;
  let provider: EndlessProvider;
  let user: TestUser;
  let memoryBefore: number;
  let mostSeen = 0;
  let watch: NodeJS.Timeout;
  const isTask = (mode: string) => mode === 'drawing' || mode === 'music';

  before(async () => {
    provider = await startEndlessProvider();
    gateway = await startGateway({
      RELAY_MAX_ANSWER_BYTES: String(longestAnswer),
      RELAY_REALTIME_MESSAGE_BYTES: String(longestAnswer),
      UPSTREAM_POLL_MS: '10',
      UPSTREAM_FIRST_BYTE_MS: '5000',
      UPSTREAM_SILENCE_MS: '5000',
    });
    await gateway.options({ ...priceOptions(), RetryTimes: '0' });
    const models = [...Object.keys(priceList), 'mj_shorten'];
    await gateway.channels([
      ...(Object.keys(manners) as MannerName[]).flatMap((name) => {
        const types = { [name]: typesOf[name] ?? 1, [`${name}-drawing`]: 5, [`${name}-music`]: 36 };
        const more = { key: 'AKIDEMO|demosecret|us-east-1', setting: name === 'owned' ? '{"responses":true}' : undefined };
        return Object.entries(types).map(([group, type]) => ({
          type,
          models,
          groups: [group],
          baseUrl: `${provider.url}/${name}`,
          ...more,
        }));
      }),
      { type: 17, models: ['sized'], groups: ['polled'], baseUrl: `${provider.url}/poll` },
      { type: 18, models: ['texts'], groups: ['socket'], baseUrl: `${provider.url}/frame`, key: 'app|secret|key' },
      { models: ['free'], groups: ['last'] },
    ]);
    await gateway.options({ ModelRatio: JSON.stringify({ ...(JSON.parse(priceOptions().ModelRatio ?? '{}') as object), free: 0 }) });
    await untilServed(gateway, (await gateway.user({ group: 'last' })).token, 'free');
    memoryBefore = process.memoryUsage().rss;
    watch = setInterval(() => {
      mostSeen = Math.max(mostSeen, process.memoryUsage().rss - memoryBefore);
    }, 5);
  });
  after(async () => {
    clearInterval(watch);
    await gateway?.stop();
    await provider?.close();
  });
  afterEach('memory stays bounded', () => {
    expect(mostSeen / (1 << 20), 'MB').to.be.lessThan(mostMemory / (1 << 20));
  });

  async function ask(
    { path, body, form }: Pick<HandMadeBill, 'path' | 'body' | 'form'>,
    group: string,
  ): Promise<{ status: number; text: string }> {
    user = await gateway.user({ group, balance: 1e12 });
    const { authorization } = user.token;
    const sent = new FormData();
    for (const [name, value] of Object.entries(form?.fields ?? {})) sent.append(name, value);
    for (const [name, bytes] of Object.entries(form?.files ?? {})) sent.append(name, new Blob([new Uint8Array(bytes)]), `${name}.bin`);
    const answer = form
      ? await fetch(gateway.url + path, { method: 'POST', headers: { authorization }, body: sent })
      : await gateway.post(path, body, { authorization });
    const text = await answer.text();
    return { status: answer.status, text };
  }
  const letGo = async () => {
    await eventually(() => expect(provider.last().isOpen).to.equal(false), { timeoutMs: 30_000 });
    return provider.last().bytes;
  };
  const free = () => eventually(async () => expect([await gateway.held(user), await gateway.openHolds(user)]).to.deep.equal([0, 0]));

  for (const kind of ['whole', 'packed', 'headers', 'error'] as const) {
    for (const bill of ofEachMode) {
      // Sound is passed on as it comes.
      if (bill.mode === 'speech' && (kind === 'whole' || kind === 'packed')) continue;
      it(`as ${kind} to ${bill.mode}: is let go, the caller is told, nothing is charged`, async () => {
        const { status, text } = await ask(bill, isTask(bill.mode) ? `${kind}-${bill.mode}` : kind);
        expect(status, text.slice(0, 300)).to.be.oneOf([500, 502]);
        expect(text.length).to.be.below(2000);
        expect(await letGo()).to.be.below(mostTaken);
        await free();
        expect(await gateway.events(user)).to.have.length(0);
      });
    }
  }

  it('byte by byte, as an answer that is whole: no more is kept of it than of one that comes at once', async () => {
    const { path, body } = textBills[0] as HandMadeBill;
    // Who lets a model think for long waits twice as long: on a slow machine, too, it is the bound that ends this, not the time.
    expect((await ask({ path, body: { ...(body as object), reasoning_effort: 'high' } }, 'dripped')).status).to.equal(502);
    await letGo();
    await free();
  });

  for (const kind of ['hints', 'extension', 'trailers'] as const) {
    it(`as ${kind} of HTTP: is let go, nothing is charged`, async () => {
      const { status } = await ask(textBills[0] as HandMadeBill, kind);
      expect(status).to.be.oneOf([502, 504]);
      await letGo();
      await free();
    });
  }

  it('as the answer to a poll: the same', async () => {
    const drawing = { path: '/v1/images/generations', body: { model: 'sized', prompt: 'x', size: '1024x1024' } };
    expect((await ask(drawing, 'polled')).status).to.equal(502);
    expect(await letGo()).to.be.below(mostTaken);
    await free();
  });

  async function heardAndPaid(question: Pick<HandMadeBill, 'path' | 'body'>, manner: MannerName): Promise<void> {
    const { status, text } = await ask(question, manner);
    expect(status).to.equal(200);
    expect(text).to.contain('Hello you').and.to.match(/error/);
    expect(await letGo()).to.be.below(mostTaken);
    const bill = await gateway.bill(user);
    expect(bill).to.include({ endReason: 'upstream_died', usageSource: 'estimated' });
    expect(bill.usage).to.include({ textOutput: 2 });
  }

  for (const [who, question] of Object.entries(streams)) {
    it(`as one frame to a caller ${who}: he hears what came before it and an error, and pays for that`, () =>
      heardAndPaid(question, 'frame'));
  }

  for (const [what, manner, asked] of [
    ['one of Amazon’s frames', 'framed', chat],
    ['one of Amazon’s frames to a caller of Messages', 'framed', ofMessages],
    ['one event of Responses, to who is told them as they come', 'owned', ofResponses],
  ] as const) {
    it(`as ${what}: the caller hears what came before it and an error, and pays for that`, () => heardAndPaid(asked, manner));
  }

  const toldLater: [what: string, manner: MannerName, question: Pick<HandMadeBill, 'path' | 'body'>][] = [
    ['words to a caller of Responses, who is told all of them again', 'words', ofResponses],
    ['arguments of a tool to a caller of Responses', 'calls', ofResponses],
    ['arguments of a tool to a caller of generateContent, who is told them at once', 'calls', ofGemini],
    ['arguments of a tool to a caller of Messages', 'calls', ofMessages],
    ['thoughts that are to be signed', 'thoughts', chat],
    ['thoughts in Amazon’s frames', 'pondered', chat],
  ];
  for (const [what, manner, question] of toldLater) {
    it(`as ${what}: no more is kept of it than of a whole answer, and what was told is paid`, async () => {
      const { status, text } = await ask(question, manner);
      expect(text.slice(-1000)).to.match(/error/);
      expect(status).to.be.oneOf([200, 502]);
      expect(await letGo()).to.be.below(mostTaken);
      if (status === 502) return void (await free());
      const bill = await gateway.bill(user);
      expect(bill).to.include({ endReason: 'upstream_died', usageSource: 'estimated' });
      expect(bill.quota).to.be.greaterThan(1000);
    });
  }

  for (const name of ['frame', 'words'] as const) {
    it(`as a message of a spoken session, ${name === 'frame' ? 'in one frame' : 'in fragments'}: it ends, and costs nothing`, async () => {
      user = await gateway.user({ group: name, balance: 1e12 });
      const talk = await talkAt(gateway.url, user.token.authorization, { model: 'senses' });
      await talk.next('error');
      await talk.closed();
      expect(await letGo()).to.be.below(mostTaken);
      await free();
    });
  }

  it('as a message of a provider who is asked by WebSocket: the call fails and is free', async () => {
    for (const stream of [false, true]) {
      expect((await ask({ path: chat.path, body: { ...chat.body, stream } }, 'socket')).status).to.equal(502);
      expect(await letGo()).to.be.below(mostTaken);
      await free();
    }
  });
});
