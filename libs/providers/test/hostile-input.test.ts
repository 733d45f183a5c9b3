import { spoiled, wireBytes } from '@tollgate/testing';
import { expect } from 'chai';
import {
  type ChatRequest,
  estimateChat,
  type JsonObject,
  providerOf,
  RequestRefused,
  realtimeUsageIn,
  spokenTokensIn,
  UpstreamError,
} from '../src/index.ts';
import { askedOf } from './corners.ts';

const request: JsonObject = {
  model: 'm',
  messages: [
    { role: 'system', content: 'S' },
    {
      role: 'user',
      name: 'n',
      content: [
        { type: 'text', text: 't' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD', detail: 'low' } },
      ],
    },
    { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'a', content: '{"t":1}' },
  ],
  tools: [
    { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object', properties: { a: { type: 'string' } } } } },
  ],
  tool_choice: { type: 'function', function: { name: 'f' } },
  stop: ['x'],
  temperature: 1,
  top_p: 1,
  reasoning_effort: 'low',
  response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
  stream: true,
  stream_options: { include_usage: true },
};

const recorded = (file: string): unknown => JSON.parse(wireBytes(`${file}.response.json`).toString());
const taskAnswers = [
  [2, recorded('midjourney-proxy/imagine-exists'), recorded('midjourney-proxy/list-by-condition')],
  [36, recorded('suno-api/submit-music'), recorded('suno-api/fetch')],
] as const;

const modelLists = [
  [1, { object: 'list', data: [{ id: 'a', object: 'model' }, { id: 'b' }] }],
  [14, { data: [{ type: 'model', id: 'a' }], has_more: false }],
  [24, recorded('gemini/models-list')],
  [34, { models: [{ name: 'a', endpoints: ['chat'] }] }],
  [39, { result: [{ id: 'x', name: '@cf/a' }], success: true }],
] as const;

describe('hostile input', () => {
  for (const type of [1, 14, 24, 42]) {
    it(`in a caller's request to type ${type} is refused by name or sent on, and breaks nothing`, () => {
      let refused = 0;
      for (const bad of spoiled(request)) {
        const spoiledRequest = bad as ChatRequest;
        // The relay checks these before anything is sent.
        if (
          typeof spoiledRequest?.model !== 'string' ||
          !Array.isArray(spoiledRequest.messages) ||
          !spoiledRequest.messages.every(isMessage)
        )
          continue;
        try {
          expect(estimateChat(spoiledRequest).textInput).to.be.greaterThan(0);
          askedOf(type, 'chat', Buffer.from(JSON.stringify(bad)), { includeUsage: true });
        } catch (error) {
          if (!(error instanceof RequestRefused)) throw Object.assign(error as Error, { input: JSON.stringify(bad) });
          refused += 1;
        }
      }
      if (type === 14 || type === 24) expect(refused).to.be.greaterThan(50);
    });
  }

  // What of chats, texts and pictures may be anything is looked at where their answers are written: services/relay/test/dialects/hostile-answers.test.ts.

  for (const [type, submitted, listed] of taskAnswers) {
    it(`in what a provider of tasks answers (type ${type}) is an UpstreamError or no news`, () => {
      const tasks = providerOf(type)?.tasks;
      for (const bad of spoiled(submitted)) allowed(bad, () => tasks?.submission(bad));
      for (const bad of spoiled(listed)) allowed(bad, () => tasks?.news(bad));
    });
  }

  for (const [type, list] of modelLists) {
    it(`in a list of models (type ${type}) is an UpstreamError or no model`, () => {
      const models = providerOf(type)?.models;
      expect(models?.decode(list)).to.have.length.of.at.least(1);
      for (const bad of spoiled(list)) {
        allowed(bad, () => {
          for (const name of models?.decode(bad) ?? []) expect(name).to.be.a('string').and.not.equal('');
        });
      }
    });
  }

  it('in the bill of a spoken answer spoils the bill, and nothing else', () => {
    const usage = {
      input_tokens: 9,
      output_tokens: 3,
      total_tokens: 12,
      input_token_details: { cached_tokens: 4, text_tokens: 5, audio_tokens: 4, cached_tokens_details: { audio_tokens: 4 } },
      output_token_details: { text_tokens: 1, audio_tokens: 2 },
    };
    for (const bad of spoiled({ response: { usage } })) {
      const event = { ...(bad as JsonObject | null) };
      allowed(bad, () => realtimeUsageIn(event));
      allowed(bad, () => expect(spokenTokensIn(event)).to.satisfy(Number.isFinite));
    }
  });
});

function allowed(bad: unknown, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw Object.assign(error as Error, { message: `${JSON.stringify(bad)}: ${String(error)}` });
  }
}

function isMessage(message: unknown): boolean {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return false;
  const { role, content, tool_calls } = message as JsonObject;
  const isContent = typeof content === 'string' || !content || (Array.isArray(content) && content.every(isObject));
  return typeof role === 'string' && isContent && (tool_calls === undefined || (Array.isArray(tool_calls) && tool_calls.every(isObject)));
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
