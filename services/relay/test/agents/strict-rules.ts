import type { AgentRequest, Json } from './scripted-formats.ts';

/** Kinds of upstreams that a session is tried on. */
export type UpstreamKind = 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini' | 'deepseek';

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** Why the provider refuses a request, by its published rules; undefined where it takes it. */
export function refusalOf(kind: UpstreamKind, body: Json, request: AgentRequest): string | undefined {
  const longName = request.tools.find((name) => name.length > (kind === 'anthropic' ? 128 : 64));
  if (longName !== undefined) return `tool name too long: ${longName}`;
  return rules[kind === 'openai-responses' && request.format === 'chat' ? 'openai-chat' : kind](body);
}

/** Sources: https://platform.openai.com/docs/api-reference/chat/create and .../responses/create */
const chatFields = new Set([
  ...[
    'model',
    'messages',
    'stream',
    'stream_options',
    'temperature',
    'top_p',
    'max_tokens',
    'max_completion_tokens',
    'n',
    'stop',
    'seed',
    'user',
  ],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'response_format', 'reasoning_effort', 'verbosity', 'store', 'metadata', 'logprobs'],
  ...[
    'prompt_cache_key',
    'prompt_cache_retention',
    'safety_identifier',
    'service_tier',
    'presence_penalty',
    'frequency_penalty',
    'prediction',
  ],
]);
const responsesFields = new Set([
  ...[
    'model',
    'input',
    'instructions',
    'stream',
    'stream_options',
    'temperature',
    'top_p',
    'max_output_tokens',
    'user',
    'store',
    'include',
  ],
  ...[
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'text',
    'reasoning',
    'metadata',
    'prompt_cache_key',
    'prompt_cache_retention',
    'truncation',
  ],
  ...['safety_identifier', 'service_tier', 'client_metadata', 'previous_response_id', 'background', 'top_logprobs', 'max_tool_calls'],
]);
const messagesFields = new Set([
  ...[
    'model',
    'messages',
    'system',
    'max_tokens',
    'stream',
    'temperature',
    'top_p',
    'top_k',
    'stop_sequences',
    'tools',
    'tool_choice',
    'metadata',
  ],
  ...[
    'thinking',
    'output_config',
    'context_management',
    'cache_control',
    'service_tier',
    'speed',
    'diagnostics',
    'fallbacks',
    'fallback_credit_token',
  ],
]);

function unknownField(body: Json, known: ReadonlySet<string>): string | undefined {
  const field = Object.keys(body).find((name) => !known.has(name));
  return field === undefined ? undefined : `Unrecognized request argument supplied: ${field}`;
}

/** Each call has its result right behind it, and no result is without its call. */
function chatPairing(messages: Json[]): string | undefined {
  let open = new Set<unknown>();
  for (const { role, tool_calls: calls, tool_call_id: id, content } of messages) {
    if (role === 'tool') {
      if (!open.delete(id)) return `tool message ${String(id)} answers no call`;
      if (content === '' || content === null || content === undefined) return 'empty tool message';
      continue;
    }
    if (open.size > 0) return `tool_call_ids without response: ${[...open].join(', ')}`;
    if (role === 'assistant' && calls === undefined && !content) return 'an assistant message must say or call something';
    open = new Set(list(calls).map((call) => call.id));
  }
  return open.size > 0 ? `tool_call_ids without response: ${[...open].join(', ')}` : undefined;
}

const rules: Record<UpstreamKind, (body: Json) => string | undefined> = {
  'openai-chat': (body) => {
    const long = typeof body.user === 'string' && body.user.length > 64 ? 'user is too long' : undefined;
    const foreign = list(body.messages).find((message) => 'reasoning_content' in message || 'thinking_blocks' in message);
    return unknownField(body, chatFields) ?? long ?? (foreign && 'unknown field in a message') ?? chatPairing(list(body.messages));
  },
  'openai-responses'(body) {
    const called = new Set<unknown>();
    const answered = new Set<unknown>();
    for (const item of list(body.input)) {
      if (item.type === 'item_reference') return 'Item not found';
      if (item.type === 'reasoning' && !String(item.encrypted_content ?? '').startsWith('gAAAAAopenai'))
        return 'The encrypted content could not be verified.';
      if (String(item.type).endsWith('_call') && item.call_id) called.add(item.call_id);
      if (String(item.type).endsWith('_call_output')) {
        if (!called.has(item.call_id)) return `No tool call found for call_id ${String(item.call_id)}`;
        answered.add(item.call_id);
      }
    }
    const missing = [...called].find((id) => !answered.has(id));
    return (
      unknownField(body, responsesFields) ??
      (missing === undefined ? undefined : `No tool output found for function call ${String(missing)}`)
    );
  },
  anthropic(body) {
    const messages = list(body.messages);
    const isThinking = ['enabled', 'adaptive'].includes(String((body.thinking as Json | undefined)?.type));
    for (const [at, { role, content }] of messages.entries()) {
      const blocks = list(content);
      for (const block of blocks) {
        if (block.type === 'thinking' && !String(block.signature).startsWith('c2lnanthropic'))
          return 'Invalid `signature` in `thinking` block';
        if (block.type === 'redacted_thinking') return 'Invalid data in `redacted_thinking` block';
        if (block.type === 'text' && block.text === '') return 'text content blocks must be non-empty';
      }
      const results = new Set(
        list(messages[at + 1]?.content)
          .filter(({ type }) => type === 'tool_result')
          .map((block) => block.tool_use_id),
      );
      const open = blocks.find(({ type, id }) => type === 'tool_use' && !results.has(id));
      if (open !== undefined) return `tool_use ids were found without tool_result blocks: ${String(open.id)}`;
      if (role !== 'user' && role !== 'assistant' && role !== 'system') return `unexpected role ${String(role)}`;
    }
    const lastTurn = messages.findLast(({ role }) => role === 'assistant');
    const calls = list(lastTurn?.content).some(({ type }) => type === 'tool_use');
    const isInLoop = calls && list(messages.at(-1)?.content).some(({ type }) => type === 'tool_result');
    if ((body.thinking as Json | undefined)?.type === 'enabled' && isInLoop && list(lastTurn?.content)[0]?.type !== 'thinking')
      return 'Expected `thinking` or `redacted_thinking`, but found `text`';
    if (isThinking && body.temperature !== undefined && body.temperature !== 1)
      return 'temperature may only be set to 1 when thinking is enabled';
    const top = list(body.tools).find(({ input_schema: schema }) =>
      ['anyOf', 'oneOf', 'allOf'].some((name) => name in ((schema ?? {}) as Json)),
    );
    return unknownField(body, messagesFields) ?? (top && 'input_schema does not support oneOf, allOf, or anyOf at the top level');
  },
  gemini(body) {
    let open: unknown[] = [];
    for (const { role, parts } of list(body.contents)) {
      const calls = list(parts).filter((part) => part.functionCall !== undefined);
      const results = list(parts).filter((part) => part.functionResponse !== undefined);
      if (results.length !== open.length) return 'the number of function response parts must equal that of the function call parts';
      if (role === 'model' && calls.length > 0 && !calls[0]?.thoughtSignature) return 'Function call is missing a thought_signature';
      const foreign = list(parts).find(
        ({ thoughtSignature: signature }) =>
          signature && !/^(?:c2lngemini|skip_thought_signature_validator$|context_engineering)/.test(String(signature)),
      );
      if (foreign !== undefined) return 'Corrupted thought signature.';
      open = calls;
    }
    const declared = JSON.stringify(
      list(body.tools).flatMap((tool) => list(tool.functionDeclarations).map(({ parameters }) => parameters ?? {})),
    );
    const keyword = ['"$schema"', '"additionalProperties"', '"$ref"', '"exclusiveMinimum"', '"const"'].find((name) =>
      declared.includes(`${name}:`),
    );
    return keyword === undefined ? undefined : `Unknown name ${keyword} at 'tools[0].function_declarations[0].parameters'`;
  },
  deepseek(body) {
    const isThinking = (body.thinking as Json | undefined)?.type !== 'disabled';
    const bare = list(body.messages).find(
      ({ role, tool_calls: calls, reasoning_content: thought }) => role === 'assistant' && calls && !thought,
    );
    if (isThinking && bare !== undefined) return 'The `reasoning_content` in the thinking mode must be passed back to the API.';
    return chatPairing(list(body.messages));
  },
};
