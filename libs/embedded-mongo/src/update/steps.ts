import { CommandError } from '../errors.ts';
import type { Doc } from '../values/document.ts';
import { openSplicer, type Splicer } from '../values/splice.ts';
import { operators } from './operators.ts';

/** One operator on one path. */
export interface Step {
  operator: string;
  path: string;
  operand: unknown;
  positional: boolean;
}

/** What all updates of the same operators on the same paths have in common. */
export interface Shape {
  /** Top-level fields that may change. */
  changed: ReadonlySet<string>;
  /** Absent when a step needs the whole document. */
  splicer?: Splicer;
}

/** Operators that mingo applies. */
export const byMingo = new Set(['$pull', '$pullAll', '$pop', '$bit']);

const shapes = new Map<string, Shape>();
const maxShapes = 1000;

/** The shape of an update, made once: programs send the same few over and over. Throws: CommandError 40 for conflicting paths. */
export function shapeOf(steps: Step[]): Shape {
  let name = '';
  for (const { operator, path, operand } of steps) name += `${operator} ${path}${operator === '$rename' ? ` ${String(operand)}` : ''}\0`;
  let shape = shapes.get(name);
  if (shape === undefined) {
    const paths = steps.flatMap(({ operator, path, operand }) => (operator === '$rename' ? [path, String(operand)] : [path]));
    checkConflicts(paths);
    const changed = new Set(paths.map((path) => path.split('.')[0] as string));
    shape = { changed, splicer: steps.some(({ positional }) => positional) ? undefined : openSplicer(changed) };
    if (shapes.size >= maxShapes) shapes.clear();
    shapes.set(name, shape);
  }
  return shape;
}

/** Takes an update's operators apart. Throws: CommandError 9, 56. */
export function stepsOf(given: Doc): Step[] {
  const steps: Step[] = [];
  for (const [operator, fields] of Object.entries(given)) {
    if (!operators[operator] && !byMingo.has(operator) && operator !== '$setOnInsert') {
      throw new CommandError(
        9,
        `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    }
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
      throw new CommandError(
        9,
        `Modifiers operate on fields but we found type ${typeof fields} instead. For example: {$mod: {<field>: ...}} not {${operator}: ${JSON.stringify(fields)}}`,
      );
    }
    for (const [path, operand] of Object.entries(fields)) {
      if (path === '' || path.startsWith('.') || path.endsWith('.') || path.includes('..'))
        throw new CommandError(56, `The update path '${path}' contains an empty field name, which is not allowed.`);
      steps.push({ operator, path, operand, positional: path.includes('$') });
    }
  }
  return steps;
}

function checkConflicts(paths: string[]): void {
  const sorted = [...paths].map((path) => `${path}.`).sort();
  for (let i = 1; i < sorted.length; i++) {
    if (sorted[i]?.startsWith(sorted[i - 1] as string)) {
      const [short, long] = [sorted[i - 1]?.slice(0, -1), sorted[i]?.slice(0, -1)];
      throw new CommandError(40, `Updating the path '${long}' would create a conflict at '${short}'`);
    }
  }
}
