import { type JsonObject, RequestRefused } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { expect } from 'chai';
import { streamFor, toldTo, type Upstream, wholeFor } from './next-turn.ts';

const openai: Upstream = { type: 1, model: 'gpt-4o' };
const others = [
  { token: 'Hi', logprob: -0.1, bytes: [72, 105] },
  { token: 'Ho', logprob: -3, bytes: null },
];
const first = { ...others[0], top_logprobs: others };
const second = { token: '!', logprob: -0.5, bytes: [33], top_logprobs: [] };
/** The same, as Responses tells it. */
const told = [{ ...first, top_logprobs: [others[0], { token: 'Ho', logprob: -3, bytes: [72, 111] }] }, second];

const gemini: Upstream = { type: 24, model: 'gemini-2.5-flash' };
/** The same, as Gemini tells it. */
const logprobsResult = {
  chosenCandidates: [
    { token: 'Hi', logProbability: -0.1 },
    { token: '!', logProbability: -0.5 },
  ],
  topCandidates: [
    {
      candidates: [
        { token: 'Hi', logProbability: -0.1 },
        { token: 'Ho', logProbability: -3 },
      ],
    },
    { candidates: [] },
  ],
};

const asked = (more: object) => JSON.parse(toldTo(openai, 'responses', JSON.stringify({ model: 'm', input: 'go', ...more }))) as JsonObject;

describe('how likely the words of an answer were', () => {
  it('is asked of a channel for callers of Responses, in the words of a chat', () => {
    expect(asked({ include: ['message.output_text.logprobs'] }))
      .to.include({ logprobs: true })
      .and.not.have.property('top_logprobs');
    expect(asked({ top_logprobs: 2, include: ['message.output_text.logprobs'] })).to.include({ logprobs: true, top_logprobs: 2 });
    expect(asked({ top_logprobs: 2 })).to.include({ logprobs: true, top_logprobs: 2 });
    expect(asked({ top_logprobs: 0, include: ['reasoning.encrypted_content'] })).not.to.include.any.keys('logprobs', 'top_logprobs');
    expect(() => asked({ top_logprobs: 21 }))
      .to.throw(AppError)
      .with.property('param', 'top_logprobs');
  });

  for (const [type, model] of [
    [14, 'claude-sonnet-4-20250514'],
    [42, 'mistral-large-latest'],
  ] as const) {
    it(`is refused by name where a channel of type ${type} does not tell it`, () => {
      for (const more of [{ top_logprobs: 2 }, { include: ['message.output_text.logprobs'] }]) {
        expect(() => toldTo({ type, model }, 'responses', JSON.stringify({ model: 'm', input: 'go', ...more })))
          .to.throw(RequestRefused)
          .with.property('param', 'logprobs');
      }
    });
  }

  it('is asked of Gemini, and by those who speak as it does', () => {
    const generationConfig = { responseLogprobs: true, logprobs: 2 };
    const question = { model: 'm', messages: [{ role: 'user', content: 'go' }], logprobs: true, top_logprobs: 2 };
    const told = JSON.parse(toldTo(gemini, 'openai', JSON.stringify(question))) as JsonObject;
    expect(told.generationConfig).to.deep.equal(generationConfig);
    const contents = [{ role: 'user', parts: [{ text: 'go' }] }];
    const other = JSON.parse(toldTo(openai, 'gemini', JSON.stringify({ contents, generationConfig }))) as JsonObject;
    expect(other).to.include({ logprobs: true, top_logprobs: 2 });
    expect(JSON.parse(toldTo(openai, 'gemini', JSON.stringify({ contents, generationConfig: { responseLogprobs: true } }))))
      .to.include({ logprobs: true })
      .and.not.have.property('top_logprobs');
  });

  it('is told by Gemini in the words of others, and by others in its own, whole and in a stream', () => {
    const parts = [{ text: 'Hi!' }];
    const answer = JSON.stringify({ candidates: [{ index: 0, content: { role: 'model', parts }, logprobsResult, finishReason: 'STOP' }] });
    const likely = [first, second].map((one) => ({
      ...one,
      top_logprobs: one.top_logprobs.map((other) => ({ ...other, bytes: [...Buffer.from(other.token)] })),
    }));
    const inChoices = (text: string) =>
      (JSON.parse(text) as { choices: { logprobs: JsonObject | null }[] }).choices.flatMap(({ logprobs }) => logprobs?.content ?? []);
    const objects = (text: string) => text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice(6).trim()] : []));
    expect(inChoices(wholeFor('openai', gemini, answer))).to.deep.equal(likely);
    expect(objects(streamFor('openai', gemini, [answer])).flatMap(inChoices)).to.deep.equal(likely);
    const response = JSON.parse(wholeFor('responses', gemini, answer)) as JsonObject;
    const last = JSON.parse(objects(streamFor('responses', gemini, [answer])).at(-1) ?? '') as { response: JsonObject };
    for (const { output } of [response, last.response])
      expect((output as { content: JsonObject[] }[])[0]?.content[0]?.logprobs).to.deep.equal(told);

    const choice = { index: 0, logprobs: { content: [first, second] }, finish_reason: 'stop' };
    const message = { role: 'assistant', content: 'Hi!' };
    const inCandidates = (text: string) =>
      (JSON.parse(text) as { candidates: JsonObject[] }).candidates.flatMap((one) => one.logprobsResult ?? []);
    expect(inCandidates(wholeFor('gemini', openai, JSON.stringify({ choices: [{ ...choice, message }] })))).to.deep.equal([logprobsResult]);
    const chunk = JSON.stringify({ choices: [{ ...choice, delta: message }] });
    expect(objects(streamFor('gemini', openai, [chunk])).flatMap(inCandidates)).to.deep.equal([logprobsResult]);
  });

  it('is nothing where Gemini tells it in a way that nobody knows', () => {
    for (const odd of [null, 'x', { chosenCandidates: 'x' }, { chosenCandidates: [{}] }, { topCandidates: [{}] }]) {
      const candidates = [{ index: 0, content: { parts: [{ text: 'Hi!' }] }, logprobsResult: odd, finishReason: 'STOP' }];
      expect(wholeFor('openai', gemini, JSON.stringify({ candidates }))).to.include('Hi!');
    }
  });

  it('is told to callers of Responses with their words, whole and in a stream', () => {
    const message = { role: 'assistant', content: 'Hi!' };
    const answer = {
      id: 'x',
      choices: [{ index: 0, message, logprobs: { content: [first, second], refusal: null }, finish_reason: 'stop' }],
    };
    const partOf = ({ output }: JsonObject) => (output as { content: JsonObject[] }[])[0]?.content[0];
    const whole = partOf(JSON.parse(wholeFor('responses', openai, JSON.stringify(answer))) as JsonObject);
    expect(whole).to.deep.equal({ type: 'output_text', text: 'Hi!', annotations: [], logprobs: told });

    const chunk = (delta: object, logprobs: unknown, finish_reason: string | null = null) =>
      JSON.stringify({ id: 'x', choices: [{ index: 0, delta, logprobs, finish_reason }] });
    const chunks = [
      chunk({ role: 'assistant', content: '' }, null),
      chunk({ content: 'Hi' }, { content: [first] }),
      chunk({ content: '!' }, { content: [second] }),
      chunk({}, null, 'stop'),
    ];
    const lines = streamFor('responses', openai, chunks).split('\n');
    const events = lines.filter((line) => line.startsWith('data: {')).map((line) => JSON.parse(line.slice(6)) as JsonObject);
    const of = (type: string) => events.filter((event) => event.type === `response.${type}`);
    expect(of('output_text.delta').map(({ logprobs }) => logprobs)).to.deep.equal([[told[0]], [told[1]]]);
    expect(of('output_text.done').map(({ logprobs }) => logprobs)).to.deep.equal([told]);
    expect(of('content_part.done').map(({ part }) => part)).to.deep.equal([whole]);
    expect(partOf(of('completed')[0]?.response as JsonObject)).to.deep.equal(whole);
  });
});
