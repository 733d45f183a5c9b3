import { serialize } from 'bson';
import { CommandError } from '../errors.ts';
import { mingo } from '../mingo.ts';
import { decode } from '../values/decode.ts';
import { bsonType, type Doc } from '../values/document.ts';
import { elements, int32At } from '../values/raw.ts';
import { fromView, toView } from '../values/view.ts';
import { framed } from '../values/write.ts';

/** Turns a stored document into what the caller asked to see. */
export type Project = (document: Buffer) => Buffer;

type Tree = Map<string, Tree | true>;

/**
 * Compiles a projection. Including and excluding fields copies bytes, so that every type stays as it was sent; `$slice`,
 * `$elemMatch` and expressions go through mingo. Throws: CommandError 31253/31254 for a mix of both.
 */
export function compileProjection(given: Doc | undefined, filter: Doc = {}): Project | undefined {
  if (given === undefined || given === null || Object.keys(given).length === 0) return undefined;
  const flags = Object.entries(given).map(([path, value]) => [path, flagOf(value)] as const);
  if (flags.some(([path, flag]) => flag === undefined || path.includes('$'))) return throughMingo(given, filter);
  const including = flags.find(([path]) => path !== '_id')?.[1] ?? flags[0]?.[1] ?? true;
  const tree: Tree = new Map();
  for (const [path, flag] of flags) {
    if (path === '_id' && flags.length > 1) continue;
    if (flag !== including) {
      throw new CommandError(
        flag ? 31253 : 31254,
        `Cannot do ${flag ? 'inclusion' : 'exclusion'} on field ${path} in ${including ? 'inclusion' : 'exclusion'} projection`,
      );
    }
    plant(tree, path.split('.'));
  }
  const idFlag = flags.find(([path]) => path === '_id')?.[1];
  if (including && idFlag !== false) tree.set('_id', true);
  if (!including && idFlag === false) tree.set('_id', true);
  return (document) => (including ? pick(document, 0, tree) : omit(document, 0, tree));
}

function flagOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0;
  const inner = (value as { _bsontype?: string } | null)?._bsontype;
  if (inner === 'Long' || inner === 'Double' || inner === 'Decimal128') return Number(String(value)) !== 0;
  return undefined;
}

function plant(tree: Tree, parts: string[]): void {
  let at = tree;
  for (const [i, part] of parts.entries()) {
    const known = at.get(part);
    if (known === true) return;
    if (i === parts.length - 1) at.set(part, true);
    else {
      const next = known ?? new Map();
      at.set(part, next);
      at = next;
    }
  }
}

function pick(bytes: Buffer, start: number, tree: Tree): Buffer {
  const parts: Buffer[] = [];
  for (const element of elements(bytes, start)) {
    const branch = tree.get(bytes.toString('utf8', element.nameAt, element.nameEnd));
    if (branch === true) parts.push(bytes.subarray(element.nameAt - 1, element.end));
    else if (branch && (element.type === bsonType.object || element.type === bsonType.array)) {
      parts.push(bytes.subarray(element.nameAt - 1, element.at), nested(bytes, element, branch, pick));
    }
  }
  return framed(parts);
}

/** What is kept is copied as one piece from one field that is left out to the next. */
function omit(bytes: Buffer, start: number, tree: Tree): Buffer {
  const parts: Buffer[] = [];
  let from = start + 4;
  for (const element of elements(bytes, start)) {
    const branch = tree.get(bytes.toString('utf8', element.nameAt, element.nameEnd));
    const isNested = element.type === bsonType.object || element.type === bsonType.array;
    if (branch === undefined || (branch !== true && !isNested)) continue;
    parts.push(bytes.subarray(from, branch === true ? element.nameAt - 1 : element.at));
    if (branch !== true) parts.push(nested(bytes, element, branch, omit));
    from = element.end;
  }
  parts.push(bytes.subarray(from, start + int32At(bytes, start) - 1));
  return framed(parts);
}

function nested(bytes: Buffer, element: { type: number; at: number }, tree: Tree, apply: typeof pick): Buffer {
  if (element.type === bsonType.object) return apply(bytes, element.at, tree);
  const parts: Buffer[] = [];
  let position = 0;
  for (const item of elements(bytes, element.at)) {
    const isDocument = item.type === bsonType.object || item.type === bsonType.array;
    if (!isDocument && apply === pick) continue;
    const head = Buffer.from(`\0${position++}\0`);
    head[0] = item.type;
    parts.push(head, isDocument ? nested(bytes, item, tree, apply) : bytes.subarray(item.at, item.end));
  }
  return framed(parts);
}

function throughMingo(given: Doc, filter: Doc): Project {
  const projection = toView(given) as Record<string, never>;
  const positional = Object.keys(given).some((path) => path.endsWith('.$'));
  const query = mingo().query(positional ? (toView(filter) as Doc) : {});
  return (document) => {
    const [projected] = query.find([toView(decode(document)) as Doc], projection).all();
    return Buffer.from(serialize(fromView(projected) as Doc, { ignoreUndefined: true }));
  };
}
