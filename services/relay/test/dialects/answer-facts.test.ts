import type { JsonObject } from '@tollgate/providers';
import { expect } from 'chai';
import { callers } from './heard.ts';
import { type CallerName, streamFor, type Upstream, wholeFor } from './next-turn.ts';

const openrouter: Upstream = { type: 20, model: 'm' };
const claude: Upstream = { type: 14, model: 'claude-sonnet-4-20250514' };
const openai: Upstream = { type: 1, model: 'gpt-4o' };

const answer = (message: JsonObject, more: JsonObject = {}) =>
  JSON.stringify({ id: 'x', choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }], ...more });
const chunks = (deltas: JsonObject[], more: JsonObject = {}) =>
  [...deltas, {}].map((delta, at) =>
    JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: at === deltas.length ? 'stop' : null }], ...more }),
  );
const eventsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as JsonObject);

describe('pictures that are drawn into an answer', () => {
  const url = 'data:image/png;base64,QUJD';
  const drawn = { content: 'Here:', images: [{ type: 'image_url', image_url: { url } }] };

  for (const name of ['anthropic', 'responses'] as const) {
    it(`are words, as Markdown has them, to callers of ${name}, who have none for them in answers`, () => {
      const caller = callers.find(({ route }) => route.dialect.name === name);
      expect(caller?.whole(JSON.parse(wholeFor(name, openrouter, answer(drawn))) as JsonObject).text).to.equal(`Here:![image](${url})`);
      const { content, ...picture } = drawn;
      expect(caller?.streamed(streamFor(name, openrouter, chunks([{ content }, picture]))).text).to.equal(`Here:![image](${url})`);
    });
  }

  it('are parts of their own to callers of Gemini', () => {
    const parts = [{ text: 'Here:' }, { inlineData: { mimeType: 'image/png', data: 'QUJD' } }];
    const partsIn = ({ candidates }: JsonObject) =>
      (candidates as { content: { parts: JsonObject[] } }[]).flatMap(({ content }) => content.parts);
    expect(partsIn(JSON.parse(wholeFor('gemini', openrouter, answer(drawn))) as JsonObject)).to.deep.equal(parts);
    const told = eventsOf(streamFor('gemini', openrouter, chunks([drawn]))).flatMap(partsIn);
    expect(told.filter(({ text }) => text !== '')).to.deep.equal(parts);
  });
});

describe('the tier at which an answer was served', () => {
  it('is told to callers of Responses as its provider says it, whole and in a stream', () => {
    expect(JSON.parse(wholeFor('responses', openai, answer({ content: 'Hi' }, { service_tier: 'flex' })))).to.include({
      service_tier: 'flex',
    });
    const events = eventsOf(streamFor('responses', openai, chunks([{ content: 'Hi' }], { service_tier: 'flex' })));
    expect(events.at(-1)?.response).to.include({ service_tier: 'flex' });
    expect(JSON.parse(wholeFor('responses', openai, answer({ content: 'Hi' }, { service_tier: null })))).to.include({
      service_tier: 'default',
    });
  });
});

describe('what an answer has used', () => {
  const usageFor = (caller: CallerName, upstream: Upstream, body: string) => JSON.parse(wholeFor(caller, upstream, body)) as JsonObject;

  it('is told with what was written into a cache, in OpenAI’s own word for it', () => {
    const body = JSON.stringify({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'Hi' }],
      usage: { input_tokens: 5, cache_creation_input_tokens: 100, cache_read_input_tokens: 40, output_tokens: 3 },
    });
    const { usage } = usageFor('openai', claude, body);
    expect(usage).to.have.nested.property('prompt_tokens', 145);
    expect(usage).to.have.property('prompt_tokens_details').that.includes({ cached_tokens: 40, cache_write_tokens: 100 });
    expect(usageFor('responses', claude, body).usage)
      .to.have.property('input_tokens_details')
      .that.deep.equals({ cached_tokens: 40, cache_write_tokens: 100 });
  });

  it('is told to callers of Gemini by kinds, where not all of it was text', () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { audio_tokens: 60 },
      completion_tokens_details: { audio_tokens: 20 },
    };
    const { usageMetadata } = usageFor('gemini', openai, answer({ content: 'Hi' }, { usage }));
    expect(usageMetadata).to.deep.include({
      promptTokenCount: 100,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 40 },
        { modality: 'AUDIO', tokenCount: 60 },
      ],
      candidatesTokensDetails: [
        { modality: 'TEXT', tokenCount: 30 },
        { modality: 'AUDIO', tokenCount: 20 },
      ],
    });
    const plain = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    expect(usageFor('gemini', openai, answer({ content: 'Hi' }, { usage: plain })).usageMetadata).not.to.include.any.keys(
      'promptTokensDetails',
    );
  });
});
