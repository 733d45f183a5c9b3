import { CommandError } from '../errors.ts';
import type { Doc } from '../values/document.ts';

/** The container of a path's last part: a document, or an array with an index. */
export interface Slot {
  holder: Doc | unknown[];
  key: string | number;
}

/**
 * Finds where `path` ends in `document`. `create` makes missing documents on the way (copying nothing else).
 * Undefined when the way ends early and nothing may be made. Throws: CommandError 28 when it runs into a scalar.
 */
export function slotOf(document: Doc, path: string, create: boolean): Slot | undefined {
  if (!path.includes('.')) return { holder: document, key: path };
  const parts = path.split('.');
  let holder: Doc | unknown[] = document;
  for (const [i, part] of parts.slice(0, -1).entries()) {
    const key = keyIn(holder, part, path, create);
    if (key === undefined) return undefined;
    let next = (holder as Doc)[key];
    if (next === undefined) {
      if (!create) return undefined;
      next = {};
      assign({ holder, key }, next);
    } else if (!isContainer(next)) {
      if (!create) return undefined;
      throw new CommandError(28, `Cannot create field '${parts[i + 1]}' in element {${part}: ${JSON.stringify(next)}}`);
    }
    holder = next as Doc | unknown[];
  }
  const last = parts.at(-1) as string;
  const key = keyIn(holder, last, path, create);
  return key === undefined ? undefined : { holder, key };
}

function keyIn(holder: Doc | unknown[], part: string, path: string, create: boolean): string | number | undefined {
  if (part === '') throw new CommandError(56, `The update path '${path}' contains an empty field name, which is not allowed.`);
  if (!Array.isArray(holder)) return part;
  if (/^\d+$/.test(part) && Number(part) < 1_500_000) return Number(part);
  if (create) throw new CommandError(28, `Cannot create field '${part}' in element of an array (path ${path})`);
  return undefined;
}

function isContainer(value: unknown): boolean {
  return Array.isArray(value) || (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype);
}

/** The value in a slot. */
export function valueIn({ holder, key }: Slot): unknown {
  return Object.hasOwn(holder, key) ? (holder as Doc)[key] : undefined;
}

/** Puts a value into a slot; an array is filled with nulls up to it. */
export function assign({ holder, key }: Slot, value: unknown): void {
  if (Array.isArray(holder)) {
    while (holder.length < (key as number)) holder.push(null);
    holder[key as number] = value;
  } else if (key === '__proto__') Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
  else holder[key] = value;
}

/** Takes a value out; in an array null stays in its place. */
export function remove({ holder, key }: Slot): void {
  if (Array.isArray(holder)) {
    if ((key as number) < holder.length) holder[key as number] = null;
  } else delete holder[key];
}
