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
    [24, 'gemini-2.0-flash'],
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
