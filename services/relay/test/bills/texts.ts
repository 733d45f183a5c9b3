import type { HandMadeBill, Json } from './hand-made-bill.ts';

const hello = [{ role: 'user', content: 'Hello there' }];
const chat = (model: string, fields: Json = {}) => ({
  mode: 'chat' as const,
  path: '/v1/chat/completions',
  body: { model, messages: hello, ...fields },
});
const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello you' }, finish_reason: 'stop' }];
const said = (usage: Json) => ({ json: { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage } });
const piece = { choices: [{ index: 0, delta: { content: 'Hello you' }, finish_reason: null }] };
const spoken = (usage: Json) => ({
  events: [piece, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, { choices: [], usage }, '[DONE]'],
});
const message = (usage: Json) => ({
  json: { id: 'msg', type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hello you' }], stop_reason: 'end_turn', usage },
});
const candidates = [{ index: 0, content: { role: 'model', parts: [{ text: 'Hello you' }] }, finishReason: 'STOP' }];
const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  output: [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hello you', annotations: [] }],
    },
  ],
};
const everySense = {
  prompt_tokens: 1000,
  completion_tokens: 500,
  total_tokens: 1500,
  prompt_tokens_details: { cached_tokens: 200, audio_tokens: 300, image_tokens: 100 },
  completion_tokens_details: { reasoning_tokens: 50, audio_tokens: 400 },
};

/** Chats, completions, embeddings and responses. */
export const textBills: HandMadeBill[] = [
  {
    title: 'a chat',
    ...chat('texts'),
    told: said({ prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }),
    lines: [
      ['textInput', 1000, 2.5],
      ['textOutput', 100, 10],
    ],
    sum: '(1000 × 2.5 + 100 × 10) × 0.5 = 1750',
    quota: 1750,
  },
  {
    title: 'a streamed chat, part of it from a cache, part of it thought',
    ...chat('texts', { stream: true }),
    told: spoken({
      prompt_tokens: 1000,
      completion_tokens: 100,
      total_tokens: 1100,
      prompt_tokens_details: { cached_tokens: 640 },
      completion_tokens_details: { reasoning_tokens: 60 },
    }),
    lines: [
      ['textInput', 360, 2.5],
      ['cachedInput', 640, 1.25],
      ['textOutput', 40, 10],
      ['reasoningOutput', 60, 10],
    ],
    sum: '(360 × 2.5 + 640 × 1.25 + 40 × 10 + 60 × 10) × 0.5 = 1350',
    quota: 1350,
  },
  {
    title: 'a chat of text, sound and pictures, in and out',
    ...chat('senses'),
    told: said(everySense),
    lines: [
      ['textInput', 400, 2],
      ['cachedInput', 200, 0.2],
      ['audioInput', 300, 32],
      ['imageInput', 100, 2.5],
      ['textOutput', 50, 8],
      ['reasoningOutput', 50, 8],
      ['audioOutput', 400, 64],
    ],
    sum: '(400 × 2 + 200 × 0.2 + 300 × 32 + 100 × 2.5 + 50 × 8 + 50 × 8 + 400 × 64) × 0.5 = 18545',
    quota: 18_545,
  },
  {
    title: 'a chat that draws a picture',
    ...chat('artist'),
    told: said({ prompt_tokens: 10, completion_tokens: 1310, total_tokens: 1320, completion_tokens_details: { image_tokens: 1290 } }),
    lines: [
      ['textInput', 10, 0.3],
      ['textOutput', 20, 2.5],
      ['imageOutput', 1290, 30],
    ],
    sum: '(10 × 0.3 + 20 × 2.5 + 1290 × 30) × 0.5 = 19376.5',
    quota: 19_377,
  },
  {
    title: 'the same from Gemini',
    ...chat('artist'),
    channel: { type: 24 },
    told: {
      json: {
        candidates,
        usageMetadata: {
          promptTokenCount: 10,
          candidatesTokenCount: 1310,
          totalTokenCount: 1320,
          candidatesTokensDetails: [
            { modality: 'IMAGE', tokenCount: 1290 },
            { modality: 'TEXT', tokenCount: 20 },
          ],
        },
      },
    },
    lines: [
      ['textInput', 10, 0.3],
      ['textOutput', 20, 2.5],
      ['imageOutput', 1290, 30],
    ],
    sum: '(10 × 0.3 + 20 × 2.5 + 1290 × 30) × 0.5 = 19376.5',
    quota: 19_377,
  },
  {
    title: 'a chat with Gemini: a cache, sound, pictures and thoughts beside what is said',
    ...chat('senses'),
    channel: { type: 24 },
    told: {
      json: {
        candidates,
        usageMetadata: {
          promptTokenCount: 1000,
          cachedContentTokenCount: 200,
          candidatesTokenCount: 100,
          thoughtsTokenCount: 50,
          totalTokenCount: 1150,
          promptTokensDetails: [
            { modality: 'TEXT', tokenCount: 600 },
            { modality: 'AUDIO', tokenCount: 300 },
            { modality: 'IMAGE', tokenCount: 100 },
          ],
        },
      },
    },
    lines: [
      ['textInput', 400, 2],
      ['cachedInput', 200, 0.2],
      ['audioInput', 300, 32],
      ['imageInput', 100, 2.5],
      ['textOutput', 100, 8],
      ['reasoningOutput', 50, 8],
    ],
    sum: '(400 × 2 + 200 × 0.2 + 300 × 32 + 100 × 2.5 + 100 × 8 + 50 × 8) × 0.5 = 5945',
    quota: 5945,
  },
  {
    title: 'the same with a cache that tells what of it was sound and pictures',
    ...chat('senses'),
    channel: { type: 24 },
    told: {
      json: {
        candidates,
        usageMetadata: {
          promptTokenCount: 1000,
          cachedContentTokenCount: 400,
          candidatesTokenCount: 100,
          totalTokenCount: 1100,
          cacheTokensDetails: [
            { modality: 'TEXT', tokenCount: 250 },
            { modality: 'AUDIO', tokenCount: 100 },
            { modality: 'IMAGE', tokenCount: 50 },
          ],
          promptTokensDetails: [
            { modality: 'TEXT', tokenCount: 600 },
            { modality: 'AUDIO', tokenCount: 300 },
            { modality: 'IMAGE', tokenCount: 100 },
          ],
        },
      },
    },
    lines: [
      ['textInput', 350, 2],
      ['cachedInput', 300, 0.2],
      ['cachedAudio', 100, 0.4],
      ['audioInput', 200, 32],
      ['imageInput', 50, 2.5],
      ['textOutput', 100, 8],
    ],
    sum: '(350 × 2 + 300 × 0.2 + 100 × 0.4 + 200 × 32 + 50 × 2.5 + 100 × 8) × 0.5 = 4062.5',
    quota: 4063,
  },
  {
    title: 'a chat with Anthropic that reads a cache and writes two',
    ...chat('keeper'),
    channel: { type: 14 },
    told: message({
      input_tokens: 100,
      cache_read_input_tokens: 2000,
      cache_creation_input_tokens: 700,
      output_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 400, ephemeral_1h_input_tokens: 300 },
    }),
    lines: [
      ['textInput', 100, 3],
      ['cachedInput', 2000, 0.3],
      ['cacheWrite5m', 400, 3.75],
      ['cacheWrite1h', 300, 6],
      ['textOutput', 30, 15],
    ],
    sum: '(100 × 3 + 2000 × 0.3 + 400 × 3.75 + 300 × 6 + 30 × 15) × 0.5 = 2325',
    quota: 2325,
  },
  {
    title: 'the same for a caller of Messages',
    mode: 'chat',
    path: '/v1/messages',
    body: { model: 'keeper', max_tokens: 100, messages: hello },
    channel: { type: 14 },
    told: message({ input_tokens: 100, cache_read_input_tokens: 2000, cache_creation_input_tokens: 700, output_tokens: 30 }),
    lines: [
      ['textInput', 100, 3],
      ['cachedInput', 2000, 0.3],
      ['cacheWrite5m', 700, 3.75],
      ['textOutput', 30, 15],
    ],
    sum: '(100 × 3 + 2000 × 0.3 + 700 × 3.75 + 30 × 15) × 0.5 = 1987.5',
    quota: 1988,
  },
  {
    title: 'a caller of generateContent',
    mode: 'chat',
    path: '/v1beta/models/texts:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello there' }] }] },
    told: said({ prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }),
    lines: [
      ['textInput', 7, 2.5],
      ['textOutput', 3, 10],
    ],
    sum: '(7 × 2.5 + 3 × 10) × 0.5 = 23.75',
    quota: 24,
  },
  {
    title: 'a caller of Responses at a channel that has them',
    mode: 'chat',
    path: '/v1/responses',
    body: { model: 'texts', input: 'Hello there' },
    channel: { type: 1, setting: '{"responses":true}' },
    told: {
      json: {
        ...response,
        usage: {
          input_tokens: 20,
          input_tokens_details: { cached_tokens: 5 },
          output_tokens: 12,
          output_tokens_details: { reasoning_tokens: 4 },
          total_tokens: 32,
        },
      },
    },
    lines: [
      ['textInput', 15, 2.5],
      ['cachedInput', 5, 1.25],
      ['textOutput', 8, 10],
      ['reasoningOutput', 4, 10],
    ],
    sum: '(15 × 2.5 + 5 × 1.25 + 8 × 10 + 4 × 10) × 0.5 = 81.875',
    quota: 82,
  },
  {
    title: 'a caller of Responses elsewhere',
    mode: 'chat',
    path: '/v1/responses',
    body: { model: 'keeper', input: 'Hello there' },
    channel: { type: 14 },
    told: message({ input_tokens: 100, cache_read_input_tokens: 50, output_tokens: 30 }),
    lines: [
      ['textInput', 100, 3],
      ['cachedInput', 50, 0.3],
      ['textOutput', 30, 15],
    ],
    sum: '(100 × 3 + 50 × 0.3 + 30 × 15) × 0.5 = 382.5',
    quota: 383,
  },
  {
    title: 'a prompt as long as the limit',
    ...chat('long-texts'),
    told: said({ prompt_tokens: 200_000, completion_tokens: 10, total_tokens: 200_010, prompt_tokens_details: { cached_tokens: 40_000 } }),
    lines: [
      ['textInput', 160_000, 1.25],
      ['cachedInput', 40_000, 0.125],
      ['textOutput', 10, 10],
    ],
    sum: '(160 000 × 1.25 + 40 000 × 0.125 + 10 × 10) × 0.5 = 102 550',
    quota: 102_550,
  },
  {
    title: 'a prompt of one token more: twice for what goes in, one and a half times for what comes out',
    ...chat('long-texts'),
    told: said({ prompt_tokens: 200_001, completion_tokens: 10, total_tokens: 200_011, prompt_tokens_details: { cached_tokens: 40_000 } }),
    lines: [
      ['textInput', 160_001, 2.5],
      ['cachedInput', 40_000, 0.25],
      ['textOutput', 10, 15],
    ],
    sum: '(160 001 × 2.5 + 40 000 × 0.25 + 10 × 15) × 0.5 = 205 076.25',
    quota: 205_076,
  },
  {
    title: 'a long prompt for a picture',
    ...chat('long-artist'),
    told: said({
      prompt_tokens: 200_001,
      completion_tokens: 1210,
      total_tokens: 201_211,
      completion_tokens_details: { image_tokens: 1200 },
    }),
    lines: [
      ['textInput', 200_001, 4],
      ['textOutput', 10, 18],
      ['imageOutput', 1200, 180],
    ],
    sum: '(200 001 × 4 + 10 × 18 + 1200 × 180) × 0.5 = 508 092',
    quota: 508_092,
  },
  {
    title: 'a dearer tier',
    ...chat('texts', { service_tier: 'priority' }),
    told: said({ prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }),
    lines: [
      ['textInput', 1000, 5],
      ['textOutput', 100, 20],
    ],
    sum: '(1000 × 5 + 100 × 20) × 0.5 = 3500',
    quota: 3500,
  },
  {
    title: 'a cheaper tier',
    ...chat('texts', { service_tier: 'flex' }),
    told: said({ prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }),
    lines: [
      ['textInput', 1000, 1.25],
      ['textOutput', 100, 5],
    ],
    sum: '(1000 × 1.25 + 100 × 5) × 0.5 = 875',
    quota: 875,
  },
  {
    title: 'a dearer tier of a picture',
    ...chat('artist', { service_tier: 'priority' }),
    told: said({ prompt_tokens: 10, completion_tokens: 1300, total_tokens: 1310, completion_tokens_details: { image_tokens: 1290 } }),
    lines: [
      ['textInput', 10, 0.6],
      ['textOutput', 10, 5],
      ['imageOutput', 1290, 60],
    ],
    sum: '(10 × 0.6 + 10 × 5 + 1290 × 60) × 0.5 = 38 728',
    quota: 38_728,
  },
  {
    title: 'a picture whose provider tells nothing of the prompt: that is our own count',
    ...chat('artist'),
    told: said({ completion_tokens: 1300, completion_tokens_details: { image_tokens: 1290 } }),
    lines: [
      ['textInput', 9, 0.3],
      ['textOutput', 10, 2.5],
      ['imageOutput', 1290, 30],
    ],
    sum: '(9 × 0.3 + 10 × 2.5 + 1290 × 30) × 0.5 = 19 363.85',
    quota: 19_364,
  },
  {
    title: 'a tool that its provider runs',
    ...chat('keeper', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }),
    channel: { type: 1 },
    told: said({ prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }),
    lines: [
      ['textInput', 1000, 3.3],
      ['textOutput', 100, 16.5],
    ],
    sum: '(1000 × 3.3 + 100 × 16.5) × 0.5 = 2475',
    quota: 2475,
  },
  {
    title: 'a search of the provider, in a dearer tier',
    ...chat('texts', { web_search_options: {}, service_tier: 'priority' }),
    told: said({ prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }),
    lines: [
      ['textInput', 1000, 6],
      ['textOutput', 100, 24],
    ],
    sum: '(1000 × 6 + 100 × 24) × 0.5 = 4200',
    quota: 4200,
  },
  {
    title: 'tools of the caller, which cost their tokens',
    ...chat('texts', { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }] }),
    told: {
      json: {
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
            },
            finish_reason: 'tool_calls',
          },
        ],
        usage: { prompt_tokens: 50, completion_tokens: 9, total_tokens: 59 },
      },
    },
    lines: [
      ['textInput', 50, 2.5],
      ['textOutput', 9, 10],
    ],
    sum: '(50 × 2.5 + 9 × 10) × 0.5 = 107.5',
    quota: 108,
  },
  {
    title: 'three answers to one question, as their provider counts them',
    ...chat('texts', { n: 3 }),
    told: said({ prompt_tokens: 10, completion_tokens: 60, total_tokens: 70 }),
    lines: [
      ['textInput', 10, 2.5],
      ['textOutput', 60, 10],
    ],
    sum: '(10 × 2.5 + 60 × 10) × 0.5 = 312.5',
    quota: 313,
  },
  {
    title: 'output that a total alone tells of',
    ...chat('texts'),
    told: said({ prompt_tokens: 100, completion_tokens: 10, total_tokens: 310 }),
    lines: [
      ['textInput', 100, 2.5],
      ['textOutput', 210, 10],
    ],
    sum: '(100 × 2.5 + 210 × 10) × 0.5 = 1175',
    quota: 1175,
  },
  {
    title: 'a stream whose usage falls: its last word counts',
    ...chat('texts', { stream: true }),
    told: {
      events: [
        { ...piece, usage: { prompt_tokens: 1000, completion_tokens: 300 } },
        { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 800, completion_tokens: 200 } },
        { choices: [], usage: { prompt_tokens: 700, completion_tokens: 100 } },
        '[DONE]',
      ],
    },
    lines: [
      ['textInput', 700, 2.5],
      ['textOutput', 100, 10],
    ],
    sum: '(700 × 2.5 + 100 × 10) × 0.5 = 1375',
    quota: 1375,
  },
  {
    title: 'a stream whose usage falls to nothing: what was said, of two tokens, is paid',
    ...chat('texts', { stream: true }),
    told: {
      events: [
        { ...piece, usage: { prompt_tokens: 10, completion_tokens: 50 } },
        { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
        { choices: [], usage: { prompt_tokens: 10, completion_tokens: 0 } },
        '[DONE]',
      ],
    },
    lines: [
      ['textInput', 10, 2.5],
      ['textOutput', 2, 10],
    ],
    sum: '(10 × 2.5 + 2 × 10) × 0.5 = 22.5',
    quota: 23,
  },
  {
    title: 'a stream of Anthropic whose usage falls',
    ...chat('keeper', { stream: true }),
    channel: { type: 14 },
    told: {
      events: [
        {
          type: 'message_start',
          message: { id: 'msg', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 100, output_tokens: 1 } },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello you' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: {}, usage: { output_tokens: 50 } },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 20 } },
        { type: 'message_stop' },
      ],
    },
    lines: [
      ['textInput', 100, 3],
      ['textOutput', 20, 15],
    ],
    sum: '(100 × 3 + 20 × 15) × 0.5 = 300',
    quota: 300,
  },
  {
    title: 'a stream of Gemini whose usage falls',
    ...chat('texts', { stream: true }),
    channel: { type: 24 },
    told: {
      events: [
        {
          candidates: [{ ...candidates[0], finishReason: undefined }],
          usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 50, totalTokenCount: 150 },
        },
        {
          candidates: [{ index: 0, content: { parts: [{ text: '' }] }, finishReason: 'STOP' }],
          usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
        },
      ],
    },
    lines: [
      ['textInput', 100, 2.5],
      ['textOutput', 20, 10],
    ],
    sum: '(100 × 2.5 + 20 × 10) × 0.5 = 225',
    quota: 225,
  },
  {
    title: 'a chat in a dearer group',
    ...chat('texts'),
    group: 1.5,
    told: said({ prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }),
    lines: [
      ['textInput', 1000, 2.5],
      ['textOutput', 100, 10],
    ],
    sum: '(1000 × 2.5 + 100 × 10) × 0.5 × 1.5 = 2625',
    quota: 2625,
  },
  {
    title: 'a chat in a group that pays nothing',
    ...chat('texts'),
    group: 0,
    told: said({ prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }),
    lines: [
      ['textInput', 1000, 2.5],
      ['textOutput', 100, 10],
    ],
    sum: '(1000 × 2.5 + 100 × 10) × 0.5 × 0 = 0',
    quota: 0,
  },
  {
    title: 'a chat that costs less than the smallest coin',
    ...chat('cheap'),
    told: said({ prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 }),
    lines: [
      ['textInput', 10, 0.01],
      ['textOutput', 2, 0.01],
    ],
    sum: '(10 × 0.01 + 2 × 0.01) × 0.5 = 0.06',
    quota: 1,
  },
  {
    title: 'a chat that is paid by the call',
    ...chat('by-call'),
    group: 1.5,
    told: said({ prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }),
    lines: [['call', 1, 0.015]],
    sum: '0.015 × 500 000 × 1.5 = 11 250',
    quota: 11_250,
  },
  {
    title: 'a completion',
    mode: 'completions',
    path: '/v1/completions',
    body: { model: 'texts', prompt: 'Hello' },
    told: {
      json: {
        id: 'c',
        object: 'text_completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, text: ' you', finish_reason: 'stop' }],
        usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
      },
    },
    lines: [
      ['textInput', 100, 2.5],
      ['textOutput', 20, 10],
    ],
    sum: '(100 × 2.5 + 20 × 10) × 0.5 = 225',
    quota: 225,
  },
  {
    title: 'embeddings',
    mode: 'embeddings',
    path: '/v1/embeddings',
    body: { model: 'embedder', input: ['one', 'two'] },
    told: {
      json: {
        object: 'list',
        model: 'm',
        data: [0, 1].map((index) => ({ object: 'embedding', index, embedding: [0.5] })),
        usage: { prompt_tokens: 20_000, total_tokens: 20_000 },
      },
    },
    lines: [['textInput', 20_000, 0.13]],
    sum: '20 000 × 0.13 × 0.5 = 1300',
    quota: 1300,
  },
  {
    title: 'embeddings for a caller of batchEmbedContents',
    mode: 'embeddings',
    path: '/v1beta/models/embedder:batchEmbedContents',
    body: { requests: [{ model: 'models/embedder', content: { parts: [{ text: 'one' }] } }] },
    told: {
      json: {
        object: 'list',
        model: 'm',
        data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
        usage: { prompt_tokens: 100, total_tokens: 100 },
      },
    },
    lines: [['textInput', 100, 0.13]],
    sum: '100 × 0.13 × 0.5 = 6.5',
    quota: 7,
  },
  {
    title: 'a moderation, by our own count: its providers count nothing',
    mode: 'moderations',
    path: '/v1/moderations',
    body: { model: 'judge', input: ['one two three', 'four'] },
    told: { json: { id: 'm', model: 'm', results: [{ flagged: false }] } },
    lines: [['textInput', 4, 4]],
    sum: '4 × 4 × 0.5 = 8',
    quota: 8,
  },
  {
    title: 'a ranking by tokens',
    mode: 'rerank',
    path: '/v1/rerank',
    body: { model: 'ranks-tokens', query: 'sea', documents: ['mountain', 'ocean'] },
    told: { json: { results: [{ index: 1, relevance_score: 0.9 }], usage: { total_tokens: 1850 } } },
    lines: [['textInput', 1850, 0.02]],
    sum: '1850 × 0.02 × 0.5 = 18.5',
    quota: 19,
  },
  {
    title: 'a ranking by searches',
    mode: 'rerank',
    path: '/v1/rerank',
    body: { model: 'ranks-searches', query: 'sea', documents: Array.from({ length: 150 }, (_, at) => `d${at}`) },
    told: { json: { results: [{ index: 1, relevance_score: 0.9 }], meta: { billed_units: { search_units: 2 } } } },
    lines: [['searches', 2, 0.002]],
    sum: '2 × 0.002 × 500 000 = 2000',
    quota: 2000,
  },
];
