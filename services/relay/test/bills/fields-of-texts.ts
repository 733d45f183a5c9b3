import type { HandMadeBill, Json, Line } from './hand-made-bill.ts';

/** What a provider counts, the lines that it makes of a bill, and their sum. */
export type Counted = Pick<HandMadeBill, 'lines' | 'sum' | 'quota'> & { usage: Json; content?: Json[] };

const hello = [{ role: 'user', content: 'Hello there' }];
export const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A question with one field that changes what is counted, or how much may come. */
function chat(model: string, fields: Json, { usage, ...due }: Counted): HandMadeBill {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello you' }, finish_reason: 'stop' }];
  return {
    title: `a chat with ${Object.keys(fields).join(' and ')}`,
    mode: 'chat',
    path: '/v1/chat/completions',
    body: { model, messages: hello, ...fields },
    told: { json: { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage } },
    ...due,
  };
}

function completion(fields: Json, { usage, ...due }: Counted): HandMadeBill {
  const choices = [{ index: 0, text: ' you', finish_reason: 'stop' }];
  return {
    title: `a completion with ${Object.keys(fields).join(' and ')}`,
    mode: 'completions',
    path: '/v1/completions',
    body: { model: 'texts', prompt: 'Hello', ...fields },
    told: { json: { id: 'c', object: 'text_completion', created: 1, model: 'm', choices, usage } },
    ...due,
  };
}

function response(fields: Json, { usage, ...due }: Counted): HandMadeBill {
  const content = [{ type: 'output_text', text: 'Hello you', annotations: [] }];
  const output = [{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content }];
  return {
    title: `a response with ${Object.keys(fields).join(' and ')}`,
    mode: 'chat',
    path: '/v1/responses',
    body: { model: 'texts', input: 'Hello there', ...fields },
    channel: { type: 1, setting: '{"responses":true}' },
    told: { json: { id: 'resp_1', object: 'response', created_at: 1, status: 'completed', output, usage } },
    ...due,
  };
}

function message(what: string, fields: Json, { usage, content = [{ type: 'text', text: 'Hello you' }], ...due }: Counted): HandMadeBill {
  return {
    title: `a message with ${what}`,
    mode: 'chat',
    path: '/v1/messages',
    body: { model: 'keeper', max_tokens: 2000, messages: hello, ...fields },
    channel: { type: 14 },
    told: { json: { id: 'msg', type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage } },
    ...due,
  };
}

/** So much text in, and out. */
export const texts = (model: { input: number; output: number }, [went, came]: [number, number], more: Line[] = []): Line[] => [
  ['textInput', went, model.input],
  ...more,
  ['textOutput', came, model.output],
];
const ofTexts = { input: 2.5, output: 10 };
export const ofSenses = { input: 2, output: 8 };
const ofKeeper = { input: 3, output: 15 };
const openAi = (went: number, came: number, more: Json = {}) => ({
  prompt_tokens: went,
  completion_tokens: came,
  total_tokens: went + came,
  ...more,
});
/** One call for each field that is said to be counted, or to cap what comes (`priced-fields/`). */
export const fieldsOfTexts: HandMadeBill[] = [
  chat(
    'senses',
    { modalities: ['text'] },
    { usage: openAi(10, 20), lines: texts(ofSenses, [10, 20]), sum: '(10 × 2 + 20 × 8) × 0.5 = 90', quota: 90 },
  ),
  chat(
    'senses',
    { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'mp3' } },
    {
      usage: openAi(10, 120, { completion_tokens_details: { audio_tokens: 100 } }),
      lines: [...texts(ofSenses, [10, 20]), ['audioOutput', 100, 64]],
      sum: '(10 × 2 + 20 × 8 + 100 × 64) × 0.5 = 3290',
      quota: 3290,
    },
  ),
  chat(
    'texts',
    { max_completion_tokens: 40 },
    { usage: openAi(10, 40), lines: texts(ofTexts, [10, 40]), sum: '(10 × 2.5 + 40 × 10) × 0.5 = 212.5', quota: 213 },
  ),
  chat(
    'texts',
    { max_tokens: 30 },
    { usage: openAi(10, 30), lines: texts(ofTexts, [10, 30]), sum: '(10 × 2.5 + 30 × 10) × 0.5 = 162.5', quota: 163 },
  ),
  chat(
    'texts',
    { prediction: { type: 'content', content: 'Hello them, and many others' } },
    {
      usage: openAi(10, 50, { completion_tokens_details: { accepted_prediction_tokens: 2, rejected_prediction_tokens: 46 } }),
      lines: texts(ofTexts, [10, 50]),
      sum: '(10 × 2.5 + 50 × 10) × 0.5 = 262.5',
      quota: 263,
    },
  ),
  completion(
    { best_of: 3 },
    { usage: openAi(10, 60), lines: texts(ofTexts, [10, 60]), sum: '(10 × 2.5 + 60 × 10) × 0.5 = 312.5', quota: 313 },
  ),
  completion({ n: 2 }, { usage: openAi(10, 40), lines: texts(ofTexts, [10, 40]), sum: '(10 × 2.5 + 40 × 10) × 0.5 = 212.5', quota: 213 }),
  completion(
    { max_tokens: 20 },
    { usage: openAi(10, 20), lines: texts(ofTexts, [10, 20]), sum: '(10 × 2.5 + 20 × 10) × 0.5 = 112.5', quota: 113 },
  ),
  response(
    { context_management: [{ type: 'compaction', compact_threshold: 1000 }] },
    {
      usage: { input_tokens: 1200, output_tokens: 90, total_tokens: 1290 },
      lines: texts(ofTexts, [1200, 90]),
      sum: '(1200 × 2.5 + 90 × 10) × 0.5 = 1950',
      quota: 1950,
    },
  ),
  response(
    { max_output_tokens: 16 },
    {
      usage: { input_tokens: 20, output_tokens: 16, total_tokens: 36 },
      lines: texts(ofTexts, [20, 16]),
      sum: '(20 × 2.5 + 16 × 10) × 0.5 = 105',
      quota: 105,
    },
  ),

  message(
    'cache_control',
    { cache_control: { type: 'ephemeral' } },
    {
      usage: { input_tokens: 100, cache_creation_input_tokens: 700, output_tokens: 30 },
      lines: texts(ofKeeper, [100, 30], [['cacheWrite5m', 700, 3.75]]),
      sum: '(100 × 3 + 700 × 3.75 + 30 × 15) × 0.5 = 1687.5',
      quota: 1688,
    },
  ),
  message(
    'compaction',
    { compaction: { type: 'summarize' } },
    {
      content: [{ type: 'compaction', content: 'We said hello' }],
      usage: { input_tokens: 1000, output_tokens: 40 },
      lines: texts(ofKeeper, [1000, 40]),
      sum: '(1000 × 3 + 40 × 15) × 0.5 = 1800',
      quota: 1800,
    },
  ),
  message(
    'context_management, which made it shorter first',
    { context_management: { edits: [{ type: 'compact_20260112' }] } },
    {
      usage: {
        input_tokens: 200,
        output_tokens: 30,
        iterations: [
          { type: 'compaction', input_tokens: 5000, output_tokens: 100 },
          { type: 'message', input_tokens: 200, output_tokens: 30 },
        ],
      },
      lines: texts(ofKeeper, [5200, 130]),
      sum: '(5200 × 3 + 130 × 15) × 0.5 = 8775',
      quota: 8775,
    },
  ),
  message(
    'thinking',
    { thinking: { type: 'enabled', budget_tokens: 1024 } },
    {
      usage: { input_tokens: 100, output_tokens: 900 },
      lines: texts(ofKeeper, [100, 900]),
      sum: '(100 × 3 + 900 × 15) × 0.5 = 6900',
      quota: 6900,
    },
  ),
  message(
    'a picture',
    { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } }] }] },
    {
      usage: { input_tokens: 1600, output_tokens: 10 },
      lines: texts(ofKeeper, [1600, 10]),
      sum: '(1600 × 3 + 10 × 15) × 0.5 = 2475',
      quota: 2475,
    },
  ),
  message(
    'a document',
    { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Hello' } }] }] },
    {
      usage: { input_tokens: 2300, output_tokens: 10 },
      lines: texts(ofKeeper, [2300, 10]),
      sum: '(2300 × 3 + 10 × 15) × 0.5 = 3525',
      quota: 3525,
    },
  ),
];
