import { readFileSync, writeFileSync } from 'node:fs';
import { channelTypes, noUsage } from '@tollgate/contracts';
import {
  type ChatRequest,
  type JsonObject,
  openStreamReading,
  outgoing,
  providers,
  RequestRefused,
  readWhole,
  serverSentEvents,
  spokenBy,
  UpstreamError,
} from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { type WireSample, wireBytes, wireSamples } from '@tollgate/testing';
import { toClientError } from '../../src/context/errors.ts';
import type { RelayRoute, SentRequest } from '../../src/context/route.ts';
import { messagesRoute } from '../../src/dialects/anthropic/anthropic.ts';
import { UnsupportedFeatures } from '../../src/dialects/dialect.ts';
import { generateRoute } from '../../src/dialects/gemini/gemini.ts';
import { chatRoute } from '../../src/dialects/openai/routes.ts';
import { responsesRoute } from '../../src/dialects/responses/responses.ts';
import { modelOf, targetOf } from './four-corners.ts';

/** What a cell of the matrix says: it works; it tunes only and is left out; it is refused, with the field that is named; it is lost. */
type Cell = 'works' | 'left out' | `refuses ${string}` | 'LOST';

const marks = { text: 'mark-of-text', tool: 'mark_of_tool', other: 'mark_of_other', result: 'mark-of-result', schema: 'mark_of_schema' };
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const schema = { type: 'object', properties: { [marks.schema]: { type: 'string' } }, required: [marks.schema] };
const parameters = { type: 'object', properties: { city: { type: 'string' } } };

/** One thing that callers say, and what of it must be found in what the provider is sent. */
interface Feature {
  name: string;
  marks: string[];
  openai: JsonObject;
  anthropic: JsonObject;
  gemini: JsonObject;
  responses: JsonObject;
}

const openaiTool = (name: string) => ({ type: 'function', function: { name, description: name, parameters } });
const anthropicTool = (name: string) => ({ name, description: name, input_schema: parameters });
const openaiCall = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '{"city":"x"}' } });
const anthropicCall = (id: string, name: string) => ({ type: 'tool_use', id, name, input: { city: 'x' } });
const responsesTool = (name: string) => ({ type: 'function', name, description: name, parameters });
const responsesCall = (id: string, name: string) => ({ type: 'function_call', call_id: id, name, arguments: '{"city":"x"}' });
const geminiCall = (name: string) => ({ functionCall: { name, args: { city: 'x' } } });
const geminiResult = (name: string) => ({ functionResponse: { name, response: { output: marks.result } } });
const user = { role: 'user', content: marks.text };
const geminiUser = { role: 'user', parts: [{ text: marks.text }] };

function toolTurns(names: string[]): Omit<Feature, 'name' | 'marks'> {
  const ids = names.map((_name, at) => `call_${at}`);
  const results = ids.map((id) => ({ role: 'tool', tool_call_id: id, content: marks.result }));
  return {
    openai: {
      tools: names.map(openaiTool),
      messages: [
        user,
        { role: 'assistant', content: null, tool_calls: names.map((name, at) => openaiCall(ids[at] ?? '', name)) },
        ...results,
      ],
    },
    anthropic: {
      tools: names.map(anthropicTool),
      messages: [
        user,
        { role: 'assistant', content: names.map((name, at) => anthropicCall(ids[at] ?? '', name)) },
        { role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: marks.result })) },
      ],
    },
    gemini: {
      tools: [{ functionDeclarations: names.map((name) => ({ name, description: name, parameters })) }],
      contents: [geminiUser, { role: 'model', parts: names.map(geminiCall) }, { role: 'user', parts: names.map(geminiResult) }],
    },
    responses: {
      tools: names.map(responsesTool),
      input: [
        user,
        ...names.map((name, at) => responsesCall(ids[at] ?? '', name)),
        ...ids.map((id) => ({ type: 'function_call_output', call_id: id, output: marks.result })),
      ],
    },
  };
}

const said: Feature[] = [
  {
    name: 'tools',
    marks: [marks.tool],
    openai: { tools: [openaiTool(marks.tool)] },
    anthropic: { tools: [anthropicTool(marks.tool)] },
    gemini: { tools: [{ functionDeclarations: [{ name: marks.tool, description: 'x', parameters }] }] },
    responses: { tools: [responsesTool(marks.tool)] },
  },
  { name: 'tool results', marks: [marks.tool, marks.result], ...toolTurns([marks.tool]) },
  { name: 'parallel tools', marks: [marks.tool, marks.other, marks.result], ...toolTurns([marks.tool, marks.other]) },
  {
    name: 'image',
    marks: [pixel],
    openai: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: marks.text },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
          ],
        },
      ],
    },
    anthropic: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: marks.text },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
          ],
        },
      ],
    },
    gemini: { contents: [{ role: 'user', parts: [{ text: marks.text }, { inlineData: { mimeType: 'image/png', data: pixel } }] }] },
    responses: {
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: marks.text },
            { type: 'input_image', image_url: `data:image/png;base64,${pixel}` },
          ],
        },
      ],
    },
  },
  {
    name: 'reasoning',
    marks: [],
    openai: { reasoning_effort: 'high', max_tokens: 20_000 },
    anthropic: { thinking: { type: 'enabled', budget_tokens: 4096 }, max_tokens: 20_000 },
    gemini: { generationConfig: { thinkingConfig: { thinkingBudget: 4096, includeThoughts: true }, maxOutputTokens: 20_000 } },
    responses: { reasoning: { effort: 'high' }, max_output_tokens: 20_000 },
  },
  {
    name: 'JSON schema',
    marks: [marks.schema],
    openai: { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } } },
    anthropic: { output_config: { format: { type: 'json_schema', schema } } },
    gemini: { generationConfig: { responseMimeType: 'application/json', responseSchema: schema } },
    responses: { text: { format: { type: 'json_schema', name: 'answer', schema, strict: true } } },
  },
];

/** What such an exchange comes to when nothing is said but a text. */
const plain: Feature = { name: 'plain', marks: [marks.text], openai: {}, anthropic: {}, gemini: {}, responses: {} };

type CallerName = 'openai' | 'anthropic' | 'gemini' | 'responses';
const callers: { name: CallerName; title: string; route: RelayRoute }[] = [
  { name: 'openai', title: 'OpenAI', route: chatRoute },
  { name: 'anthropic', title: 'Anthropic', route: messagesRoute },
  { name: 'gemini', title: 'Gemini', route: generateRoute },
  { name: 'responses', title: 'Responses', route: responsesRoute },
];

export interface Upstream {
  type: number;
  name: string;
  model: string;
}

/** One for each channel type that chats; of a platform with several makers' models one for each of them. */
const platformModels = new Map([[41, ['claude-sonnet-4-20250514', 'gemini-2.5-flash', 'meta/llama3-405b-instruct-maas']]]);
/** Of types whose list begins with a model of the past, one that knows what its provider knows. */
const modelsOfToday = new Map([
  [14, 'claude-sonnet-4-20250514'],
  [18, 'SparkDesk-v3.5'],
  [24, 'gemini-2.5-flash'],
  [33, 'claude-sonnet-4-20250514'],
]);

export function upstreams(): Upstream[] {
  return channelTypes.flatMap((info) => {
    const provider = providers.get(info.type);
    const models = platformModels.get(info.type) ?? [modelsOfToday.get(info.type) ?? info.models[0] ?? 'a-model'];
    const chatting = models.filter((model) => provider && spokenBy(provider, model).chat !== undefined);
    return chatting.map((model) => ({
      type: info.type,
      name: models.length > 1 ? `${info.name}: ${model.split(/[-/]/)[0]}` : info.name,
      model,
    }));
  });
}

function dialectFor({ type, model }: Upstream) {
  const provider = providers.get(type);
  const dialect = provider && spokenBy(provider, model).chat;
  if (dialect === undefined) throw new Error(`type ${type} does not chat`);
  return dialect;
}

function bodyFor(caller: CallerName, feature: Feature, model: string): JsonObject {
  if (caller === 'gemini') return { contents: [geminiUser], ...feature.gemini };
  if (caller === 'responses') return { model, input: [user], ...feature.responses };
  if (caller === 'anthropic') return { model, max_tokens: 1000, messages: [user], ...feature.anthropic };
  return { model, messages: [user], ...feature.openai };
}

/** The bytes that a provider gets. Throws: what a caller would be refused with. */
function sentTo(upstream: Upstream, { name, route }: (typeof callers)[number], feature: Feature): string {
  const json = bodyFor(name, feature, upstream.model);
  const dialect = dialectFor(upstream);
  const sent: SentRequest = {
    bytes: Buffer.from(JSON.stringify(json)),
    long: undefined,
    json: structuredClone(json),
    address: { model: upstream.model },
    unsupported: new UnsupportedFeatures(),
  };
  const request = route.read(sent) as ChatRequest;
  const { unsupported } = sent; // some routes bring their own
  unsupported?.insist(); // a search is translated by the relay, where it has a price (web-search.test.ts)
  if (unsupported?.what !== undefined && dialect.speaks !== route.dialect.name) throw unsupported.refusal(upstream.model);
  const target = targetOf(upstream.type, upstream.model);
  return outgoing(dialect, { ...sent, speaks: route.dialect.name, request, target }).body.toString();
}

function saidCell(upstream: Upstream, caller: (typeof callers)[number], feature: Feature): Cell {
  try {
    const body = sentTo(upstream, caller, feature);
    if (feature.marks.length === 0) return tuned(body) && body !== sentTo(upstream, caller, plain) ? 'works' : 'left out';
    return feature.marks.every((mark) => body.includes(mark)) ? 'works' : 'LOST';
  } catch (error) {
    if (error instanceof RequestRefused || error instanceof AppError) return `refuses ${error.param ?? 'it'}`;
    throw error;
  }
}

function tuned(body: string): boolean {
  return /thinking|reasoning/.test(body);
}

const samples = wireSamples().filter(
  ({ expect: wanted, unspoken, request }) =>
    wanted?.kind === 'chat' && unspoken === undefined && !/embed|images|audio|rerank|files/.test(request.path),
);
const isStreamed = ({ response }: WireSample) => /event-?stream|websocket/.test(response.contentType);
const textOf = ({ expect: wanted }: WireSample) => wanted?.content ?? wanted?.contentStartsWith ?? '';
const hasText = (sample: WireSample) => textOf(sample) !== '';

/** A recorded answer of this provider, else of one that speaks as it does. */
export function sampleFor(upstream: Upstream, streams: boolean): { sample: WireSample; type: number } | undefined {
  const speaks = dialectFor(upstream).speaks;
  const own = samples.filter((sample) => sample.channelTypes.includes(upstream.type) && hasText(sample));
  const ofFamily = own.filter((sample) => dialectFor({ ...upstream, model: modelOf(sample) || upstream.model }).speaks === speaks);
  const others = speaks === 'own' ? [] : samples.filter((sample) => sample.provider === speaks);
  const { framing } = dialectFor(upstream);
  const fitting = framing === undefined ? [...ofFamily, ...others] : ofFamily;
  const sample = fitting.find(
    (one) => hasText(one) && (isStreamed(one) === streams || one.response.contentType === 'websocket-text-frames'),
  );
  return sample && { sample, type: upstream.type };
}

const stamp = { id: 'test', createdSeconds: 1_741_000_000, model: 'stamped-model' };

function wholeCell(upstream: Upstream, { route }: (typeof callers)[number]): Cell {
  const found = sampleFor(upstream, false);
  if (found === undefined) return 'LOST';
  const whole = readWhole(dialectFor(upstream), wireBytes(found.sample.response.bodyFile), { stamp, speaks: route.dialect.name });
  const text = textIn(JSON.parse(route.whole(whole, noUsage, {}).toString()));
  return text.includes(textOf(found.sample)) ? 'works' : 'LOST';
}

/** All texts in an answer of whichever dialect, in order. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(textIn).join('');
}

/** What a caller hears of a stream, whole or broken off after a part of it. */
function heard(
  upstream: Upstream,
  { route }: (typeof callers)[number],
  share: number,
): { text: string; error: boolean; wanted: string } | undefined {
  const found = sampleFor(upstream, true);
  if (found === undefined) return undefined;
  const dialect = dialectFor(upstream);
  const bytes = wireBytes(found.sample.response.bodyFile);
  const reading = openStreamReading(dialect, { stamp });
  const words = route.writer(reading, { request: { model: 'm' }, sent: {}, isSame: dialect.speaks === route.dialect.name });
  const reader = (dialect.framing ?? serverSentEvents).open();
  let text = '';
  for (const frame of reader.push(bytes.subarray(0, Math.floor(bytes.length * share))))
    text += words.frame(frame, reading.read(frame))?.toString() ?? '';
  if (reading.isComplete) text += words.end(noUsage).toString();
  const error = reading.isComplete ? '' : route.dialect.errorEvent(toClientError(broken(), { id: 'test', language: 'en' }));
  return { text: text + error, error: error !== '' && text !== '', wanted: textOf(found.sample) };
}

const broken = () => new UpstreamError({ kind: 'interrupted', status: 502, message: 'mark-of-error' });

function streamCell(upstream: Upstream, caller: (typeof callers)[number]): Cell {
  const answer = heard(upstream, caller, 1);
  // Who never streams answers a stream of one.
  if (answer === undefined) return wholeCell(upstream, caller);
  const words = answer.text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [textIn(JSON.parse(line.slice(6)))] : []));
  return words.join('').length >= answer.wanted.length && !answer.error ? 'works' : 'LOST';
}

function errorBeforeCell(upstream: Upstream, { route }: (typeof callers)[number]): Cell {
  const error = providers.get(upstream.type)?.error({ status: 429, body: '{"error":{"message":"mark-of-error"}}' }, 'key');
  const body = route.dialect.errorBody(toClientError(error, { id: 'test', language: 'en' }));
  return error?.status === 429 && body.toString().includes('mark-of-error') ? 'works' : 'LOST';
}

function errorWithinCell(upstream: Upstream, caller: (typeof callers)[number]): Cell {
  for (const share of [0.8, 0.6, 0.4, 0.3]) {
    const answer = heard(upstream, caller, share);
    if (answer === undefined) return 'works'; // there is no middle: an answer in one either comes or does not
    if (answer.error) return answer.text.includes('mark-of-error') ? 'works' : 'LOST';
  }
  return 'LOST';
}

export const columns = ['plain', 'stream', ...said.map(({ name }) => name), 'error before', 'error in the stream'] as const;

export interface Row {
  caller: string;
  upstream: Upstream;
  cells: Cell[];
}

/** Every caller's dialect with every upstream that chats. */
export function matrix(): Row[] {
  return callers.flatMap((caller) =>
    upstreams().map((upstream) => ({
      caller: caller.title,
      upstream,
      cells: [
        wholeCell(upstream, caller),
        streamCell(upstream, caller),
        ...said.map((feature) => saidCell(upstream, caller, feature)),
        errorBeforeCell(upstream, caller),
        errorWithinCell(upstream, caller),
      ],
    })),
  );
}

/** The matrix as a table; upstreams that do alike share a line. */
export function table(rows: readonly Row[]): string {
  const lines = callers.flatMap(({ title }) => {
    const alike = new Map<string, string[]>();
    for (const { upstream, cells, caller } of rows) {
      if (caller !== title) continue;
      const words = cells.map((cell) => cell.replace('works', 'yes').replace(/^refuses (.*)$/, 'no: `$1`'));
      const key = words.join(' | ');
      alike.set(key, [...(alike.get(key) ?? []), `${upstream.name} (${upstream.type})`]);
    }
    return [...alike].map(([words, names]) => `| ${title} | ${names.join(', ')} | ${words} |`);
  });
  return [`| caller | upstreams | ${columns.join(' | ')} |`, `|${' --- |'.repeat(columns.length + 2)}`, ...lines].join('\n');
}

const readme = new URL('../../../../libs/providers/README.md', import.meta.url);
const [begin, end] = [
  '<!-- matrix: written by `node services/relay/test/dialects/write-matrix.ts`, do not edit -->',
  '<!-- end of matrix -->',
];

/** The table that stands in the providers' README. */
export function printedTable(): string {
  const text = readFileSync(readme, 'utf8');
  return text.slice(text.indexOf(begin) + begin.length, text.indexOf(end)).trim();
}

export function printTable(): void {
  const text = readFileSync(readme, 'utf8');
  writeFileSync(readme, `${text.slice(0, text.indexOf(begin) + begin.length)}\n\n${table(matrix())}\n\n${text.slice(text.indexOf(end))}`);
}
