import { type ChatRequest, type JsonObject, outgoing, RequestRefused, remoteFiles } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { RelayRoute, SentRequest } from '../../../src/context/route.ts';
import { messagesRoute } from '../../../src/dialects/anthropic/anthropic.ts';
import { generateRoute } from '../../../src/dialects/gemini/gemini.ts';
import { chatRoute } from '../../../src/dialects/openai/routes.ts';
import { responsesRoute } from '../../../src/dialects/responses/responses.ts';
import { dialectOf, targetOf } from '../four-corners.ts';
import type { Between, Caller } from './callers.ts';
import { conversations } from './conversations.ts';
import { type Piece, pdf, png } from './piece.ts';
import { type Note, otherwise } from './said-otherwise.ts';
import { wishes } from './wishes.ts';

export const pieces = [...conversations, ...wishes];

const routes: Record<Caller, RelayRoute> = {
  openai: chatRoute as unknown as RelayRoute,
  anthropic: messagesRoute as unknown as RelayRoute,
  gemini: generateRoute as unknown as RelayRoute,
  responses: responsesRoute as unknown as RelayRoute,
};
const upstreams: Record<Between, { type: number; model: string }> = {
  openai: { type: 1, model: 'gpt-4o' },
  anthropic: { type: 14, model: 'claude-sonnet-4-5' },
  gemini: { type: 24, model: 'gemini-2.5-flash' },
};
const callers = Object.keys(routes) as Caller[];
const betweens = Object.keys(upstreams) as Between[];

/** Every ordered pair of two dialects. */
export const ways = callers.flatMap((from) => betweens.filter((between) => between !== from).map((between) => ({ from, between })));
export type Way = (typeof ways)[number];

interface Heard {
  request: ChatRequest;
  sent: SentRequest;
}

/** What a caller says, in the hub's words. Throws: what he is refused with, also where only channels of his own dialect could be told it. */
function heard(caller: Caller, json: JsonObject): Heard {
  const address = caller === 'gemini' ? { model: 'm' } : {};
  const sent: SentRequest = { bytes: Buffer.from(JSON.stringify(json)), long: undefined, json: structuredClone(json), address };
  const request = routes[caller].read(sent) as ChatRequest;
  sent.unsupported?.insist(); // a search is translated by the relay, where it has a price (web-search.test.ts)
  if (sent.unsupported?.what !== undefined) throw sent.unsupported.refusal('m');
  return { request, sent };
}

/** What the relay would have fetched. */
const fetched = (url: string) => (url.endsWith('.pdf') ? `data:application/pdf;base64,${pdf}` : `data:image/png;base64,${png}`);

/** A request of the hub as a provider who speaks this dialect gets it. */
function told(upstream: Between, { request, sent }: Heard, speaks: Caller): JsonObject {
  const { type, model } = upstreams[upstream];
  const dialect = dialectOf(type, 'chat', model);
  const remote = remoteFiles(request, dialect);
  const files = remote.length > 0 ? new Map(remote.map((url) => [url, fetched(url)])) : undefined;
  const { body } = outgoing(dialect, { ...sent, speaks, request, target: { ...targetOf(type, model), files } });
  return JSON.parse(body.toString()) as JsonObject;
}

export function bodyOf(caller: Caller, piece: Piece): JsonObject {
  const words = piece[caller];
  if (caller === 'gemini') {
    const generationConfig = { maxOutputTokens: 1000, ...(words?.generationConfig as JsonObject | undefined) };
    return { contents: [{ role: 'user', parts: [{ text: 'go' }] }], ...words, generationConfig };
  }
  if (caller === 'responses') return { model: 'm', input: 'go', max_output_tokens: 1000, ...words };
  const limit = words?.max_completion_tokens === undefined ? { max_tokens: 1000 } : {};
  return { model: 'm', ...limit, messages: [{ role: 'user', content: 'go' }], ...words };
}

/** How a cell of the table came out: all is there; something is said otherwise or not at all, line by line; refused by the name of a field. */
export type Outcome = { kind: 'same' } | { kind: 'changed'; lines: string[] } | { kind: 'refused'; param: string | null | undefined };

/** A caller's words, said to a provider of another dialect, heard there as a caller's, and said to a provider of the first one. */
export function thereAndBack({ from, between }: Way, piece: Piece): Outcome {
  const original = bodyOf(from, piece);
  // Nothing is written in Responses' words: what came of a request is looked at in the words of the hub, which are OpenAI's.
  const home = from === 'responses' ? 'openai' : from;
  let first: Heard;
  let there: JsonObject;
  try {
    first = heard(from, original);
    there = told(between, first, from);
  } catch (error) {
    if (error instanceof RequestRefused || error instanceof AppError) return { kind: 'refused', param: error.param };
    throw error;
  }
  const wanted = from === 'responses' ? (first.request as JsonObject) : original;
  let back: JsonObject;
  try {
    const second = heard(between, there);
    back = between === home ? (second.request as JsonObject) : told(home, second, between);
  } catch (error) {
    return { kind: 'changed', lines: [`what was told cannot be heard there: ${String(error)}`] };
  }
  const lines = differences(normal(wanted), normal(back));
  return lines.length === 0 ? { kind: 'same' } : { kind: 'changed', lines };
}

const idKeys = new Set(['tool_call_id', 'tool_use_id', 'id']);

/** What may be written in several ways, in one of them: calls are numbered, and each result has the number of the call that it answers. */
function normal(body: JsonObject): JsonObject {
  const ids = new Map<unknown, string>();
  const { model: _model, safetySettings: _filters, ...rest } = body;
  return visit(Array.isArray(rest.contents) ? { ...rest, contents: withIds(rest.contents as GeminiContent[]) } : rest) as JsonObject;

  function visit(value: unknown, key = ''): unknown {
    if (value === null || value === undefined) return undefined;
    if (idKeys.has(key)) return ids.get(value) ?? ids.set(value, `call ${ids.size}`).get(value);
    if ((value as JsonObject).role === 'tool') return visit({ ...(value as JsonObject), role: 'result', name: undefined });
    if ((key === 'content' || key === 'system') && typeof value === 'string') return [{ text: value, type: 'text' }];
    if (key === 'arguments' && typeof value === 'string') return JSON.parse(value) as unknown;
    if (Array.isArray(value)) return value.map((item) => visit(item));
    if (typeof value !== 'object') return value;
    const seen = Object.entries(value).map(([name, inner]) => [name, visit(inner, name)] as const);
    seen.sort(([one], [other]) => one.localeCompare(other));
    return Object.fromEntries(seen.filter(([, inner]) => inner !== undefined));
  }
}

interface GeminiContent {
  parts: { functionCall?: JsonObject; functionResponse?: JsonObject }[];
}

/** Gemini's calls may do without ids: a result then answers the first call of its name that has none yet. */
function withIds(contents: readonly GeminiContent[]): unknown {
  const open: JsonObject[] = [];
  let calls = 0;
  const named = ({ functionCall: call, functionResponse: result, ...part }: GeminiContent['parts'][number]) => {
    if (call !== undefined) {
      calls += 1;
      open.push({ id: `made ${calls}`, ...call });
      return { ...part, functionCall: open.at(-1) };
    }
    if (result === undefined) return part;
    const at = open.findIndex(({ id, name }) => (result.id === undefined ? name === result.name : id === result.id));
    const [answered] = open.splice(at, 1);
    return { ...part, functionResponse: { ...result, id: answered?.id } };
  };
  return contents.map((content) => ({ ...content, parts: content.parts.map(named) }));
}

/** Where two values differ, one line each: the path, and what stands there before and after. */
function differences(before: unknown, after: unknown, path = ''): string[] {
  if (Array.isArray(before) && Array.isArray(after)) return listDifferences(before, after, path);
  const areObjects = [before, after].every((value) => typeof value === 'object' && value !== null && !Array.isArray(value));
  if (!areObjects) return JSON.stringify(before) === JSON.stringify(after) ? [] : [`${path}: ${shown(before)} -> ${shown(after)}`];
  const [one, other] = [before as JsonObject, after as JsonObject];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) => differences(one[key], other[key], `${path}.${key}`));
}

/** What stands in both lists is passed over; of the rest each is compared with what stands in its place, where as many are left. */
function listDifferences(before: readonly unknown[], after: readonly unknown[], path: string): string[] {
  const left = after.map((item) => JSON.stringify(item));
  const kept: number[] = [];
  const gone = before.filter((item) => {
    const at = left.indexOf(JSON.stringify(item));
    if (at < 0) return true;
    left[at] = '';
    kept.push(at);
    return false;
  });
  const come = after.filter((_item, at) => left[at] !== '');
  const isMoved = kept.some((at, place) => at < (kept[place - 1] ?? 0));
  const moved = isMoved ? [`${path}: in another order`] : [];
  if (gone.length === come.length) return [...moved, ...gone.flatMap((item, at) => differences(item, come[at], `${path}[]`))];
  return [
    ...moved,
    ...gone.map((item) => `${path}[]: ${shown(item)} -> nothing`),
    ...come.map((item) => `${path}[]: nothing -> ${shown(item)}`),
  ];
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

function isOf({ dialect, of }: Note, says: string, { from, between }: Way): boolean {
  const speaks = dialect === undefined || dialect === between || dialect === from;
  return speaks && (of === undefined || of === says);
}

export interface Cell {
  says: string;
  way: Way;
  outcome: Outcome;
  /** The notes that tell what is said otherwise, by their number. */
  notes: number[];
  /** What no note tells of: lost. */
  lost: string[];
}

/** Every piece on every way that has words for it. */
export function cells(): Cell[] {
  return pieces.flatMap((piece) =>
    ways
      .filter(({ from }) => piece[from] !== undefined)
      .map((way) => {
        const outcome = thereAndBack(way, piece);
        const lines = outcome.kind === 'changed' ? outcome.lines : [];
        const notes = new Set<number>();
        const lost = lines.filter((line) => {
          const at = otherwise.findIndex((note) => isOf(note, piece.says, way) && note.what.test(line));
          if (at >= 0) notes.add(at);
          return at < 0;
        });
        return { says: piece.says, way, outcome, notes: [...notes].sort((one, other) => one - other), lost };
      }),
  );
}
