import { noUsage, type Usage } from '@tollgate/contracts';
import { expect } from 'chai';
import {
  estimateEmbeddings,
  type JsonObject,
  notBelow,
  openStreamReading,
  providerOf,
  readWhole,
  SseReader,
  spokenBy,
  weighableJson,
} from '../src/index.ts';
import { cachedTokenPlaces, cacheWritePlaces } from '../src/openai/cached-tokens.ts';
import { dialectOf } from './corners.ts';

/** Usage as providers state it: the shapes were observed in recordings and documentation, the numbers are invented. */
const stated: readonly [who: string, type: number, answer: JsonObject, expected: Partial<Usage>][] = [
  [
    'OpenAI',
    1,
    { usage: { prompt_tokens: 90, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 64 } } },
    { textInput: 26, cachedInput: 64, textOutput: 5 },
  ],
  [
    'xAI, whose total holds the reasoning',
    48,
    { usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 40, completion_tokens_details: { reasoning_tokens: 28 } } },
    { textInput: 10, textOutput: 2, reasoningOutput: 28 },
  ],
  [
    'Kimi at the top',
    25,
    { usage: { prompt_tokens: 900, completion_tokens: 3, cached_tokens: 768 } },
    { textInput: 132, cachedInput: 768, textOutput: 3 },
  ],
  [
    'Kimi in the last choice',
    25,
    { choices: [{ index: 0, delta: {}, usage: { prompt_tokens: 900, completion_tokens: 3, cached_tokens: 768 } }] },
    { textInput: 132, cachedInput: 768, textOutput: 3 },
  ],
  [
    'Kimi with zero details beside it',
    25,
    { usage: { prompt_tokens: 9, completion_tokens: 3, cached_tokens: 4, prompt_tokens_details: { cached_tokens: 0 } } },
    { textInput: 5, cachedInput: 4, textOutput: 3 },
  ],
  [
    'DeepSeek',
    43,
    { usage: { prompt_tokens: 9, completion_tokens: 1, prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 5 } },
    { textInput: 5, cachedInput: 4, textOutput: 1 },
  ],
  [
    'Mistral',
    42,
    { usage: { prompt_tokens: 70, completion_tokens: 1, num_cached_tokens: 64 } },
    { textInput: 6, cachedInput: 64, textOutput: 1 },
  ],
  [
    'Mistral, misspelled',
    42,
    { usage: { prompt_tokens: 70, completion_tokens: 1, prompt_token_details: { cached_tokens: 64 } } },
    { textInput: 6, cachedInput: 64, textOutput: 1 },
  ],
  [
    'DashScope',
    17,
    { usage: { prompt_tokens: 70, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 10, cache_creation_input_tokens: 40 } } },
    { textInput: 20, cachedInput: 10, cacheWrite5m: 40, textOutput: 1 },
  ],
  [
    'a gateway in front of Claude',
    8,
    { usage: { prompt_tokens: 70, completion_tokens: 1, cache_read_input_tokens: 30, cache_creation_input_tokens: 20 } },
    { textInput: 20, cachedInput: 30, cacheWrite5m: 20, textOutput: 1 },
  ],
  [
    'Groq in a stream without usage asked for',
    1,
    { choices: [], x_groq: { usage: { prompt_tokens: 7, completion_tokens: 2 } } },
    { textInput: 7, textOutput: 2 },
  ],
  [
    'Anthropic, which tells its thinking apart',
    14,
    { usage: { input_tokens: 5, output_tokens: 30, output_tokens_details: { thinking_tokens: 20 } } },
    { textInput: 5, textOutput: 10, reasoningOutput: 20 },
  ],
  [
    'Gemini with pictures that a tool read',
    24,
    {
      usageMetadata: {
        promptTokenCount: 5,
        toolUsePromptTokenCount: 300,
        toolUsePromptTokensDetails: [{ modality: 'IMAGE', tokenCount: 258 }],
        candidatesTokenCount: 2,
        totalTokenCount: 307,
      },
    },
    { textInput: 47, imageInput: 258, textOutput: 2 },
  ],
  [
    'Responses',
    1,
    {
      usage: {
        input_tokens: 20,
        output_tokens: 6,
        input_tokens_details: { cached_tokens: 5, cache_write_tokens: 3 },
        output_tokens_details: { reasoning_tokens: 4 },
      },
    },
    { textInput: 12, cachedInput: 5, cacheWrite5m: 3, textOutput: 2, reasoningOutput: 4 },
  ],
];

describe('usage as providers state it', () => {
  for (const [who, type, answer, expected] of stated) {
    it(`is read from ${who}`, () => {
      expect(providerOf(type)?.chat?.usageIn(answer)).to.deep.equal({ trusted: true, usage: { ...noUsage, ...expected } });
    });
  }

  it('has a source and a date for each place that cached tokens stand in', () => {
    for (const place of [...cachedTokenPlaces, ...cacheWritePlaces]) {
      expect(place.source).to.match(/^https:\/\//);
      expect(place.date).to.match(/^20\d\d-\d\d-\d\d$/);
    }
  });

  it('distrusts an impossible cached count wherever it stands', () => {
    for (const { path } of [...cachedTokenPlaces, ...cacheWritePlaces]) {
      const value = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), -1) as JsonObject;
      const reading = providerOf(1)?.chat?.usageIn({ usage: { prompt_tokens: 3, completion_tokens: 1, ...value } });
      expect(reading?.trusted, path.join('.')).to.equal(false);
    }
  });

  it('counts cache reads of a compacted stream once', () => {
    const cached = { cache_read_input_tokens: 55_096, cache_creation_input_tokens: 0 };
    const totals = { input_tokens: 181, output_tokens: 8, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    const events = [
      { type: 'message_start', message: { id: 'm', content: [], usage: { input_tokens: 100, output_tokens: 7, ...cached } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Four.' } },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: {
          ...totals,
          iterations: [
            { type: 'compaction', input_tokens: 100, output_tokens: 83, ...cached },
            { type: 'message', ...totals },
          ],
        },
      },
    ];
    const reading = openStreamReading(dialectOf(14, 'chat'), { stamp: { id: 'x', createdSeconds: 1, model: 'm' } });
    const bytes = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    for (const frame of new SseReader().push(bytes)) reading.read(frame);
    const usage = { ...noUsage, textInput: 281, cachedInput: 55_096, textOutput: 91 };
    expect(reading.usage).to.deep.equal({ trusted: true, usage });
  });

  describe('of Gemini', () => {
    const read = (usageMetadata: JsonObject) => {
      const reading = providerOf(24)?.chat?.usageIn({ usageMetadata });
      if (!reading?.trusted) throw new Error('not read');
      return reading;
    };

    it('stays as stated for a picture alone', () => {
      const { usage } = read({
        promptTokenCount: 9,
        candidatesTokenCount: 1290,
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
        totalTokenCount: 1299,
      });
      const drawn = { textOutput: 1290, reasoningOutput: 0, characters: 24 };
      expect(notBelow(drawn, usage, { isLast: true })).to.equal(usage);
    });

    it('stays as stated where the total holds a call among the thoughts', () => {
      const { usage, isSummed } = read({
        promptTokenCount: 432,
        thoughtsTokenCount: 18,
        toolUsePromptTokenCount: 78,
        totalTokenCount: 528,
      });
      const called = { textOutput: 11, reasoningOutput: 0, characters: 40 };
      expect(notBelow(called, usage, { isLast: true, isSummed })).to.equal(usage);
      expect(notBelow({ ...called, characters: 18 * 64 + 1, textOutput: 300 }, usage, { isLast: true, isSummed }).textOutput).to.be.above(
        200,
      );
    });

    it('is charged for embeddings, pictures among them', () => {
      const details = [
        { modality: 'IMAGE', tokenCount: 258 },
        { modality: 'TEXT', tokenCount: 3 },
      ];
      const expected = { trusted: true, usage: { ...noUsage, textInput: 3, imageInput: 258 } };
      const answer = { embedding: { values: [0.5] }, usageMetadata: { promptTokenCount: 261, promptTokenDetails: details } };
      const vertex = providerOf(41);
      const spoken = vertex && spokenBy(vertex, 'gemini-embedding-2');
      for (const dialect of [providerOf(24)?.embeddings, spoken?.embeddings]) expect(dialect?.usageIn(answer)).to.deep.equal(expected);
    });
  });

  it('of Vertex embeddings is asked for by the method that the model has', () => {
    const key = JSON.stringify({ project_id: 'p', client_email: 'a@b', private_key: 'k' });
    const place = (model: string) => {
      const provider = spokenBy(providerOf(41) as NonNullable<ReturnType<typeof providerOf>>, model);
      return provider.embeddings?.url({ model, input: 'x' }, { baseUrl: 'https://v', key, model, other: 'global' }).split(':').at(-1);
    };
    const methods = {
      'gemini-embedding-2': 'embedContent',
      'models/gemini-embedding-2-preview': 'embedContent',
      'gemini-embedding-001': 'predict',
      'text-embedding-005': 'predict',
    };
    for (const [model, method] of Object.entries(methods)) expect(place(model), model).to.equal(method);
  });
});

describe('our own count of what no provider counts', () => {
  it('weighs an embedded picture by its size, not by its bytes', () => {
    const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${'iVBORw0KGgo'.repeat(50_000)}` } };
    const usage = estimateEmbeddings({ model: 'gemini-embedding-2', input: 'The logo', media: [picture] });
    expect(usage.textInput).to.be.below(10);
    expect(usage.imageInput).to.be.within(1, 5_000);
  });

  it('never takes encoded data for text', () => {
    const { text, dataTokens } = weighableJson({
      type: 'new',
      said: 'Hello',
      data: 'QUJD'.repeat(100_000),
      url: `data:image/png;base64,${'A'.repeat(1_000)}`,
    });
    expect(text).to.equal('{"type":"new","said":"Hello","data":"","url":""}');
    expect(dataTokens).to.be.within(3_000, 5_000);
    expect(weighableJson({ id: 'a'.repeat(64), text: 'word '.repeat(100) }).dataTokens).to.equal(0);
  });

  const frames = (all: readonly (JsonObject | string)[]) =>
    Buffer.from(all.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join(''));
  const streamed = (type: number, all: readonly (JsonObject | string)[]) => {
    const dialect = providerOf(type)?.chat;
    if (dialect === undefined) throw new Error(`type ${type} has no chat`);
    return readWhole(dialect, frames(all), {
      stamp: { id: 'a', createdSeconds: 1, model: 'm' },
      speaks: 'openai',
      contentType: 'text/event-stream',
    }).usage;
  };
  const chunk = (usage: JsonObject | null | undefined, ends = false) => ({
    ...{ id: 'a', object: 'chat.completion.chunk', created: 1, model: 'm' },
    choices: [{ index: 0, delta: ends ? {} : { role: 'assistant', content: 'a' }, finish_reason: ends ? 'stop' : null }],
    ...(usage !== undefined && { usage }),
  });
  const bill = (prompt: number, completion: number, more: JsonObject = {}) => ({
    prompt_tokens: prompt,
    completion_tokens: completion,
    ...more,
  });

  it('is the last one of a stream that states several, but for zeros and what it leaves out of the cache', () => {
    const cached = bill(100, 1, { prompt_tokens_details: { cached_tokens: 80 } });
    const streams: [name: string, all: (JsonObject | string)[], expected: JsonObject][] = [
      ['in every chunk', [chunk(bill(10, 1)), chunk(bill(10, 2)), chunk(bill(10, 3), true)], { textInput: 10, textOutput: 3 }],
      ['null first', [chunk(null), chunk(bill(10, 1), true)], { textInput: 10, textOutput: 1 }],
      ['zeros last', [chunk(bill(10, 1)), chunk(bill(0, 0), true)], { textInput: 10, textOutput: 1 }],
      ['without the cache last', [chunk(cached), chunk(bill(100, 2), true)], { textInput: 20, cachedInput: 80, textOutput: 2 }],
      ['another prompt last', [chunk(cached), chunk(bill(90, 2), true)], { textInput: 90, cachedInput: 0, textOutput: 2 }],
    ];
    for (const [name, all, expected] of streams) {
      const usage = streamed(1, [...all, '[DONE]']);
      expect(usage?.trusted === true && usage.usage, name).to.deep.include(expected);
    }
    expect(streamed(1, [chunk(undefined), chunk(undefined, true), '[DONE]'])).to.equal(undefined);
    expect(streamed(1, [chunk(bill(10, 1)), chunk(bill(-1, 2), true), '[DONE]'])).to.deep.include({ trusted: false });
  });

  it('holds cache writes of Claude that are stated by their lives alone, and a bill beside an empty one', () => {
    const { chat } = providerOf(14) ?? {};
    const writes = {
      input_tokens: 10,
      output_tokens: 5,
      cache_creation: { ephemeral_1h_input_tokens: 100, ephemeral_5m_input_tokens: 20 },
    };
    const claude = chat?.usageIn({ usage: writes });
    expect(claude?.trusted === true && claude.usage).to.deep.include({ textInput: 10, cacheWrite1h: 100, cacheWrite5m: 20 });
    const groq = providerOf(1)?.chat?.usageIn({ usage: {}, x_groq: { usage: bill(9, 8) } });
    expect(groq?.trusted === true && groq.usage).to.deep.include({ textInput: 9, textOutput: 8 });
  });
});
