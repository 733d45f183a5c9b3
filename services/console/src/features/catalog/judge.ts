import type { ListPrice } from '@tollgate/contracts/catalog';
import type { Price } from '@tollgate/pricing';
import { dollarsOf } from '../options/catalog-prices.ts';

/** `quiet`: taken at once; `waiting`: for approval; `quarantined`: cannot be right, and is never taken. */
export type Verdict = 'same' | 'quiet' | 'waiting' | 'quarantined';

export interface Judged {
  verdict: Verdict;
  reasons: string[];
  before: Record<string, number>;
  after: Record<string, number>;
}

/** US dollars for a million tokens, or a call. */
const dearest = 100_000;
/** A change by more than this is a mistake in the unit. */
const mostTimes = 100;
/** An answer costs at most so many times its prompt. */
const mostOfOutput = 500;

interface Terms {
  list: ListPrice;
  listBefore: ListPrice | undefined;
  /** How much of a price may change without approval. */
  quietShare: number;
  /** The prices some time ago: many small changes add up. */
  baseline?: Readonly<Record<string, number>> | undefined;
}

/** What a new price of a model is: compared with the one that holds, and by itself. `list` is the entry that would make it. */
export function judgePrice(
  { was, is }: { was: Price | undefined; is: Price | undefined },
  { list, listBefore, quietShare, baseline }: Terms,
): Judged {
  const before = was === undefined ? {} : Object.fromEntries(dollarsOf(was));
  const after = is === undefined ? {} : Object.fromEntries(dollarsOf(is));
  const judged = (verdict: Verdict, ...reasons: string[]): Judged => ({ verdict, reasons: [...new Set(reasons)], before, after });
  const wrong = is === undefined ? ['unpriced'] : [...oddities(before, after), ...oddVariants(list)];
  if (wrong.length > 0) return judged('quarantined', ...wrong);
  if (was === undefined) return judged('waiting', 'new');
  const changes = changesOf(before, after, quietShare);
  if (changes.includes('unit')) return judged('quarantined', 'unit');
  if (baseline !== undefined && changes.length === 0 && !isSame(before, after)) changes.push(...changesOf(baseline, after, quietShare));
  if (datesOf(list) !== datesOf(listBefore)) changes.push('dated');
  if (changes.length > 0) return judged('waiting', ...changes);
  return judged(isSame(before, after) ? 'same' : 'quiet');
}

type Dollars = Readonly<Record<string, number>>;

function oddities(before: Dollars, after: Dollars): string[] {
  const reasons: string[] = [];
  for (const [kind, dollars] of Object.entries(after)) {
    if (!Number.isFinite(dollars) || dollars < 0 || dollars > dearest) reasons.push('odd');
    const isFree = dollars === 0 && !kind.startsWith('output');
    if (isFree && before[kind] !== 0) reasons.push('free');
  }
  const { input, output, call } = after;
  if (call === undefined) {
    if (input === undefined || output === undefined) return [...reasons, 'unpriced'];
    if (output === 0 && (before.output ?? 0) > 0) reasons.push('free');
    if (output > input * mostOfOutput) reasons.push('odd');
    if ((after['cache read'] ?? 0) > input * 2) reasons.push('odd');
  }
  return reasons;
}

/** Variants hold at other times, or for other requests, than the price that is compared. */
function oddVariants({ variants = [], output: ordinary }: ListPrice): string[] {
  return variants.flatMap(({ when: _when, times, ...prices }) => {
    if (times !== undefined && times <= 0) return ['free'];
    if (times !== undefined) return times > mostTimes || times < 1 / mostTimes ? ['unit'] : [];
    const { input, output, ...others } = prices;
    const isOutputFree = output === 0 && ordinary !== 0;
    return input === 0 || isOutputFree || Object.values(others).includes(0) ? ['free'] : [];
  });
}

function changesOf(before: Dollars, after: Dollars, quietShare: number): string[] {
  const kinds = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...kinds].flatMap((kind) => {
    const [was, is] = [before[kind], after[kind]];
    if (was === is) return [];
    if (was === undefined) return ['rise'];
    if (is === undefined) return ['fall'];
    if (was > 0 && is > 0 && isTotal(kind) && (is > was * mostTimes || is < was / mostTimes)) return ['unit'];
    if (Math.abs(is - was) <= was * quietShare) return [];
    return [is > was ? 'rise' : 'fall'];
  });
}

function isTotal(kind: string): boolean {
  return kind === 'input' || kind === 'output' || kind === 'call';
}

/** The variants that depend on the time, as a text. */
function datesOf(list: ListPrice | undefined): string {
  const dated = (list?.variants ?? []).filter(({ when: { from, until, hours, weekdays } }) => from ?? until ?? hours ?? weekdays);
  return JSON.stringify(dated);
}

function isSame(before: Dollars, after: Dollars): boolean {
  const kinds = Object.keys(after);
  return kinds.length === Object.keys(before).length && kinds.every((kind) => before[kind] === after[kind]);
}
