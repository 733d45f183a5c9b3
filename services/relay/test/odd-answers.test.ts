import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { type OddAnswer, oddAnswers as oddStreamsAndWholes } from './support/odd-answers.ts';
import { oddFrames } from './support/odd-frames.ts';
import { oddOthers } from './support/odd-others.ts';
import { oddResponses } from './support/odd-responses.ts';

const oddAnswers = [...oddStreamsAndWholes, ...oddFrames, ...oddResponses, ...oddOthers];
const chat = { path: '/v1/chat/completions', body: { ...question() } };

interface Outcome {
  status: number;
  text: string;
}

/** Each answer comes from a channel of its own, for a model of its own; all at once. */
describe('What a provider answers oddly', () => {
  let gateway: Gateway;
  let user: TestUser;
  let ids: number[];
  let outcomes: Outcome[];
  let bills: Map<unknown, { usage: Record<string, number> }>;
  let blamed: Set<number>;
  const modelOf = (at: number) => `odd-${at}`;

  const asked = async ({ script, request, door: { path, body } = chat }: OddAnswer, at: number): Promise<Outcome> => {
    gateway.provider.answers(script, modelOf(at));
    const answer = await gateway.post(path, { ...body, model: modelOf(at), ...request }, { authorization: user.token.authorization });
    return { status: answer.status, text: await answer.text() };
  };

  before(async function () {
    this.timeout(120_000);
    gateway = await startGateway({
      RELAY_HEARTBEAT_MS: '60000',
      UPSTREAM_FIRST_BYTE_MS: '12000',
      UPSTREAM_SILENCE_MS: '12000',
      RELAY_MAX_ANSWER_BYTES: String(4 << 20),
    });
    user = await gateway.user({ balance: 1e12 });
    await gateway.options({ RetryTimes: '0', ModelRatio: JSON.stringify(Object.fromEntries(oddAnswers.map((_, at) => [modelOf(at), 1]))) });
    ids = await gateway.channels(oddAnswers.map(({ type, channel }, at) => ({ type, models: [modelOf(at)], ...channel })));
    await untilServed(gateway, user.token, modelOf(oddAnswers.length - 1));
    outcomes = await Promise.all(oddAnswers.map(asked));
    await eventually(async () => expect(await gateway.openHolds(user)).to.equal(0));
    bills = new Map((await gateway.events(user)).map((event) => [event.model, event as { usage: Record<string, number> } & typeof event]));
    const failures = await gateway.redis.lrange('channel:failures', 0, -1);
    blamed = new Set(failures.map((failure) => (JSON.parse(failure) as { channelId: number }).channelId));
  });
  after(() => gateway.stop());

  for (const [at, { title, status, says, billed, isBlamed }] of oddAnswers.entries()) {
    it(`${title}: ${status}, ${billed === undefined ? 'free' : 'billed'}${isBlamed ? ', the channel’s fault' : ''}`, () => {
      const outcome = outcomes[at] as Outcome;
      expect(outcome.status, outcome.text.slice(0, 500)).to.equal(status);
      if (says !== undefined) expect(outcome.text.slice(-2000)).to.contain(says);
      const usage = bills.get(modelOf(at))?.usage;
      expect(usage === undefined ? 'free' : 'billed').to.equal(billed === undefined ? 'free' : 'billed');
      if (billed !== undefined && usage !== undefined) {
        const [least, most = Number.POSITIVE_INFINITY] = billed;
        expect((usage.textOutput ?? 0) + (usage.reasoningOutput ?? 0) + (usage.audioOutput ?? 0)).to.be.within(least, most);
        expect(usage.textInput, 'the prompt').to.be.greaterThan(0);
      }
      expect(blamed.has(ids[at] as number), 'the channel is blamed').to.equal(isBlamed === true);
    });
  }
});
