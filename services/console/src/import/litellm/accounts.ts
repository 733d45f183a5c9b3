import { defaultQuotaPerUnit } from '@tollgate/contracts';
import type { LitellmBudget, LitellmKey, LitellmTeam, LitellmUser } from './rows.ts';

type Limits = Pick<
  LitellmBudget,
  'max_budget' | 'budget_duration' | 'max_parallel_requests' | 'tpm_limit' | 'rpm_limit' | 'tpd_limit' | 'model_max_budget'
>;

/** A budget as it is stored here, without whom it applies to. */
export interface BudgetHere {
  name: string;
  unit: 'quota';
  amount: number;
  window: 'day' | 'week' | 'month' | 'total';
  models: string[];
  mode: 'hard';
  used: number;
}

const hardQuota = { unit: 'quota', mode: 'hard' } as const;

/** US dollars as quota units, rounded. */
export function quotaOf(dollars: number | null | undefined): number {
  return Math.round((dollars ?? 0) * defaultQuotaPerUnit);
}

/** LiteLLM resets these at midnight, on Mondays and on the first, UTC (`get_next_standardized_reset_time`). */
const windows: Readonly<Record<string, BudgetHere['window']>> = {
  '1d': 'day',
  '24h': 'day',
  '7d': 'week',
  '1w': 'week',
  '30d': 'month',
  '1mo': 'month',
};

export interface MoneyHere {
  /** What is left of a budget that never resets; undefined: there is no such limit. */
  remain: number | undefined;
  budgets: BudgetHere[];
  changes: string[];
}

/** What the limits on money of a key, user or team become. A budget whose period has no counterpart is a limit that does not reset. */
export function moneyOf({ max_budget, budget_duration, model_max_budget }: Limits, spend: number | null | undefined): MoneyHere {
  const changes: string[] = [];
  const budgets: BudgetHere[] = [];
  const used = quotaOf(spend);
  let remain: number | undefined;
  const window = windows[budget_duration];
  const hasLimit = max_budget !== null && max_budget !== undefined;
  if (hasLimit && window !== undefined)
    budgets.push({ ...hardQuota, name: `LiteLLM ${budget_duration}`, amount: quotaOf(max_budget), window, models: [], used });
  else if (hasLimit) {
    remain = Math.max(0, quotaOf(max_budget) - used);
    if (budget_duration !== '')
      changes.push(`its budget resets every ${budget_duration} there: what is left of it becomes a limit that does not reset`);
  }
  for (const [model, limit] of Object.entries(model_max_budget)) {
    const { budget_limit, max_budget: most, time_period, budget_duration: period } = (limit ?? {}) as Record<string, unknown>;
    const dollars = typeof limit === 'number' ? limit : (budget_limit ?? most);
    const modelWindow = windows[String(time_period ?? period ?? '')] ?? 'total';
    if (typeof dollars !== 'number') changes.push(`its budget for ${model} cannot be read and is left out`);
    else {
      budgets.push({
        ...{ ...hardQuota, name: `LiteLLM ${model}`.slice(0, 60), amount: quotaOf(dollars) },
        ...{ window: modelWindow, models: [model], used: 0 },
      });
      if (modelWindow === 'total') changes.push(`its budget for ${model} never resets here`);
    }
  }
  return { remain, budgets, changes };
}

/** Calls per minute and the like, under the names that tokens store here. */
export function callLimitsOf(limits: Limits): Record<string, number> {
  return {
    requestsPerMinute: limitOf(limits.rpm_limit),
    tokensPerMinute: limitOf(limits.tpm_limit),
    tokensPerDay: limitOf(limits.tpd_limit),
    mostAtOnce: limitOf(limits.max_parallel_requests),
  };
}

/** A whole number; 0, as here, where there is no limit. */
export function limitOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.floor(value) : 0;
}

/** A key with the limits of the budget that it names, where it has none of its own. */
export function withBudget(key: LitellmKey, budgets: ReadonlyMap<string, LitellmBudget>): LitellmKey {
  const named = budgets.get(key.budget_id);
  if (named === undefined) return key;
  const own = Object.fromEntries(Object.entries(key).filter(([, value]) => value !== null && value !== undefined && value !== ''));
  const model_max_budget = { ...named.model_max_budget, ...key.model_max_budget };
  return { ...key, ...named, ...own, model_max_budget } as LitellmKey;
}

export interface Names {
  /** All models, and those of each access group. */
  models: readonly string[];
  accessGroups: ReadonlyMap<string, readonly string[]>;
}

/** The models that a list allows; undefined: all. `team`: what the list of a key's team allows. */
export function allowedModels(list: readonly string[], names: Names, team?: ReadonlySet<string>): ReadonlySet<string> | undefined {
  if (list.length === 0 || list.includes('all-proxy-models') || list.includes('*')) return team;
  const allowed = new Set<string>();
  for (const name of list) {
    if (name === 'all-team-models') {
      if (team === undefined) return undefined;
      for (const model of team) allowed.add(model);
    } else if (name.endsWith('*')) {
      for (const model of names.models) if (model.startsWith(name.slice(0, -1))) allowed.add(model);
    } else if (name !== 'no-default-models') for (const model of names.accessGroups.get(name) ?? [name]) allowed.add(model);
  }
  return team === undefined ? allowed : new Set([...allowed].filter((model) => team.has(model)));
}

/** By what people know a user. */
export function nameOfUser({ user_email, user_alias, user_id }: LitellmUser): string {
  return user_email || user_alias || user_id;
}

/** Group names hold no commas: channels list theirs with them. */
export function groupOf({ team_alias, team_id }: LitellmTeam): string {
  return (team_alias || team_id).replaceAll(',', ' ').trim().slice(0, 60) || team_id;
}
