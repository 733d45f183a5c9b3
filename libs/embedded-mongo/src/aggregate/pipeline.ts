import { CommandError } from '../errors.ts';
import { compileFilter } from '../query/filter.ts';
import { parseSort } from '../query/sort.ts';
import { countMatching, documents, matchingRows, planOf, type Query } from '../query/stream.ts';
import type { Collection } from '../storage/catalogue.ts';
import type { Store } from '../store.ts';
import type { Stream } from '../stream.ts';
import { decode, openDecoder } from '../values/decode.ts';
import type { Doc } from '../values/document.ts';
import { group, openGrouping } from './group.ts';
import { type Item, rawOf } from './item.ts';
import { addFields, byMingo, countInto, limit, match, project, skip, sort, unwind } from './stages.ts';
import { openStoredGrouping, type StoredGrouping } from './stored-group.ts';

export interface Source {
  db: string;
  name: string;
  hint?: unknown;
  variables?: Doc;
}

const perDocument = new Set(['$replaceRoot', '$replaceWith']);
/** Stages that MongoDB has and no query of the product needs. */
const unbuilt = new Set([
  ...['$out', '$merge', '$lookup', '$graphLookup', '$unionWith', '$facet', '$sortByCount', '$bucket', '$bucketAuto', '$sample', '$redact'],
  ...['$documents', '$setWindowFields', '$densify', '$fill', '$geoNear', '$changeStream', '$indexStats', '$collStats', '$search'],
]);

/** Runs a pipeline; its documents come as bytes. */
export function* runPipeline(store: Store, pipeline: Doc[], source: Source): Stream<Buffer> {
  for (const item of items(store, checked(pipeline), source)) yield item && rawOf(item);
}

function checked(pipeline: Doc[]): Doc[] {
  for (const stage of pipeline) {
    if (typeof stage !== 'object' || stage === null || Object.keys(stage).length !== 1) {
      throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
    }
  }
  return pipeline;
}

function* items(store: Store, pipeline: Doc[], source: Source): Stream<Item> {
  const collection = store.catalogue.find(source.db, source.name);
  const { query, rest } = front(pipeline, source);
  const [next] = rest;
  const counted = next && (yield* counting(store, collection, { query, stage: next }));
  if (counted) {
    yield* chain(listed(counted), rest.slice(1), source.variables);
    return;
  }
  if (next?.$group && query.sort === undefined && query.skip === undefined && query.limit === undefined) {
    const spec = next.$group as Doc;
    yield* chain(grouped(store, collection, { query, spec, variables: source.variables }), rest.slice(1), source.variables);
    return;
  }
  yield* chain(read(store, collection, query), rest, source.variables);
}

function* listed(given: Item[]): Stream<Item> {
  yield* given;
}

function* read(store: Store, collection: Collection | undefined, query: Query): Stream<Item> {
  for (const raw of documents(store, collection, query)) yield raw && { raw };
}

/** A `$group` over stored documents decodes at most the fields that it reads. */
function* grouped(
  store: Store,
  collection: Collection | undefined,
  { query, spec, variables }: { query: Query; spec: Doc; variables?: Doc },
): Stream<Item> {
  const grouping = openStoredGrouping(spec) ?? openDecodedGrouping(spec, variables);
  if (collection) {
    const walk = { filter: query.filter, plan: planOf(store, collection, query), keepsNone: true };
    for (const rows of matchingRows(store, collection, walk)) {
      if (rows) for (const { doc } of rows) grouping.add(doc);
      else yield undefined;
    }
  }
  yield* grouping.results();
}

function openDecodedGrouping(spec: Doc, variables: Doc | undefined): StoredGrouping {
  const { add, results } = openGrouping(spec, variables);
  const wanted = fieldsOfGroup(spec);
  const read = wanted ? openDecoder(wanted) : decode;
  return { add: (document) => add(read(document)), results };
}

/** Takes off the beginning what the planner can do: `$match`, then `$sort`, `$skip` and `$limit` in any sensible order. */
function front(pipeline: Doc[], { hint, variables }: Source): { query: Query; rest: Doc[] } {
  let at = 0;
  const conditions: Doc[] = [];
  while (pipeline[at]?.$match) conditions.push(pipeline[at++]?.$match as Doc);
  const query: Query = {
    filter: compileFilter(
      conditions.length === 1 ? (conditions[0] as Doc) : { ...(conditions.length > 0 && { $and: conditions }) },
      variables,
    ),
    hint,
  };
  if (pipeline[at]?.$sort) query.sort = parseSort(pipeline[at++]?.$sort);
  if (pipeline[at]?.$skip !== undefined) query.skip = whole('$skip', pipeline[at++]?.$skip);
  if (pipeline[at]?.$limit !== undefined) query.limit = whole('$limit', pipeline[at++]?.$limit);
  return { query, rest: pipeline.slice(at) };
}

function whole(stage: string, given: unknown): number {
  const value = Number(String(given));
  if (!Number.isInteger(value) || value < 0 || (stage === '$limit' && value === 0))
    throw new CommandError(stage === '$limit' ? 15958 : 15956, `invalid argument to ${stage} stage: ${JSON.stringify(given)}`);
  return value;
}

/** `$count`, and the `$group` that drivers send for countDocuments: answered without reading documents where an index can. */
function* counting(
  store: Store,
  collection: Collection | undefined,
  { query, stage }: { query: Query; stage: Doc },
): Generator<undefined, Item[] | undefined> {
  if (typeof stage.$count === 'string') {
    const count = yield* countMatching(store, collection, query);
    return count > 0 ? [{ doc: { [stage.$count]: count } }] : [];
  }
  const spec = stage.$group as Doc | undefined;
  if (spec === undefined) return undefined;
  const fields = Object.entries(spec).filter(([name]) => name !== '_id');
  const [name, sum] = fields[0] ?? [];
  const constant = spec._id === null || typeof spec._id === 'number';
  if (!constant || fields.length !== 1 || (sum as Doc).$sum !== 1) return undefined;
  const count = yield* countMatching(store, collection, query);
  return count > 0 ? [{ doc: { _id: spec._id, [name as string]: count } }] : [];
}

function chain(input: Stream<Item>, pipeline: Doc[], variables: Doc | undefined): Stream<Item> {
  let stream = input;
  for (const [i, stage] of pipeline.entries()) {
    const [name, given] = Object.entries(stage)[0] as [string, unknown];
    stream = one(stream, { name, given, following: pipeline[i + 1], variables });
  }
  return stream;
}

interface Step {
  name: string;
  given: unknown;
  following: Doc | undefined;
  variables: Doc | undefined;
}

function one(input: Stream<Item>, { name, given, following, variables }: Step): Stream<Item> {
  switch (name) {
    case '$match':
      return match(input, given as Doc, variables);
    case '$sort':
      return sort(input, given, following?.$limit === undefined ? undefined : whole('$limit', following.$limit));
    case '$skip':
      return skip(input, whole(name, given));
    case '$limit':
      return limit(input, whole(name, given));
    case '$count':
      return countInto(input, String(given));
    case '$project':
      return project(input, given as Doc, variables);
    case '$unset':
      return project(input, Object.fromEntries([given].flat().map((field) => [String(field), 0])));
    case '$addFields':
    case '$set':
      return addFields(input, given as Doc, variables);
    case '$unwind':
      return unwind(input, given);
    case '$group':
      return group(input, given as Doc, variables);
  }
  if (perDocument.has(name)) return byMingo(input, { [name]: given }, variables);
  if (unbuilt.has(name)) throw new CommandError(238, `the bundled store has no ${name} stage`);
  throw new CommandError(40324, `Unrecognized pipeline stage name: '${name}'`);
}

/** Top-level fields that a `$group` reads, or undefined when it may read any. */
function fieldsOfGroup(spec: unknown): Set<string> | undefined {
  const fields = new Set<string>();
  return collect(spec, fields) ? fields : undefined;
}

function collect(expression: unknown, fields: Set<string>): boolean {
  if (typeof expression === 'string') {
    if (!expression.startsWith('$')) return true;
    if (expression.startsWith('$$')) return expression === '$$NOW';
    fields.add(expression.slice(1).split('.')[0] as string);
    return true;
  }
  if (typeof expression !== 'object' || expression === null || expression instanceof Date || '_bsontype' in expression) return true;
  return Object.values(expression).every((part) => collect(part, fields));
}
