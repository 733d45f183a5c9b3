import type { NameRule } from '@tollgate/contracts';

/** Whether all conditions of a model name rule hold. `contains` requires all its parts, the other conditions any. */
export function matches(name: string, when: NameRule['when']): boolean {
  for (const [condition, wanted] of Object.entries(when)) {
    const values = Array.isArray(wanted) ? (wanted as string[]) : [String(wanted)];
    if (!holds(condition, values, name)) return false;
  }
  return true;
}

function holds(condition: string, values: string[], name: string): boolean {
  switch (condition) {
    case 'exact':
      return values.includes(name);
    case 'exact_ignore_case':
      return values.some((value) => value.toLowerCase() === name.toLowerCase());
    case 'prefix':
      return values.some((value) => name.startsWith(value));
    case 'suffix':
      return values.some((value) => name.endsWith(value));
    case 'not_suffix':
      return !values.some((value) => name.endsWith(value));
    case 'contains':
      return values.every((value) => name.includes(value));
    default:
      throw new Error(`unknown condition in a model name rule: ${condition}`);
  }
}
