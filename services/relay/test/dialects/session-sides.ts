import type { ApiFormat, Json } from '../agents/scripted-formats.ts';
import type { UpstreamKind } from '../agents/strict-rules.ts';
import { objects } from './kept-turns.ts';
import type { CallerName } from './next-turn.ts';

/** Each kind of upstream: its channel type, and a model whose rules in the catalog matter to sessions. */
export const kinds: Record<UpstreamKind, { type: number; model: string; format: ApiFormat }> = {
  'openai-chat': { type: 1, model: 'gpt-4o', format: 'chat' },
  'openai-responses': { type: 1, model: 'gpt-5.5', format: 'responses' },
  anthropic: { type: 14, model: 'claude-sonnet-4-5', format: 'anthropic' },
  gemini: { type: 24, model: 'gemini-3-pro-preview', format: 'gemini' },
  deepseek: { type: 43, model: 'deepseek-v4-pro', format: 'chat' },
};
export const kindNames = Object.keys(kinds) as UpstreamKind[];

/** A caller's side of a session: its requests, and what it keeps of answers. */
export interface Side {
  begin(): Json;
  /** The request after an answer and the results of its calls. */
  next(request: Json, answer: string, isStream: boolean): Json;
}

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const result = 'rain';
export const list = (value: unknown) => (Array.isArray(value) ? (value as Json[]) : []);

export const sides: Record<CallerName, Side> = {
  openai: {
    begin: () => ({
      ...{ model: 'm', reasoning_effort: 'high', messages: [{ role: 'user', content: 'go' }] },
      tools: [{ type: 'function', function: { name: 'look', parameters } }],
    }),
    next(request, answer, isStream) {
      const message = isStream ? joinedDeltas(answer) : (JSON.parse(answer) as { choices: { message: Json }[] }).choices[0]?.message;
      const results = list(message?.tool_calls).map(({ id }) => ({ role: 'tool', tool_call_id: id, content: result }));
      return { ...request, messages: [...list(request.messages), message, ...results] };
    },
  },
  anthropic: {
    begin: () => ({
      ...{ model: 'm', max_tokens: 9000, thinking: { type: 'enabled', budget_tokens: 4000 }, messages: [{ role: 'user', content: 'go' }] },
      tools: [{ name: 'look', input_schema: parameters }],
    }),
    next(request, answer, isStream) {
      const content = isStream ? joinedBlocks(answer) : list((JSON.parse(answer) as Json).content);
      const calls = content.filter(({ type }) => type === 'tool_use');
      const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: result }));
      return { ...request, messages: [...list(request.messages), { role: 'assistant', content }, { role: 'user', content: results }] };
    },
  },
  gemini: {
    begin: () => ({
      contents: [{ role: 'user', parts: [{ text: 'go' }] }],
      tools: [{ functionDeclarations: [{ name: 'look', parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } } } }] }],
      generationConfig: { thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true } },
    }),
    next(request, answer, isStream) {
      const answers = isStream ? objects(answer) : [JSON.parse(answer) as Json];
      const parts = answers.flatMap(({ candidates }) => list((list(candidates)[0]?.content as Json | undefined)?.parts));
      const results = parts.flatMap(({ functionCall: call }) =>
        call ? [{ functionResponse: { id: (call as Json).id, name: 'look', response: { output: result } } }] : [],
      );
      return { ...request, contents: [...list(request.contents), { role: 'model', parts }, { role: 'user', parts: results }] };
    },
  },
  responses: {
    begin: () => ({
      ...{ model: 'm', store: false, include: ['reasoning.encrypted_content'], reasoning: { effort: 'high' } },
      input: [{ role: 'user', content: 'go' }],
      tools: [{ type: 'function', name: 'look', parameters, strict: false }],
    }),
    next(request, answer, isStream) {
      const whole = isStream ? (objects(answer).at(-1)?.response as Json) : (JSON.parse(answer) as Json);
      const output = list(whole.output);
      const calls = output.filter(({ type }) => type === 'function_call');
      const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: result }));
      return { ...request, input: [...list(request.input), ...output, ...results] };
    },
  },
};

function joinedDeltas(answer: string): Json {
  const message: Json = { role: 'assistant', content: '' };
  const calls: { id?: unknown; type?: unknown; function: { name?: unknown; arguments: string }; extra_content?: unknown }[] = [];
  for (const { choices } of objects(answer)) {
    const {
      content,
      tool_calls,
      reasoning_content: thought,
      thinking_blocks: blocks,
      extra_content: extra,
    } = (list(choices)[0]?.delta ?? {}) as Json;
    message.content = `${message.content}${content ?? ''}`;
    if (thought) message.reasoning_content = `${message.reasoning_content ?? ''}${thought}`;
    if (blocks) message.thinking_blocks = [...list(message.thinking_blocks), ...list(blocks)];
    if (extra) message.extra_content = extra;
    for (const { index, function: called, ...piece } of list(tool_calls)) {
      const { name, arguments: args = '' } = called as { name?: unknown; arguments?: string };
      calls[index as number] ??= { ...piece, function: { name, arguments: '' } };
      (calls[index as number] as (typeof calls)[0]).function.arguments += args;
    }
  }
  return { ...message, tool_calls: calls };
}

function joinedBlocks(answer: string): Json[] {
  const blocks: Json[] = [];
  for (const { type, content_block: block, delta } of objects(answer)) {
    const last = blocks.at(-1) as Json;
    const { text, thinking, signature, partial_json: input } = (delta ?? {}) as Json;
    if (type === 'content_block_start') blocks.push({ ...(block as Json), ...((block as Json).type === 'tool_use' && { input: '' }) });
    if (text !== undefined) last.text = `${last.text}${text}`;
    if (thinking !== undefined) last.thinking = `${last.thinking}${thinking}`;
    if (signature !== undefined) last.signature = signature;
    if (input !== undefined) last.input = `${last.input}${input}`;
  }
  return blocks.map((block) => (block.type === 'tool_use' ? { ...block, input: JSON.parse((block.input as string) || '{}') } : block));
}

/** What of its own thinking an upstream must get back. */
export const ownMark: Record<UpstreamKind, (seed: string) => string | undefined> = {
  'openai-chat': () => undefined,
  'openai-responses': (seed) => `gAAAAA${seed}`,
  anthropic: (seed) => `c2ln${seed}`,
  gemini: (seed) => `c2ln${seed}`,
  deepseek: () => '"reasoning_content":"Hm."',
};
