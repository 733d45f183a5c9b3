import { serialize } from 'bson';
import { openDecoder } from './decode.ts';
import type { Doc } from './document.ts';
import { openLocator } from './locate.ts';
import { int32At, valueEnd } from './raw.ts';
import { framed } from './write.ts';

/** Changes some top-level fields of a document; all others travel as bytes, however large they are. */
export interface Splicer {
  /** `change` gets a document of just these fields, and changes it in place. */
  apply(before: Buffer, change: (fields: Doc) => Doc): Buffer;
}

interface Element {
  name: string;
  start: number;
  end: number;
}

export function openSplicer(names: ReadonlySet<string>): Splicer {
  const locator = openLocator(names);
  const read = openDecoder(names);
  const sizes = [...names].map((name) => Buffer.byteLength(name));
  /** The wanted elements in the order of their place. */
  const find = (document: Buffer): Element[] => {
    locator.locate(document);
    const found: Element[] = [];
    for (const [name, slot] of locator.slots) {
      const [type, at] = [locator.types[slot] as number, locator.offsets[slot] as number];
      if (type !== 0) found.push({ name, start: at - (sizes[slot] as number) - 2, end: valueEnd(document, type, at) });
    }
    return found.sort((a, b) => a.start - b.start);
  };
  return {
    apply(before, change) {
      const after = Buffer.from(serialize(change(read(before)), { ignoreUndefined: true }));
      const fresh = new Map(find(after).map((element) => [element.name, element]));
      const parts: Buffer[] = [];
      let at = 4;
      for (const { name, start, end } of find(before)) {
        if (start > at) parts.push(before.subarray(at, start));
        at = end;
        const own = fresh.get(name);
        if (own) parts.push(after.subarray(own.start, own.end));
        fresh.delete(name);
      }
      parts.push(before.subarray(at, int32At(before, 0) - 1));
      for (const { start, end } of fresh.values()) parts.push(after.subarray(start, end));
      return framed(parts);
    },
  };
}
