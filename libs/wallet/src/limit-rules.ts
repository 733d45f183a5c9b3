import { type CallLimits, type LimitName, limitNames } from '@tollgate/contracts';

/** r: requests, s: requests that did not fail, t: tokens, each within `windowMs`; c: concurrent calls. */
export type LimitKind = 'r' | 's' | 't' | 'c';

export interface LimitRule {
  /** The name shown to people: `requests_per_minute`. */
  name: string;
  kind: LimitKind;
  /** 0 for concurrent calls. */
  windowMs: number;
  limit: number;
}

/** The rules of one subject: its windows, then its concurrency limit. */
export interface LimitRules {
  rules: readonly LimitRule[];
  /** Expiry of the counters: twice the longest window. */
  forgetMs: number;
  /** The rules as arguments of the scripts. */
  scriptArgs: readonly (string | number)[];
}

/** The hash field of a window. */
export const fieldOf = ({ kind, windowMs }: LimitRule): string => kind + windowMs;

const minute = 60_000;
const day = 86_400_000;
const shapes: Record<LimitName, Pick<LimitRule, 'kind' | 'windowMs'>> = {
  requests_per_minute: { kind: 'r', windowMs: minute },
  requests_per_day: { kind: 'r', windowMs: day },
  tokens_per_minute: { kind: 't', windowMs: minute },
  tokens_per_day: { kind: 't', windowMs: day },
  concurrent: { kind: 'c', windowMs: 0 },
};

/**
 * Rules from the configured limits and `more`. Of two rules for the same field the smaller limit applies. Undefined: nothing is limited.
 */
export function limitRules(limits: Partial<CallLimits> | undefined, more: readonly LimitRule[] = []): LimitRules | undefined {
  const set = limitNames.map((name) => ({ name, ...shapes[name], limit: limits?.[name] ?? 0 }));
  const byField = new Map<string, LimitRule>();
  for (const rule of [...set, ...more]) {
    if (!(rule.limit > 0)) continue;
    const field = fieldOf(rule);
    if (rule.limit < (byField.get(field)?.limit ?? Number.POSITIVE_INFINITY)) byField.set(field, rule);
  }
  return rulesOf([...byField.values()]);
}

const windowsOnly = new WeakMap<LimitRules, { rules: LimitRules | undefined }>();

/** The rules without the concurrency limit. Undefined when none remain. */
export function windowsOf(rules: LimitRules): LimitRules | undefined {
  let known = windowsOnly.get(rules);
  if (known === undefined) {
    known = { rules: rulesOf(rules.rules.filter(({ kind }) => kind !== 'c')) };
    windowsOnly.set(rules, known);
  }
  return known.rules;
}

function rulesOf(rules: readonly LimitRule[]): LimitRules | undefined {
  if (rules.length === 0) return undefined;
  const windows = rules.filter(({ kind }) => kind !== 'c');
  const atOnce = rules.filter(({ kind }) => kind === 'c');
  const forgetMs = 2 * Math.max(0, ...windows.map(({ windowMs }) => windowMs));
  const lengths = windows.flatMap(({ windowMs, limit }) => [windowMs, limit]);
  const scriptArgs = [windows.length, forgetMs, atOnce[0]?.limit ?? '', ...windows.map(fieldOf), ...lengths];
  return { rules: [...windows, ...atOnce], forgetMs, scriptArgs };
}
