import { int32At, valueEnd } from './raw.ts';

/** Finds chosen top-level fields of a document in one pass over its bytes. */
export interface Locator {
  /** Which slot a field has. */
  slots: ReadonlyMap<string, number>;
  /** Type and offset of each slot's value in the document that was located last; type 0 is missing. */
  types: Uint8Array;
  offsets: Int32Array;
  locate(document: Buffer): void;
}

const bucketOf = (first: number, length: number) => ((first & 31) << 4) | (length & 15);

/** Prepares the search for `names`. */
export function openLocator(names: Iterable<string>): Locator {
  const slots = new Map<string, number>();
  const wanted: Buffer[] = [];
  const buckets: (number[] | undefined)[] = new Array(512);
  for (const name of new Set(names)) {
    const bytes = Buffer.from(name);
    const bucket = bucketOf(bytes[0] ?? 0, bytes.length);
    slots.set(name, wanted.length);
    buckets[bucket] = [...(buckets[bucket] ?? []), wanted.length];
    wanted.push(bytes);
  }
  const types = new Uint8Array(wanted.length);
  const offsets = new Int32Array(wanted.length);
  const slotOf = (document: Buffer, from: number, length: number): number => {
    const candidates = buckets[bucketOf(document[from] as number, length)];
    if (candidates === undefined) return -1;
    for (const slot of candidates) {
      const name = wanted[slot] as Buffer;
      if (name.length !== length) continue;
      let same = 0;
      while (same < length && name[same] === document[from + same]) same++;
      if (same === length) return slot;
    }
    return -1;
  };
  return {
    slots,
    types,
    offsets,
    locate(document) {
      types.fill(0);
      const last = int32At(document, 0) - 1;
      let at = 4;
      let missing = wanted.length;
      while (at < last && missing > 0) {
        const type = document[at] as number;
        const from = at + 1;
        let end = from;
        while (document[end] !== 0) end++;
        const slot = slotOf(document, from, end - from);
        if (slot >= 0 && types[slot] === 0) {
          types[slot] = type;
          offsets[slot] = end + 1;
          missing--;
        }
        at = valueEnd(document, type, end + 1);
      }
    },
  };
}
