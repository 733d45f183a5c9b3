import type { JsonObject } from '@tollgate/providers';
import { expect } from 'chai';
import { type CallerName, streamFor, type Upstream, wholeFor } from './next-turn.ts';

const claude: Upstream = { type: 14, model: 'claude-sonnet-4-20250514' };
const gemini: Upstream = { type: 24, model: 'gemini-2.0-flash' };
const [a, b] = ['https://a.example.com/', 'https://b.example.com/'];

/** `Grüße. 晴れ。 So.`, of which the second sentence rests on two pages; Gemini has found a third one besides. */
const [before, cited, behind] = ['Grüße. ', '晴れ。', ' So.'];
const span = [before.length, before.length + cited.length] as const;

const citations = [
  { type: 'web_search_result_location', url: a, title: 'A', cited_text: 'It is sunny.', encrypted_index: 'x' },
  { type: 'web_search_result_location', url: b, title: 'B', cited_text: 'No rain.', encrypted_index: 'y' },
  { type: 'char_location', document_index: 0, cited_text: 'of a document', start_char_index: 0, end_char_index: 1 },
];
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason: 'end_turn',
  content: [
    { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
    { type: 'text', text: before },
    { type: 'text', text: cited, citations },
    { type: 'text', text: behind },
  ],
  usage: { input_tokens: 1, output_tokens: 9 },
};
const block = (index: number, content_block: JsonObject, deltas: JsonObject[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const [first, ...others] = citations.map((citation) => ({ type: 'citations_delta', citation }));
const events = [
  { type: 'message_start', message: { ...message, content: [] } },
  ...block(0, { type: 'text', text: '' }, [{ type: 'text_delta', text: before }]),
  ...block(1, { type: 'text', text: '', citations: [] }, [first as JsonObject, { type: 'text_delta', text: cited }, ...others]),
  ...block(2, { type: 'text', text: '' }, [{ type: 'text_delta', text: behind }]),
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
];

const bytes = (text: string) => Buffer.byteLength(text);
const groundingMetadata = {
  webSearchQueries: ['weather'],
  groundingChunks: [
    { web: { uri: a, title: 'A' } },
    { web: { uri: b, title: 'B' } },
    { web: { uri: 'https://c.example.com/', title: 'C' } },
  ],
  groundingSupports: [
    {
      segment: { startIndex: bytes(before), endIndex: bytes(before + cited), text: cited },
      groundingChunkIndices: [0, 1],
      confidenceScores: [1, 1],
    },
  ],
};
const candidate = (text: string, more: object = {}) => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...more }],
});
const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 9 };
const content = { ...candidate(before + cited + behind, { finishReason: 'STOP', groundingMetadata }), usageMetadata };
const contents = [
  candidate(before, { groundingMetadata: {} }),
  candidate(cited.slice(0, 1)),
  candidate(cited.slice(1), { groundingMetadata }),
  { ...candidate(behind, { finishReason: 'STOP', groundingMetadata }), usageMetadata },
];

/** What a caller is told an answer rests on: whole, and all events of a stream together. */
const wholeOf = (caller: CallerName, upstream: Upstream) =>
  JSON.parse(wholeFor(caller, upstream, JSON.stringify(upstream === claude ? message : content))) as JsonObject;
const streamOf = (caller: CallerName, upstream: Upstream) => {
  const said = (upstream === claude ? events : contents).map((event) => JSON.stringify(event));
  const lines = streamFor(caller, upstream, said).split('\n');
  return lines.filter((line) => line.startsWith('data: {')).map((line) => JSON.parse(line.slice(6)) as JsonObject);
};

const note = (url: string, title: string, [start_index, end_index]: readonly [number, number], content?: string) => ({
  url,
  title,
  start_index,
  end_index,
  ...(content && { content }),
});
const end = (before + cited + behind).length;
const notes = new Map([
  [claude, [note(a, 'A', span, 'It is sunny.'), note(b, 'B', span, 'No rain.')]],
  [gemini, [note(a, 'A', span), note(b, 'B', span), note('https://c.example.com/', 'C', [end, end])]],
]);

describe('what an answer rests on, told to callers of other dialects', () => {
  for (const [upstream, wanted] of notes) {
    const who = upstream === claude ? 'Anthropic' : 'Gemini';
    it(`is an annotation of ${who}’s words to callers of OpenAI, whole and in a stream`, () => {
      const told = wanted.map((one) => ({ type: 'url_citation', url_citation: one }));
      const [choice] = wholeOf('openai', upstream).choices as { message: JsonObject }[];
      expect(choice?.message).to.deep.include({ content: before + cited + behind, annotations: told });
      const pieces = streamOf('openai', upstream).flatMap(({ choices }) => (choices as { delta: JsonObject }[]).map(({ delta }) => delta));
      expect(pieces.flatMap(({ annotations }) => annotations ?? [])).to.deep.equal(told.map((one, index) => ({ index, ...one })));
      expect(pieces.map((piece) => piece.content ?? '').join('')).to.equal(before + cited + behind);
    });

    it(`is an annotation of ${who}’s words to callers of Responses, whole and in a stream`, () => {
      const told = wanted.map((one) => ({ type: 'url_citation', ...one }));
      const inItems = (output: unknown) =>
        (output as { content: JsonObject[] }[]).flatMap(({ content: parts }) => parts.map(({ annotations }) => annotations));
      expect(inItems(wholeOf('responses', upstream).output)).to.deep.equal([told]);
      const events = streamOf('responses', upstream);
      const { response } = events.at(-1) as { response: JsonObject };
      expect(inItems(response.output)).to.deep.equal([told]);
      expect(events.flatMap(({ annotation }) => annotation ?? [])).to.deep.equal(told);
    });
  }

  it('is what Gemini has found to callers of Anthropic, and what Anthropic has to those of Gemini', () => {
    const located = (url: string, title: string) => ({
      type: 'web_search_result_location',
      url,
      title,
      cited_text: '',
      encrypted_index: '',
    });
    const wanted = [located(a, 'A'), located(b, 'B'), located('https://c.example.com/', 'C')];
    expect(wholeOf('anthropic', gemini).content).to.deep.equal([{ type: 'text', text: before + cited + behind, citations: wanted }]);
    const deltas = streamOf('anthropic', gemini).map(({ delta }) => delta as JsonObject | undefined);
    expect(deltas.flatMap((delta) => delta?.citation ?? [])).to.deep.equal(wanted);

    const grounding = { groundingChunks: [{ web: { uri: a, title: 'A' } }, { web: { uri: b, title: 'B' } }] };
    expect((wholeOf('gemini', claude).candidates as JsonObject[])[0]?.groundingMetadata).to.deep.equal(grounding);
    const last = streamOf('gemini', claude).at(-1)?.candidates as JsonObject[];
    expect(last[0]?.groundingMetadata).to.deep.equal(grounding);
  });

  it('does not stand in the way of an answer where it cannot be read', () => {
    const odd = {
      ...candidate('Hi', { finishReason: 'STOP', groundingMetadata: { groundingChunks: 5 }, citationMetadata: [] }),
      usageMetadata,
    };
    const [choice] = (JSON.parse(wholeFor('openai', gemini, JSON.stringify(odd))) as { choices: { message: JsonObject }[] }).choices;
    expect(choice?.message).to.deep.equal({ role: 'assistant', content: 'Hi', refusal: null });
  });

  it('is told of what Gemini has by heart, too', () => {
    const citationMetadata = { citationSources: [{ startIndex: 2, endIndex: 4, uri: a, license: 'MIT' }] };
    const [choice] = (
      JSON.parse(
        wholeFor('openai', gemini, JSON.stringify({ ...candidate('a line', { finishReason: 'STOP', citationMetadata }), usageMetadata })),
      ) as {
        choices: { message: JsonObject }[];
      }
    ).choices;
    expect(choice?.message.annotations).to.deep.equal([{ type: 'url_citation', url_citation: note(a, a, [2, 4]) }]);
  });
});

describe('thoughts that only Anthropic can read', () => {
  const redacted = { type: 'redacted_thinking', data: 'c2VhbGVk' };
  const signed = { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' };
  const thoughtful = { ...message, content: [signed, redacted, { type: 'text', text: 'Yes.' }] };
  const pieces = [
    { type: 'message_start', message: { ...message, content: [] } },
    ...block(0, { type: 'thinking', thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: signed.thinking },
      { type: 'signature_delta', signature: signed.signature },
    ]),
    ...block(1, redacted, []),
    ...block(2, { type: 'text', text: '' }, [{ type: 'text_delta', text: 'Yes.' }]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ];

  it('are told to callers of OpenAI beside those that are signed, whole and in a stream: Anthropic wants both back', () => {
    const [choice] = (JSON.parse(wholeFor('openai', claude, JSON.stringify(thoughtful))) as { choices: { message: JsonObject }[] }).choices;
    expect(choice?.message.thinking_blocks).to.deep.equal([signed, redacted]);
    const lines = streamFor(
      'openai',
      claude,
      pieces.map((piece) => JSON.stringify(piece)),
    ).split('\n');
    const told = lines
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)) as { choices: { delta: JsonObject }[] });
    const numbered = [signed, redacted].map((block, index) => ({ index, ...block }));
    expect(told.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.thinking_blocks ?? []))).to.deep.equal(numbered);
  });
});
