import { CommandError } from '../errors.ts';
import type { Stream } from '../stream.ts';
import { assign, slotOf } from '../update/path.ts';
import type { Doc } from '../values/document.ts';
import { compileExpression } from './expression.ts';
import { docOf, type Item, rawOf } from './item.ts';

export interface Lookup {
  variables?: Doc;
  /** Runs a pipeline on a collection of the same database. */
  run(stages: Doc[], from: string, variables: Doc): Stream<Item>;
}

/** `$lookup`: for each document one query on the other collection, which uses its indexes. */
export function* lookup(input: Stream<Item>, given: Doc, { variables: outer, run }: Lookup): Stream<Item> {
  const { from, localField, foreignField, as } = given as Record<string, string | undefined>;
  if (typeof from !== 'string' || typeof as !== 'string') throw new CommandError(9, "$lookup needs the strings 'from' and 'as'");
  if ((localField === undefined) !== (foreignField === undefined))
    throw new CommandError(9, '$lookup needs both localField and foreignField, or neither');
  const local = localField === undefined ? undefined : compileExpression(`$${localField}`);
  const bindings = Object.entries((given.let as Doc | undefined) ?? {}).map(
    ([name, value]) => [name, compileExpression(value, outer)] as const,
  );
  const pipeline = (given.pipeline as Doc[] | undefined) ?? [];
  for (const item of input) {
    if (item === undefined) {
      yield undefined;
      continue;
    }
    const document = docOf(item);
    const variables: Doc = { ...outer };
    for (const [name, value] of bindings) variables[name] = value(document) ?? null;
    const stages = local ? [{ $match: { [foreignField as string]: matching(local(document)) } }, ...pipeline] : pipeline;
    const found: Doc[] = [];
    for (const other of run(stages, from, variables)) {
      if (other) found.push(docOf({ raw: rawOf(other) }));
      else yield undefined;
    }
    const joined = { ...document };
    const slot = slotOf(joined, as, true);
    if (slot) assign(slot, found);
    yield { doc: joined };
  }
}

function matching(value: unknown): unknown {
  if (Array.isArray(value)) return { $in: value };
  return { $eq: value ?? null };
}
