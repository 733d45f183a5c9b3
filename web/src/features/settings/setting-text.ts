import { jsonPlaces } from '@tollgate/contracts/json-text';
import type { Setting } from './api.ts';

/** What is wrong with a text, as a key of the texts of this feature. */
export type Fault =
  | { says: 'wrong.json' | 'wrong.number' | 'wrong.wholeNumber' }
  | { says: 'wrong.twice'; name: string; line: number }
  | { says: 'wrong.least' | 'wrong.most'; bound: number };

/** What can be seen here already; the server looks at the rest. */
export function faultIn({ kind, min, max }: Pick<Setting, 'kind' | 'min' | 'max'>, text: string): Fault | undefined {
  if (kind === 'json') return faultInJson(text);
  if (kind !== 'number' && kind !== 'integer') return undefined;
  if (!/^\s*-?\d+(\.\d+)?\s*$/.test(text)) return { says: 'wrong.number' };
  const value = Number(text);
  if (kind === 'integer' && !Number.isInteger(value)) return { says: 'wrong.wholeNumber' };
  if (min !== undefined && value < min) return { says: 'wrong.least', bound: min };
  if (max !== undefined && value > max) return { says: 'wrong.most', bound: max };
  return undefined;
}

function faultInJson(text: string): Fault | undefined {
  if (parsed(text) === undefined) return { says: 'wrong.json' };
  const [doubled] = jsonPlaces(text).doubled;
  return doubled && { says: 'wrong.twice', name: doubled.path.join('.'), line: doubled.line };
}

/** The value of a JSON text; undefined when it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** As people read it: a JSON text with a line for each member. */
export function laidOut({ kind }: Pick<Setting, 'kind'>, text: string): string {
  const value = kind === 'json' ? parsed(text) : undefined;
  return value === undefined ? text : JSON.stringify(value, null, 2);
}

/** Whether two texts mean the same. */
export function isSame({ kind }: Pick<Setting, 'kind'>, one: string, other: string): boolean {
  if (one === other) return true;
  if (kind === 'number' || kind === 'integer') return one.trim() !== '' && other.trim() !== '' && Number(one) === Number(other);
  if (kind !== 'json') return false;
  const [left, right] = [parsed(one), parsed(other)];
  return left !== undefined && JSON.stringify(left) === JSON.stringify(right);
}

/** One line of what a change does: a member of a JSON object, or the whole. */
export interface Difference {
  name: string;
  before: string | undefined;
  after: string | undefined;
}

export function differences({ kind }: Pick<Setting, 'kind'>, before: string, after: string): Difference[] {
  const [old, wanted] = [parsed(before), parsed(after)];
  if (kind !== 'json' || !isObject(old) || !isObject(wanted)) return [{ name: '', before, after }];
  const names = [...new Set([...Object.keys(old), ...Object.keys(wanted)])];
  return names
    .map((name) => ({ name, before: memberText(old, name), after: memberText(wanted, name) }))
    .filter((each) => each.before !== each.after);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function memberText(of: Record<string, unknown>, name: string): string | undefined {
  return Object.hasOwn(of, name) ? JSON.stringify(of[name]) : undefined;
}
