import { serialize } from 'bson';
import { CommandError } from '../errors.ts';
import type { Store } from '../store.ts';
import { bsonType, type Doc } from '../values/document.ts';
import { elements, findField } from '../values/raw.ts';

/** One command as it came. */
export interface Request {
  name: string;
  db: string;
  body: Doc;
  raw: Buffer;
  /** Document sequences that travelled beside the body. */
  sequences: Map<string, Buffer[]>;
  connectionId: number;
}

/** The answer's document, or its bytes. */
export type Answer = Doc | Buffer;

/** Work that lets others run whenever it yields. */
export type Work = Generator<undefined, Answer>;

export interface Command {
  /** A promise is of work that another thread does. */
  run(store: Store, request: Request): Answer | Work | Promise<Answer>;
  /** Whether it may change the store: when a shared transaction fails, readers of its turn are simply run again. */
  writes?: boolean;
}

/** The collection that the command's first field names. Throws: CommandError 73. */
export function collectionName({ name, body }: Request): string {
  const collection = body[name];
  if (typeof collection !== 'string' || collection === '')
    throw new CommandError(73, `Invalid namespace specified: collection name has invalid type or is empty`);
  return collection;
}

/** A list argument of a command (`documents`, `updates`, `deletes`) as raw documents, wherever it travelled. */
export function rawList({ raw, sequences }: Request, field: string): Buffer[] {
  const beside = sequences.get(field);
  if (beside) return beside;
  const { type, at } = findField(raw, 0, Buffer.from(field));
  if (type !== bsonType.array) throw new CommandError(14, `BSON field '${field}' is missing or not an array`);
  return [...elements(raw, at)].map((element) => raw.subarray(element.at, element.end));
}

/** A whole number argument, whatever number type it came as. Throws: CommandError 2. */
export function count(body: Doc, field: string): number | undefined {
  const given = body[field];
  if (given === undefined || given === null) return undefined;
  const value = Number(String(given));
  if (!Number.isFinite(value)) throw new CommandError(14, `BSON field '${field}' is the wrong type, expected a number`);
  if (value < 0) throw new CommandError(51024, `BSON field '${field}' value must be >= 0, actual value '${value}'`);
  return Math.trunc(value);
}

/** Bytes of a document. */
export function bytesOf(document: Doc): Buffer {
  return Buffer.from(serialize(document, { ignoreUndefined: true }));
}

/** What a failed write says about itself. */
export function writeError(index: number, error: CommandError): Doc {
  return { index, code: error.code, errmsg: error.message, ...error.details };
}

/** A collation other than the plain one would silently give other results. Throws: CommandError 2. */
export function refuseCollation(body: Doc): void {
  const collation = body.collation as Doc | undefined;
  if (collation && collation.locale !== 'simple') throw new CommandError(2, 'the bundled store has no collations');
}
