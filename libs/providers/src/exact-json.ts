import { randomUUID } from 'node:crypto';

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
/** Perhaps whole numbers: what stands around them tells. */
const longDigits = /\d{16,}/g;
const before = ' \n\r\t,:[';
const behind = ' \n\r\t,]}';
/** What texts begin with that stand for integers while they are parsed. Nobody else knows it. */
const mark = `${randomUUID()}:`;
/** Each costs some 3 us. Nobody has so many ids: in lists that are longer all are doubles. */
const mostIntegers = 10_000;

/**
 * JSON whose integers keep their digits: those that no double can hold stand as they were written, and `JSON.stringify` writes them so again. A model's ids
 * in the arguments of its calls are often such. Throws: SyntaxError. A reviver would do, too, at 1 us for each value there is.
 */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const marked = hasLostDigits(value) ? withMarks(text) : undefined; // a look at the values costs less than one at the digits of a text
  return marked === undefined ? value : withoutMarks(JSON.parse(marked));
}

function withMarks(text: string): string | undefined {
  let marked = '';
  let done = 0;
  let count = 0;
  let isInText = false;
  let quote = text.indexOf('"');
  for (const match of text.matchAll(longDigits)) {
    const { index, digits } = integerAt(text, match.index, match[0]);
    if (digits === undefined) continue;
    for (; quote >= 0 && quote < index; quote = text.indexOf('"', quote + 1))
      if (!isInText || !isEscaped(text, quote)) isInText = !isInText;
    if (isInText || Number.isSafeInteger(Number(digits))) continue;
    if (++count > mostIntegers) return undefined;
    marked += `${text.slice(done, index)}"${mark}${digits}"`;
    done = index + digits.length;
  }
  return done === 0 ? undefined : marked + text.slice(done);
}

/** Where and how it is written, with its sign; no digits where it is part of something else. A text's quotes are not looked at. */
function integerAt(text: string, at: number, found: string): { index: number; digits?: string } {
  const index = text[at - 1] === '-' ? at - 1 : at;
  const end = at + found.length;
  const isWhole = found[0] !== '0' && (index === 0 || before.includes(text.charAt(index - 1))) && behind.includes(text.charAt(end));
  return isWhole ? { index, digits: text.slice(index, end) } : { index };
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

function withoutMarks(root: unknown): unknown {
  const holder = { root };
  const open: object[] = [holder];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const values = next as Record<string, unknown>;
    for (const key of Array.isArray(next) ? next.keys() : Object.keys(next)) {
      const value = values[key];
      if (typeof value === 'object' && value !== null) open.push(value);
      else if (typeof value === 'string' && value.startsWith(mark)) values[key] = rawJSON(value.slice(mark.length));
    }
  }
  return holder.root;
}

/** Whether something that was parsed otherwise has lost digits. */
export function hasLostDigits(root: unknown): boolean {
  const open: object[] = [[root]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const value of Array.isArray(next) ? next : Object.values(next)) {
      if (typeof value === 'object' && value !== null) open.push(value);
      else if (typeof value === 'number' && isBeyondDoubles(value)) return true;
    }
  }
  return false;
}

function isBeyondDoubles(value: number): boolean {
  return !Number.isSafeInteger(value) && (Number.isInteger(value) || !Number.isFinite(value));
}
