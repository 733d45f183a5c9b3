/** One turn that the scripted model answers with. */
export interface ScriptedTurn {
  thinking?: string;
  text: string;
  calls: { name: string; args: Json }[];
}

export type Json = Record<string, unknown>;
export type ApiFormat = 'chat' | 'responses' | 'anthropic' | 'gemini';

/** What a request holds, in an order and in words that all API formats share. */
export type Event =
  | { who: 'system' | 'user' | 'model' | 'result'; text: string }
  | { who: 'call'; name: string; args: unknown }
  | { who: 'thought' };

export interface AgentRequest {
  format: ApiFormat;
  model: string;
  isStream: boolean;
  tools: string[];
  events: Event[];
}

/** The format of a path; undefined for one that is no call of a model. */
export function formatOf(path: string): ApiFormat | undefined {
  if (path.endsWith('/chat/completions')) return 'chat';
  if (path.endsWith('/responses')) return 'responses';
  if (/\/messages(?:\?|$)/.test(path)) return 'anthropic';
  return /:(?:stream)?[gG]enerateContent/.test(path) ? 'gemini' : undefined;
}

export function readRequest(path: string, body: Json): AgentRequest {
  const format = formatOf(path) as ApiFormat;
  return { format, ...readers[format](body, path) };
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : list(content)
        .map((part) => (typeof part.text === 'string' ? part.text : textOf(part.content)))
        .join('');
const speaker = (role: unknown): 'system' | 'user' | 'model' => {
  if (role === 'assistant' || role === 'model') return 'model';
  return role === 'user' ? 'user' : 'system';
};
const parsed = (text: unknown): unknown => {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
};
const said = (who: 'system' | 'user' | 'model' | 'result', text: string): Event[] => (text === '' ? [] : [{ who, text }]);

const readers: Record<ApiFormat, (body: Json, path: string) => Omit<AgentRequest, 'format'>> = {
  chat: (body) => ({
    model: String(body.model),
    isStream: body.stream === true,
    tools: list(body.tools).map(({ function: called }) => String((called as Json | undefined)?.name)),
    events: list(body.messages).flatMap((message): Event[] => {
      const { role, content, tool_calls: calls, reasoning_content: thought } = message;
      if (role === 'tool') return said('result', textOf(content));
      if (role === 'user') return said('user', textOf(content));
      if (role !== 'assistant') return said('system', textOf(content));
      const made = list(calls).map(({ function: called }): Event => {
        const { name, arguments: args } = called as Json;
        return { who: 'call', name: String(name), args: parsed(args) };
      });
      return [
        ...(typeof thought === 'string' && thought.trim() !== '' ? [{ who: 'thought' } as Event] : []),
        ...said('model', textOf(content)),
        ...made,
      ];
    }),
  }),
  responses: (body) => ({
    model: String(body.model),
    isStream: body.stream === true,
    tools: list(body.tools).flatMap(({ name, type, tools }) =>
      type === 'namespace' ? list(tools).map((tool) => `${String(name)}__${String(tool.name)}`) : [String(name ?? type)],
    ),
    events: [
      ...said('system', String(body.instructions ?? '')),
      ...list(body.input).flatMap((item): Event[] => {
        const { type = 'message', role, content, name, arguments: args, input, output } = item;
        if (type === 'message') return said(speaker(role), textOf(content));
        if (type === 'function_call') return [{ who: 'call', name: String(name), args: parsed(args) }];
        if (type === 'custom_tool_call') return [{ who: 'call', name: String(name), args: { input } }];
        if (type === 'function_call_output' || type === 'custom_tool_call_output') return said('result', textOf(output));
        return type === 'reasoning' ? [{ who: 'thought' }] : [];
      }),
    ],
  }),
  anthropic: (body) => ({
    model: String(body.model),
    isStream: body.stream === true,
    tools: list(body.tools).map(({ name }) => String(name)),
    events: [
      ...said('system', textOf(body.system)),
      ...list(body.messages).flatMap(({ role, content }): Event[] => {
        const who = speaker(role);
        if (typeof content === 'string') return said(who, content);
        return list(content).flatMap((block): Event[] => {
          if (block.type === 'text') return said(who, String(block.text));
          if (block.type === 'tool_use') return [{ who: 'call', name: String(block.name), args: block.input }];
          if (block.type === 'tool_result') return said('result', textOf(block.content));
          return block.type === 'thinking' || block.type === 'redacted_thinking' ? [{ who: 'thought' }] : [];
        });
      }),
    ],
  }),
  gemini: (body, path) => ({
    model: /models\/([^:]+):/.exec(path)?.[1] ?? '',
    isStream: path.includes('stream'),
    tools: list(body.tools).flatMap((tool) => list(tool.functionDeclarations).map(({ name }) => String(name))),
    events: [
      ...said('system', textOf((body.systemInstruction as Json | undefined)?.parts)),
      ...list(body.contents).flatMap(({ role, parts }) =>
        list(parts).flatMap((part): Event[] => {
          const {
            functionCall: call,
            functionResponse: result,
            thought,
            text,
          } = part as { functionCall?: Json; functionResponse?: Json } & Json;
          if (call !== undefined) return [{ who: 'call', name: String(call.name), args: call.args ?? {} }];
          if (result !== undefined) {
            const { output, error } = (result.response ?? {}) as Json;
            return said('result', String(output ?? error ?? JSON.stringify(result.response)));
          }
          return thought === true ? [{ who: 'thought' }] : said(role === 'model' ? 'model' : 'user', String(text ?? ''));
        }),
      ),
    ],
  }),
};

const counts = { input: 1000, cached: 200, output: 50 };

/** A turn as the body of an answer: JSON, or an event stream. `seed` makes ids unique. */
export function writeTurn(
  turn: ScriptedTurn,
  { format, model, isStream }: AgentRequest,
  seed: string,
): { contentType: string; body: string } {
  const written = writers[format](turn, { model, seed });
  if (!isStream) return { contentType: 'application/json', body: JSON.stringify(written.whole) };
  return { contentType: 'text/event-stream', body: written.events.map((event) => eventText(event, format)).join('') };
}

function eventText(event: Json | string, format: ApiFormat): string {
  const data = typeof event === 'string' ? event : JSON.stringify(event);
  const isNamed = format === 'anthropic' || format === 'responses';
  return `${isNamed ? `event: ${(event as Json).type}\n` : ''}data: ${data}\n\n`;
}

interface Written {
  whole: Json;
  events: (Json | string)[];
}

/** Two halves, so that a stream has pieces. */
const halves = (text: string): string[] => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)].filter((half) => half !== '');

const writers: Record<ApiFormat, (turn: ScriptedTurn, answer: { model: string; seed: string }) => Written> = {
  chat({ thinking, text, calls }, { model, seed }) {
    const head = { id: `chatcmpl-${seed}`, created: 1_790_000_000, model };
    const made = calls.map(({ name, args }, at) => ({
      id: `call_${seed}_${at}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }));
    const reason = calls.length > 0 ? 'tool_calls' : 'stop';
    const usage = {
      ...{ prompt_tokens: counts.input, completion_tokens: counts.output, total_tokens: counts.input + counts.output },
      prompt_tokens_details: { cached_tokens: counts.cached },
    };
    const message = {
      role: 'assistant',
      content: text,
      ...(thinking && { reasoning_content: thinking }),
      ...(made.length > 0 && { tool_calls: made }),
    };
    const chunk = (delta: Json, finish_reason: string | null = null) => ({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    });
    return {
      whole: { ...head, object: 'chat.completion', choices: [{ index: 0, message, logprobs: null, finish_reason: reason }], usage },
      events: [
        chunk({ role: 'assistant', content: '' }),
        ...(thinking ? [chunk({ reasoning_content: thinking })] : []),
        ...halves(text).map((half) => chunk({ content: half })),
        ...made.flatMap((call, index) => [
          chunk({ tool_calls: [{ ...call, index, function: { ...call.function, arguments: '' } }] }),
          ...halves(call.function.arguments).map((half) => chunk({ tool_calls: [{ index, function: { arguments: half } }] })),
        ]),
        chunk({}, reason),
        { ...head, object: 'chat.completion.chunk', choices: [], usage },
        '[DONE]',
      ],
    };
  },
  responses({ thinking, text, calls }, { model, seed }) {
    const usage = {
      ...{ input_tokens: counts.input, input_tokens_details: { cached_tokens: counts.cached }, output_tokens: counts.output },
      ...{ output_tokens_details: { reasoning_tokens: 0 }, total_tokens: counts.input + counts.output },
    };
    const output: Json[] = [
      ...(thinking
        ? [{ id: `rs_${seed}`, type: 'reasoning', summary: [{ type: 'summary_text', text: thinking }], encrypted_content: `gAAAAA${seed}` }]
        : []),
      ...(text
        ? [
            {
              id: `msg_${seed}`,
              type: 'message',
              status: 'completed',
              role: 'assistant',
              content: [{ type: 'output_text', text, annotations: [] }],
            },
          ]
        : []),
      ...calls.map(({ name, args }, at) => ({
        ...{ id: `fc_${seed}_${at}`, type: 'function_call', status: 'completed', call_id: `call_${seed}_${at}`, name },
        arguments: JSON.stringify(args),
      })),
    ];
    const response = {
      id: `resp_${seed}`,
      object: 'response',
      created_at: 1_790_000_000,
      model,
      status: 'completed',
      ...{ completed_at: 1_790_000_001, error: null, incomplete_details: null, previous_response_id: null, instructions: null },
      ...{ tools: [], tool_choice: 'auto', truncation: 'disabled', parallel_tool_calls: true, text: { format: { type: 'text' } } },
      ...{ temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0, top_logprobs: 0, max_output_tokens: null },
      ...{ reasoning: { effort: null, summary: null }, max_tool_calls: null, store: false, background: false, service_tier: 'default' },
      ...{ metadata: {}, safety_identifier: null, prompt_cache_key: null },
      output,
      usage,
    };
    const events: Json[] = [{ type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } }];
    for (const [output_index, item] of output.entries()) {
      const at = { output_index, item_id: item.id };
      events.push({
        type: 'response.output_item.added',
        output_index,
        item: {
          ...item,
          status: 'in_progress',
          ...(item.type === 'message' && { content: [] }),
          ...(item.type === 'function_call' && { arguments: '' }),
        },
      });
      if (item.type === 'message') {
        const part = { type: 'output_text', text: '', annotations: [] };
        events.push({ type: 'response.content_part.added', ...at, content_index: 0, part });
        events.push(...halves(text).map((delta) => ({ type: 'response.output_text.delta', ...at, content_index: 0, delta })));
        events.push({ type: 'response.output_text.done', ...at, content_index: 0, text });
        events.push({ type: 'response.content_part.done', ...at, content_index: 0, part: { ...part, text } });
      }
      if (item.type === 'function_call') {
        events.push(...halves(item.arguments as string).map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })));
        events.push({ type: 'response.function_call_arguments.done', ...at, name: item.name, arguments: item.arguments });
      }
      events.push({ type: 'response.output_item.done', output_index, item });
    }
    events.push({ type: 'response.completed', response });
    return { whole: response, events: events.map((event, sequence_number) => ({ ...event, sequence_number })) };
  },
  anthropic({ thinking, text, calls }, { model, seed }) {
    const content: Json[] = [
      ...(thinking ? [{ type: 'thinking', thinking, signature: `c2ln${seed}` }] : []),
      ...(text ? [{ type: 'text', text }] : []),
      ...calls.map(({ name, args }, at) => ({ type: 'tool_use', id: `toolu_${seed}_${at}`, name, input: args })),
    ];
    const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn';
    const head = { id: `msg_${seed}`, type: 'message', role: 'assistant', model, stop_sequence: null };
    const usage = {
      input_tokens: counts.input - counts.cached,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: counts.cached,
      output_tokens: counts.output,
    };
    const delta = (index: number, value: Json) => ({ type: 'content_block_delta', index, delta: value });
    const events: Json[] = [
      { type: 'message_start', message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } },
    ];
    for (const [index, block] of content.entries()) {
      const empty = { thinking: { thinking: '', signature: '' }, text: { text: '' }, tool_use: { input: {} } }[block.type as string];
      events.push({ type: 'content_block_start', index, content_block: { ...block, ...empty } });
      if (block.type === 'thinking') {
        events.push(
          delta(index, { type: 'thinking_delta', thinking: block.thinking }),
          delta(index, { type: 'signature_delta', signature: block.signature }),
        );
      } else if (block.type === 'text') events.push(...halves(text).map((half) => delta(index, { type: 'text_delta', text: half })));
      else
        events.push(...halves(JSON.stringify(block.input)).map((partial_json) => delta(index, { type: 'input_json_delta', partial_json })));
      events.push({ type: 'content_block_stop', index });
    }
    events.push({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage }, { type: 'message_stop' });
    return { whole: { ...head, content, stop_reason, usage }, events };
  },
  gemini({ thinking, text, calls }, { model, seed }) {
    const parts: Json[] = [
      ...(thinking ? [{ text: thinking, thought: true }] : []),
      ...(text ? [{ text }] : []),
      ...calls.map(({ name, args }, at) => ({
        functionCall: { name, args },
        ...(at === 0 && thinking && { thoughtSignature: `c2ln${seed}` }),
      })),
    ];
    const usageMetadata = {
      ...{ promptTokenCount: counts.input, cachedContentTokenCount: counts.cached, candidatesTokenCount: counts.output },
      totalTokenCount: counts.input + counts.output,
    };
    const answer = (some: Json[], finishReason?: string) => ({
      candidates: [{ index: 0, content: { role: 'model', parts: some }, ...(finishReason && { finishReason }) }],
      ...(finishReason && { usageMetadata }),
      ...{ modelVersion: model, responseId: seed },
    });
    return { whole: answer(parts, 'STOP'), events: [...parts.map((part) => answer([part])), answer([{ text: '' }], 'STOP')] };
  },
};
