import { parseExact } from '../exact-json.ts';
import { isObject, objectOf, objectsIn } from '../objects.ts';
import type { OwnWhole } from '../own-whole.ts';
import type { JsonObject } from '../provider.ts';

/** The answer that its events say, each with some of its parts. What stands beside them is told as it was told last. */
export function collectedContent(): OwnWhole {
  let answer: JsonObject | undefined;
  const candidates = new Map<unknown, JsonObject>();

  function addCandidate({ content: stated, ...more }: JsonObject): void {
    const index = more.index ?? 0;
    const known = candidates.get(index) ?? { content: { role: 'model', parts: [] } };
    const { parts, ...content } = objectOf(stated);
    const before = objectOf(known.content);
    const told = before.parts as JsonObject[];
    for (const part of objectsIn(parts)) addPart(told, part);
    candidates.set(index, { ...known, ...more, content: { ...before, ...content, parts: told } });
  }

  return {
    add({ data }) {
      const event = parsed(data);
      if (event === undefined) return;
      const { candidates: stated, ...more } = event;
      answer = { ...answer, ...more };
      for (const candidate of objectsIn(stated)) addCandidate(candidate);
    },
    get answer() {
      return answer && { candidates: [...candidates.values()], ...answer };
    },
  };
}

/** Words go on, and thoughts; all else is a part of its own. */
function addPart(parts: JsonObject[], part: JsonObject): void {
  const last = parts.at(-1);
  if (last !== undefined && isText(last) && isText(part) && last.thought === part.thought) last.text = `${last.text}${part.text}`;
  else parts.push({ ...part });
}

function isText({ text, thought: _thought, ...more }: JsonObject): boolean {
  return typeof text === 'string' && Object.keys(more).length === 0;
}

function parsed(data: string): JsonObject | undefined {
  try {
    const event = parseExact(data);
    return isObject(event) ? event : undefined;
  } catch {
    return undefined; // an event that is no JSON says nothing
  }
}
