import { createRequire } from 'node:module';
import { Context, evalExpr } from 'mingo/core';
import { CommandError } from '../errors.ts';
import type { Doc } from '../values/document.ts';
import { fromView, toView } from '../values/view.ts';

/** mingo's CommonJS files re-export in a way that hides most names from `import *`. */
const load = createRequire(import.meta.url);

/** mingo's accumulators by name. */
export const accumulators = load('mingo/operators/accumulator') as Record<string, unknown>;

const context = Context.init({
  accumulator: accumulators as never,
  expression: {
    ...load('mingo/operators/expression'),
    $capture: (_document: unknown, _operand: unknown, options: unknown) => options,
  } as never,
  pipeline: load('mingo/operators/pipeline'),
  projection: load('mingo/operators/projection'),
  query: load('mingo/operators/query'),
  window: load('mingo/operators/window'),
});

/** The options in the form that mingo documents: everything that it knows, but nothing that runs code from a query. */
export const plainOptions = { context, scriptEnabled: false };

/**
 * The same as mingo's own kind of object, for `Query` and `Aggregator`: from anything else they make a new one, a costly
 * copy. mingo does not export it, so an operator of ours hands one out.
 */
export function mingoOptions(variables?: Doc): never {
  return (variables === undefined ? withoutVariables : captured(variables)) as never;
}

/** Holds the document that an expression is about. */
interface MingoOptions {
  update(locals: { root: unknown }): never;
}

function captured(variables?: Doc): MingoOptions {
  return evalExpr(null, { $capture: 1 }, { ...plainOptions, variables: toView(variables) } as never) as MingoOptions;
}

const withoutVariables = captured();
const forExpressions = captured();

/** Evaluates an expression on what `toView` gave. Throws: CommandError. */
export function evaluate(root: unknown, expression: unknown, options: MingoOptions = forExpressions): unknown {
  try {
    return fromView(evalExpr(root, expression, options.update({ root })));
  } catch (cause) {
    throw mingoFailure(cause);
  }
}

/** A compiled expression. Undefined is a missing value. */
export type Expression = (document: Doc) => unknown;

/**
 * Compiles an aggregation expression. Plain field paths, constants and documents of them are read directly, with their
 * types; mingo evaluates the rest.
 */
export function compileExpression(expression: unknown, variables?: Doc): Expression {
  if (typeof expression === 'string' && expression.startsWith('$')) {
    if (expression === '$$ROOT' || expression === '$$CURRENT') return (document) => document;
    if (!expression.startsWith('$$')) return fieldReader(expression.slice(1)) ?? throughMingo(expression, variables);
    return throughMingo(expression, variables);
  }
  if (typeof expression !== 'object' || expression === null || isBson(expression)) return () => expression;
  if (!Array.isArray(expression)) {
    const names = Object.keys(expression);
    if (!names[0]?.startsWith('$')) {
      const parts = names.map((name) => [name, compileExpression((expression as Doc)[name], variables)] as const);
      return (document) => {
        const value: Doc = {};
        for (const [name, part] of parts) {
          const inner = part(document);
          if (inner !== undefined) value[name] = inner;
        }
        return value;
      };
    }
    if (names[0] === '$literal') return () => (expression as Doc).$literal;
  }
  return throughMingo(expression, variables);
}

function isBson(value: object): boolean {
  return value instanceof Date || value instanceof RegExp || '_bsontype' in value;
}

function fieldReader(path: string): Expression | undefined {
  if (!path.includes('.')) return (document) => (Object.hasOwn(document, path) ? document[path] : undefined);
  const parts = path.split('.');
  const mingo = throughMingo(`$${path}`, undefined);
  return (document) => {
    let value: unknown = document;
    for (const part of parts) {
      if (Array.isArray(value)) return mingo(document);
      if (typeof value !== 'object' || value === null || isBson(value) || !Object.hasOwn(value, part)) return undefined;
      value = (value as Doc)[part];
    }
    return value;
  };
}

function throughMingo(expression: unknown, variables: Doc | undefined): Expression {
  const view = toView(expression);
  const options = variables && captured(variables);
  return (document) => evaluate(toView(document), view, options);
}

/** What mingo refused, with MongoDB's number for it. */
export function mingoFailure(cause: unknown): unknown {
  if (cause instanceof CommandError) return cause;
  const { message } = cause as Error;
  const [, unknown] = /operator '?(\$\w+)'? is not registered|accumulator '(\$\w+)' is not registered/.exec(message) ?? [];
  if (message.includes('is not registered')) return new CommandError(168, `Unrecognized expression '${unknown ?? message}'`);
  if (message.includes('unregistered pipeline operator'))
    return new CommandError(40324, `Unrecognized pipeline stage name: '${message.split(' ').at(-1)?.replace('.', '')}'`);
  return new CommandError(2, message);
}
