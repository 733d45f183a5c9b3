import type { JsonObject } from '@tollgate/providers';
import { expect } from 'chai';
import { callers } from './heard.ts';
import { type CallerName, streamFor, toldTo, type Upstream, wholeFor } from './next-turn.ts';

const claude: Upstream = { type: 14, model: 'claude-sonnet-4-20250514' };
const gemini: Upstream = { type: 24, model: 'gemini-2.0-flash' };
const openai: Upstream = { type: 1, model: 'gpt-4o' };

/** What a model wrote as arguments, and what it comes to where they are an object. */
const odd: [written: string, object: string][] = [
  ['', '{}'],
  ['  ', '{}'],
  ['{"a":12345678901234567890}', '{"a":12345678901234567890}'],
  ...['"Oslo"', '5', 'null', '["Oslo"]', '{"city":', 'city=Oslo'].map((text): [string, string] => [
    text,
    JSON.stringify({ arguments: text }),
  ]),
];

/** A conversation in which a call with such arguments has been answered. */
function conversation(caller: 'openai' | 'responses', args: string): string {
  const called = { name: 'weather', arguments: args };
  const go = { role: 'user', content: 'go' };
  return JSON.stringify(
    caller === 'openai'
      ? {
          model: 'm',
          messages: [
            go,
            { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: called }] },
            { role: 'tool', tool_call_id: 'call_1', content: 'what city?' },
          ],
        }
      : {
          model: 'm',
          input: [
            go,
            { type: 'function_call', call_id: 'call_1', ...called },
            { type: 'function_call_output', call_id: 'call_1', output: 'what city?' },
          ],
        },
  );
}

describe('a conversation in which a model once wrote arguments that are no object', () => {
  for (const caller of ['openai', 'responses'] as const) {
    for (const [written, object] of odd) {
      it(`goes on at Anthropic and Gemini, of callers of ${caller}: ${JSON.stringify(written)}`, () => {
        const atAnthropic = toldTo(claude, caller, conversation(caller, written));
        expect(atAnthropic).to.include(`{"type":"tool_use","id":"call_1","name":"weather","input":${object}}`);
        expect(atAnthropic).to.include('{"type":"tool_result","tool_use_id":"call_1","content":"what city?"}');
        const atGemini = toldTo(gemini, caller, conversation(caller, written));
        expect(atGemini).to.include(`{"functionCall":{"name":"weather","args":${object}}`);
        expect(atGemini).to.include('{"functionResponse":{"name":"weather","response":{"output":"what city?"}}}');
      });
    }
  }
});

describe('arguments that are no object', () => {
  const call = (args: string) => ({ index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: args } });
  const heardBy = (name: CallerName) => callers.find(({ route }) => route.dialect.name === name) as (typeof callers)[number];

  for (const name of ['anthropic', 'gemini'] as const) {
    for (const [written, object] of odd.filter(([args]) => !args.includes('1234'))) {
      it(`are told in one to callers of ${name}, whole and in a stream: ${JSON.stringify(written)}`, () => {
        const message = { role: 'assistant', content: null, tool_calls: [call(written)] };
        const whole = wholeFor(name, openai, JSON.stringify({ id: 'x', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }));
        expect(
          heardBy(name)
            .whole(JSON.parse(whole) as JsonObject)
            .calls.map(({ args }) => args),
        ).to.deep.equal([JSON.parse(object)]);
        if (name === 'anthropic' && written.startsWith('{')) return; // pieces of an object are told as they come
        const half = Math.ceil(written.length / 2);
        const pieces = [call(written.slice(0, half)), { index: 0, function: { arguments: written.slice(half) } }];
        const deltas: JsonObject[] = [...pieces.map((piece) => ({ tool_calls: [piece] })), {}];
        const chunks = deltas.map((delta, at) => ({
          id: 'x',
          choices: [{ index: 0, delta, finish_reason: at === pieces.length ? 'tool_calls' : null }],
        }));
        const heard = heardBy(name).streamed(
          streamFor(
            name,
            openai,
            chunks.map((chunk) => JSON.stringify(chunk)),
          ),
        );
        expect(heard.calls.map(({ args }) => args)).to.deep.equal([JSON.parse(object)]);
      });
    }
  }
});
