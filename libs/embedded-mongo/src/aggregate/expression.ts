import { mingo } from '../mingo.ts';
import type { Doc } from '../values/document.ts';
import { toView } from '../values/view.ts';

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
  let general: Expression | undefined;
  return (document) => {
    let value: unknown = document;
    for (const part of parts) {
      if (Array.isArray(value)) {
        general ??= throughMingo(`$${path}`, undefined);
        return general(document);
      }
      if (typeof value !== 'object' || value === null || isBson(value) || !Object.hasOwn(value, part)) return undefined;
      value = (value as Doc)[part];
    }
    return value;
  };
}

function throughMingo(expression: unknown, variables: Doc | undefined): Expression {
  const view = toView(expression);
  const evaluate = mingo().evaluator(variables);
  return (document) => evaluate(toView(document), view);
}
