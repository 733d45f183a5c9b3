import { hash } from 'node:crypto';
import { freeTextFunction, isObject, type JsonObject, type Tool } from '@tollgate/providers';
import { wrong } from '../fields.ts';

/** A tool that the caller runs, as he names it. */
export interface CallersTool {
  /** What a call of it is: of a function, of a tool that takes free text, or of the caller's own search for tools. */
  kind: 'function' | 'custom' | 'tool_search';
  name: string;
  /** Of a tool that stands in one. */
  namespace: string | undefined;
}

/** A tool, and where it stands in the request. */
export interface PlacedTool {
  tool: JsonObject;
  param: string;
  /** It has come in the midst of the conversation. */
  isAdded: boolean;
  namespace: string | undefined;
}

const longestName = 64;

/**
 * The tools of a request of Responses that its caller runs. All others know functions alone, in one list: those of a namespace have it in
 * their names there, what takes free text takes an object with the text in it, and what a search of the caller's has found stands among the rest.
 */
export class CallersTools {
  readonly functions: Tool[] = [];
  /** What is no tool of the caller's. */
  readonly others: PlacedTool[] = [];
  readonly #byToldName = new Map<string, CallersTool>();
  readonly #toldNames = new Map<string, string>();

  /** Throws: AppError `invalid_request` that names the tool. */
  constructor({ tools, input }: JsonObject) {
    for (const placed of placedTools(tools, { param: 'tools', isAdded: false })) this.#take(placed);
    if (!Array.isArray(input)) return;
    for (const [at, item] of input.entries()) {
      if (isObject(item)) for (const placed of placedTools(item.tools, { param: `input[${at}].tools`, isAdded: true })) this.#take(placed);
    }
  }

  /** By the name that others know it by; a function that nobody has named is one of that name. */
  calledBy(toldName: string): CallersTool {
    return this.#byToldName.get(toldName) ?? { kind: 'function', name: toldName, namespace: undefined };
  }

  /** What others know a tool by, also one that was offered in a turn before and no more. */
  toldName({ name, namespace }: Pick<CallersTool, 'name' | 'namespace'>): string {
    return this.#toldNames.get(keyOf(name, namespace)) ?? nameFor(name, namespace);
  }

  /** What others know those of a list by that the caller runs. */
  toldNamesIn(tools: unknown): string[] {
    return placedTools(tools, { param: '', isAdded: true }).flatMap(({ tool, namespace }) =>
      kindOf(tool) === undefined ? [] : [this.toldName({ name: String(tool.name), namespace })],
    );
  }

  #take(placed: PlacedTool): void {
    const { tool, param, namespace } = placed;
    const kind = kindOf(tool);
    if (kind === undefined) {
      this.others.push(placed);
      return;
    }
    const name = kind === 'tool_search' ? 'tool_search' : tool.name;
    if (typeof name !== 'string' || name === '') throw wrong(`${param}.name is required`, param);
    const { parameters } = tool;
    if (parameters !== undefined && parameters !== null && !isObject(parameters))
      throw wrong(`${param}.parameters must be an object`, param);
    const key = keyOf(name, namespace);
    if (this.#toldNames.has(key)) return; // found once more
    const wanted = nameFor(name, namespace);
    const told = this.#byToldName.has(wanted) ? shortened(wanted, key) : wanted;
    this.#toldNames.set(key, told);
    this.#byToldName.set(told, { kind, name, namespace });
    this.functions.push({ type: 'function', function: toldAs(tool, { kind, name: told }) });
  }
}

type Place = Pick<PlacedTool, 'param' | 'isAdded'> & { namespace?: string };

/** The tools of a list; those of a namespace in its place. */
function placedTools(list: unknown, { param, isAdded, namespace }: Place): PlacedTool[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((tool: unknown, at) => {
    const place = `${param}[${at}]`;
    if (!isObject(tool)) return [];
    if (tool.type !== 'namespace' || namespace !== undefined) return [{ tool, param: place, isAdded, namespace }];
    if (typeof tool.name !== 'string' || tool.name === '') throw wrong(`${place}.name is required`, place);
    return placedTools(tool.tools, { param: `${place}.tools`, isAdded, namespace: tool.name });
  });
}

function kindOf({ type, execution }: JsonObject): CallersTool['kind'] | undefined {
  if (type === 'function' || type === 'custom') return type;
  return type === 'tool_search' && execution === 'client' ? type : undefined;
}

function toldAs(tool: JsonObject, { kind, name }: { kind: CallersTool['kind']; name: string }): NonNullable<Tool['function']> {
  const { description, parameters, strict, format } = tool;
  if (kind === 'custom') return freeTextFunction({ name, description, grammar: isObject(format) ? format : undefined });
  return {
    name,
    ...(typeof description === 'string' && { description }),
    ...(isObject(parameters) && { parameters }),
    ...(typeof strict === 'boolean' && { strict }),
  };
}

function keyOf(name: string, namespace: string | undefined): string {
  return JSON.stringify([namespace, name]);
}

function nameFor(name: string, namespace: string | undefined): string {
  const whole = namespace === undefined ? name : `${namespace}__${name}`;
  return namespace !== undefined && whole.length > longestName ? shortened(whole, keyOf(name, namespace)) : whole;
}

/** No longer than providers take, and another for each tool. */
function shortened(name: string, key: string): string {
  const mark = `_${hash('sha256', key).slice(0, 8)}`;
  return name.slice(0, longestName - mark.length) + mark;
}
