/**
 * The fields that a response, its items and its stream events must have, and the kinds of their values. A kind ending in `?` is optional.
 * Source: https://www.openresponses.org/openapi/2026-04-24/openapi.json, read 2026-11-26
 */
type Shape = Readonly<Record<string, string>>;
type Json = Record<string, unknown>;

const response: Shape = {
  ...{ id: 'text', object: 'text', created_at: 'integer', completed_at: 'integer|null', status: 'text', incomplete_details: 'object|null' },
  ...{ model: 'text', previous_response_id: 'text|null', instructions: 'text|null', output: 'list', error: 'object|null', tools: 'list' },
  ...{
    tool_choice: 'text|object',
    truncation: 'text',
    parallel_tool_calls: 'flag',
    text: 'object',
    top_p: 'number',
    temperature: 'number',
  },
  ...{ presence_penalty: 'number', frequency_penalty: 'number', top_logprobs: 'integer', reasoning: 'object|null', usage: 'object|null' },
  ...{ max_output_tokens: 'integer|null', max_tool_calls: 'integer|null', store: 'flag', background: 'flag', service_tier: 'text' },
  ...{ metadata: 'object|null', safety_identifier: 'text|null', prompt_cache_key: 'text|null' },
};
const usage: Shape = {
  ...{ input_tokens: 'integer', output_tokens: 'integer', total_tokens: 'integer' },
  ...{ input_tokens_details: 'object', output_tokens_details: 'object' },
};
const tool: Shape = { type: 'text', name: 'text', description: 'text|null', parameters: 'object|null', strict: 'flag|null' };
const items: Readonly<Record<string, Shape>> = {
  message: { id: 'text', status: 'text', role: 'text', content: 'list' },
  function_call: { id: 'text', call_id: 'text', name: 'text', arguments: 'text', status: 'text' },
  reasoning: { id: 'text', summary: 'list', content: 'list?', encrypted_content: 'text?' },
  compaction: { id: 'text', encrypted_content: 'text' },
};
const parts: Readonly<Record<string, Shape>> = {
  output_text: { text: 'text', annotations: 'list', logprobs: 'list?' },
  refusal: { refusal: 'text' },
  summary_text: { text: 'text' },
  reasoning_text: { text: 'text' },
};
const inOutput: Shape = { item_id: 'text', output_index: 'integer' };
const inContent: Shape = { ...inOutput, content_index: 'integer' };
const inSummary: Shape = { ...inOutput, summary_index: 'integer' };
const events: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(
    ['created', 'queued', 'in_progress', 'completed', 'failed', 'incomplete'].map((name) => [`response.${name}`, { response: 'object' }]),
  ),
  'response.output_item.added': { output_index: 'integer', item: 'object' },
  'response.output_item.done': { output_index: 'integer', item: 'object' },
  'response.content_part.added': { ...inContent, part: 'object' },
  'response.content_part.done': { ...inContent, part: 'object' },
  'response.output_text.delta': { ...inContent, delta: 'text', logprobs: 'list?' },
  'response.output_text.done': { ...inContent, text: 'text', logprobs: 'list?' },
  'response.refusal.delta': { ...inContent, delta: 'text' },
  'response.refusal.done': { ...inContent, refusal: 'text' },
  'response.function_call_arguments.delta': { ...inOutput, delta: 'text' },
  'response.function_call_arguments.done': { ...inOutput, arguments: 'text' },
  'response.reasoning_summary_part.added': { ...inSummary, part: 'object' },
  'response.reasoning_summary_part.done': { ...inSummary, part: 'object' },
  'response.reasoning_summary_text.delta': { ...inSummary, delta: 'text' },
  'response.reasoning_summary_text.done': { ...inSummary, text: 'text' },
  error: { error: 'object' },
};

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return { string: 'text', boolean: 'flag', undefined: 'missing' }[typeof value as string] ?? typeof value;
}

function faults(value: Json, shape: Shape | undefined, where: string): string[] {
  if (shape === undefined) return [`${where} is unknown: ${String(value.type)}`];
  return Object.entries(shape).flatMap(([field, kinds]) => {
    const kind = kindOf(value[field]);
    if (kind === 'missing' && kinds.endsWith('?')) return [];
    const known = kinds.replace('?', '').split('|');
    return known.includes(kind) || (kind === 'integer' && known.includes('number')) ? [] : [`${where}.${field} is ${kind}`];
  });
}

const objects = (list: unknown): Json[] => (Array.isArray(list) ? (list as Json[]) : []);

function itemFaults(item: Json, where: string): string[] {
  const inner = [...objects(item.content), ...objects(item.summary)];
  return [
    ...faults(item, items[String(item.type)], where),
    ...inner.flatMap((part) => faults(part, parts[String(part.type)], `${where}.part`)),
  ];
}

/** In what a response differs from the published schema, as sentences. */
export function responseFaults(value: Json): string[] {
  const format = (value.text as Json | undefined)?.format as Json | undefined;
  return [
    ...faults(value, response, 'response'),
    ...objects(value.tools).flatMap((one) => (one.type === 'function' ? faults(one, tool, 'tool') : [])),
    ...(value.usage ? faults(value.usage as Json, usage, 'usage') : []),
    ...(format?.type === 'json_schema' ? faults(format, { name: 'text', description: 'text|null', strict: 'flag' }, 'text.format') : []),
    ...(value.error ? faults(value.error as Json, { code: 'text', message: 'text' }, 'error') : []),
    ...objects(value.output).flatMap((item) => itemFaults(item, 'output')),
  ];
}

/** The same of the events of one stream, their order and their numbers included. */
export function streamFaults(all: readonly Json[]): string[] {
  return all.flatMap((event, at) => [
    ...(event.sequence_number === at ? [] : [`event ${at} has the number ${String(event.sequence_number)}`]),
    ...faults(event, events[String(event.type)], String(event.type)),
    ...(event.response ? responseFaults(event.response as Json) : []),
    ...(event.item ? itemFaults(event.item as Json, `${String(event.type)}.item`) : []),
  ]);
}
