/** Deeper than anything that is meant. What goes through a value member by member must not run out of stack, nor of time. */
const deepestNesting = 32;

/** Whether lists and objects stand within each other in a text as in no setting; the text may be anything. */
export function isNestedTooDeeply(text: string): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] as string;
    if (sign === '"') isQuoted = !isQuoted;
    else if (isQuoted) at += sign === '\\' ? 1 : 0;
    else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
    if (depth > deepestNesting) return true;
  }
  return false;
}

/** Where the members of a JSON text stand. */
export interface JsonPlaces {
  /** The line, from 1, on which the value at a path begins: `['a', 0]` is the first entry of the member `a`. */
  lineAt(path: readonly PropertyKey[]): number | undefined;
  /** Names that an object has more than once, of which a parser keeps the last one only. */
  doubled: { path: string[]; line: number }[];
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],\n]|[^\s"{}[\],:]+/g;

/** A list or an object that is open, and where in it we are. */
type Open = { isList: boolean; index: number; name: string | undefined; names: Set<string> };

/** Reads a text that `JSON.parse` takes, and that is not nested too deeply. */
export function jsonPlaces(text: string): JsonPlaces {
  const lines = new Map<string, number>();
  const doubled: JsonPlaces['doubled'] = [];
  const open: Open[] = [];
  let line = 1;

  const here = (): string[] => open.map(({ isList, index, name }) => (isList ? String(index) : (name ?? '')));
  const begin = (): void => void lines.set(JSON.stringify(here()), line);
  for (const [token] of text.matchAll(tokens)) {
    const around = open.at(-1);
    if (token === '\n') line += 1;
    else if (token === '{' || token === '[') {
      begin();
      open.push({ isList: token === '[', index: 0, name: undefined, names: new Set() });
    } else if (token === '}' || token === ']') open.pop();
    else if (token === ',') {
      if (around) Object.assign(around, { index: around.index + 1, name: undefined });
    } else if (around && !around.isList && around.name === undefined) {
      const name = JSON.parse(token) as string;
      around.name = name;
      if (around.names.has(name)) doubled.push({ path: here(), line });
      around.names.add(name);
    } else begin();
  }
  return { lineAt: (path) => lines.get(JSON.stringify(path.map(String))), doubled };
}

/** A value as JSON, over several lines where `text` is. */
export function writtenLike(text: string, value: unknown): string {
  return JSON.stringify(value, null, text.trim().includes('\n') ? 2 : undefined);
}
