import { serialize } from 'bson';
import { decode } from '../values/decode.ts';
import { type Doc, toBuffer } from '../values/document.ts';

/** A document on its way through a pipeline: as bytes, decoded, or both. Neither is changed once it is there. */
export interface Item {
  raw?: Buffer;
  doc?: Doc;
}

/** The item's bytes. */
export function rawOf(item: Item): Buffer {
  item.raw ??= toBuffer(serialize(item.doc as Doc, { ignoreUndefined: true }));
  return item.raw;
}

/** The item's decoded document. */
export function docOf(item: Item): Doc {
  item.doc ??= decode(item.raw as Buffer);
  return item.doc;
}
