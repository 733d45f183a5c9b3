import { CommandError } from '../errors.ts';
import type { Doc } from '../values/document.ts';

const fieldOperators = new Set(
  '$eq $ne $gt $gte $lt $lte $in $nin $not $exists $type $mod $regex $options $all $elemMatch $size $bitsAllClear $bitsAllSet $bitsAnyClear $bitsAnySet'.split(
    ' ',
  ),
);
const topOperators = new Set(['$and', '$or', '$nor', '$expr', '$comment']);

/** Refuses operators that mingo would take for data, or would run as code. Throws: CommandError 2. */
export function checkOperators(conditions: Doc[]): void {
  for (const condition of conditions) {
    for (const [name, value] of Object.entries(condition)) {
      if (name.startsWith('$') && !topOperators.has(name)) throw new CommandError(2, `unknown top level operator: ${name}`);
      if (name === '$and' || name === '$or' || name === '$nor') {
        if (!Array.isArray(value) || value.length === 0) throw new CommandError(2, `${name} must be a nonempty array`);
        checkOperators(value as Doc[]);
      } else if (!name.startsWith('$')) checkField(value);
    }
  }
}

function checkField(condition: unknown): void {
  if (typeof condition !== 'object' || condition === null || Object.getPrototypeOf(condition) !== Object.prototype) return;
  for (const [operator, operand] of Object.entries(condition)) {
    if (!operator.startsWith('$')) continue;
    if (!fieldOperators.has(operator)) throw new CommandError(2, `unknown operator: ${operator}`);
    if (operator === '$not') checkField(operand);
    if ((operator === '$in' || operator === '$nin' || operator === '$all') && !Array.isArray(operand)) {
      throw new CommandError(2, `${operator} needs an array`);
    }
    if (operator === '$size' && typeof operand !== 'number') throw new CommandError(2, 'Failed to parse $size. Expected a number');
  }
}
