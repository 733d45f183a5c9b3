import { expect } from 'chai';
import { type CallerName, callerNames, streamFor, toldTo, type Upstream, wholeFor } from './next-turn.ts';

/** No double holds these: the nearest ones end in 00, 4 and 2. */
const large = ['12345678901234567890', '9007199254740993', '-9007199254740995'];
const args = `{"id":${large[0]},"more":[${large[1]},{"deep":${large[2]}}],"small":7,"ratio":0.5}`;
const text = JSON.stringify(args);

const upstreams: Record<'openai' | 'anthropic' | 'gemini', Upstream> = {
  openai: { type: 1, model: 'gpt-4o' },
  anthropic: { type: 14, model: 'claude-sonnet-4-5' },
  gemini: { type: 24, model: 'gemini-2.5-flash' },
};

/** A conversation in which a tool was called. */
const questions: Record<CallerName, string> = {
  openai: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"id":"call_a","type":"function","function":{"name":"f","arguments":${text}}}]},{"role":"tool","tool_call_id":"call_a","content":${text}}]}`,
  anthropic: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"call_a","name":"f","input":${args}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_a","content":${text}}]}]}`,
  gemini: `{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":${args}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":${args}}}]}]}`,
  responses: `{"model":"m","input":[{"role":"user","content":"go"},{"type":"function_call","call_id":"call_a","name":"f","arguments":${text}},{"type":"function_call_output","call_id":"call_a","output":${text}}]}`,
};

const wholes: Record<keyof typeof upstreams, string> = {
  openai: `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_a","type":"function","function":{"name":"f","arguments":${text}}}]},"finish_reason":"tool_calls"}]}`,
  anthropic: `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"call_a","name":"f","input":${args}}],"stop_reason":"tool_use"}`,
  gemini: `{"candidates":[{"index":0,"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":${args}}}]},"finishReason":"STOP"}]}`,
};

const streams: Record<keyof typeof upstreams, string[]> = {
  openai: [
    `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"f","arguments":${text}}}]},"finish_reason":null}]}`,
    '{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}',
    '[DONE]',
  ],
  anthropic: [
    '{"type":"message_start","message":{"id":"msg_1","model":"m","usage":{"input_tokens":1,"output_tokens":1}}}',
    `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"call_a","name":"f","input":${args}}}`,
    '{"type":"content_block_stop","index":0}',
    '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}',
    '{"type":"message_stop"}',
  ],
  gemini: [wholes.gemini],
};

describe('integers that no double can hold', () => {
  for (const caller of callerNames) {
    for (const [name, upstream] of Object.entries(upstreams) as [keyof typeof upstreams, Upstream][]) {
      it(`keep their digits in the arguments of calls between callers of ${caller} and a provider who speaks ${name}`, () => {
        const told = {
          question: toldTo(upstream, caller, questions[caller]),
          whole: wholeFor(caller, upstream, wholes[name]),
          stream: streamFor(caller, upstream, streams[name]),
        };
        for (const [way, said] of Object.entries(told)) for (const digits of large) expect(said, way).to.include(digits);
        for (const [way, said] of Object.entries(told)) expect(said, way).to.match(/small\\?":7,\\?"ratio\\?":0\.5/);
      });
    }
  }

  it('that stand where a number is read are refused or not believed, as ever', () => {
    const hostile = questions.anthropic.replace('"max_tokens":9', `"max_tokens":${large[0]}`);
    expect(() => toldTo(upstreams.openai, 'anthropic', hostile)).to.throw(/max_tokens/);
    const bill = wholes.anthropic.replace('"stop_reason"', `"usage":{"input_tokens":${large[0]},"output_tokens":1},"stop_reason"`);
    expect(wholeFor('openai', upstreams.anthropic, bill)).to.include('"prompt_tokens":0');
  });
});
