import { createRequire } from 'node:module';
import type { Aggregator } from 'mingo/aggregator';
import type { Query } from 'mingo/query';
import { CommandError } from './errors.ts';
import type { Doc } from './values/document.ts';
import { fromView, toView } from './values/view.ts';

/** What mingo does for us. Documents and operands go in as `toView` makes them. */
export interface Mingo {
  /** Throws: CommandError 2. */
  query(condition: Doc, variables?: Doc): Query;
  aggregate(stages: Doc[], variables: Doc | undefined): (documents: unknown[]) => Doc[];
  /** Changes the one document in the list. */
  update(documents: Doc[], condition: Doc, change: Doc, arrayFilters: Doc[] | undefined): void;
  evaluator(variables?: Doc): (root: unknown, expression: unknown) => unknown;
  isAccumulator(name: string): boolean;
}

let loaded: Mingo | undefined;

/** mingo is some 250 files, which cost 0.3 s to load: that happens when it is first needed, or soon after the start. */
export function mingo(): Mingo {
  loaded ??= load();
  return loaded;
}

function load(): Mingo {
  const require = createRequire(import.meta.url); // `import *` of its CommonJS files would miss most names
  const { Context, evalExpr } = require('mingo/core');
  const kinds = ['accumulator', 'expression', 'pipeline', 'projection', 'query'] as const;
  const operators = Object.fromEntries(kinds.map((kind) => [kind, require(`mingo/operators/${kind}`)]));
  const capture = { $capture: (_document: unknown, _operand: unknown, own: unknown) => own };
  const context = Context.init({ ...operators, expression: { ...operators.expression, ...capture } });
  const options = { context, scriptEnabled: false }; // nothing that runs code from a query
  /*
   * mingo's own options object. From anything else `Query`, `Aggregator` and `evalExpr` make one anew in every call, a costly
   * copy; mingo does not export it, so an operator of ours hands it out.
   */
  const captured = (variables?: Doc) => evalExpr(null, { $capture: 1 }, { ...options, variables: toView(variables) });
  const plain = captured();
  const { Query } = require('mingo/query');
  const { Aggregator } = require('mingo/aggregator') as { Aggregator: new (stages: Doc[], options: unknown) => Aggregator };
  const { updateOne } = require('mingo/updater');
  const optionsFor = (variables?: Doc) => (variables === undefined ? plain : captured(variables));
  const evaluator = (own: { update(locals: { root: unknown }): unknown }) => (root: unknown, expression: unknown) =>
    guarded(() => fromView(evalExpr(root, expression, own.update({ root }))));
  const evaluate = evaluator(captured());
  return {
    query: (condition, variables) => guarded(() => new Query(condition, optionsFor(variables))),
    aggregate(stages, variables) {
      const aggregator = new Aggregator(stages, optionsFor(variables));
      return (documents) => guarded(() => aggregator.run(documents as never).map((document) => fromView(document) as Doc));
    },
    update: (documents, condition, change, arrayFilters) =>
      guarded(() => updateOne(documents, condition, change, { arrayFilters, cloneMode: 'deep' }, options)),
    evaluator: (variables) => (variables === undefined ? evaluate : evaluator(captured(variables))),
    isAccumulator: (name) => Object.hasOwn(operators.accumulator, name),
  };
}

/** Gives what mingo refuses MongoDB's number. */
function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    const { message } = cause as Error;
    const unknown = /operator '?(\$\w+)'? is not registered/.exec(message)?.[1] ?? /'(\$\w+)' is not registered/.exec(message)?.[1];
    if (message.includes('is not registered')) throw new CommandError(168, `Unrecognized expression '${unknown ?? message}'`);
    throw new CommandError(2, message);
  }
}
