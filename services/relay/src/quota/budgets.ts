import type { OutgoingHttpHeaders } from 'node:http';
import { neverMs, rollingWindows, runPrefix } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import { type BudgetExceeded, type CallWithBudgets, type HeldBudgets, windowEnd } from '@tollgate/wallet';
import { budgetsFor, type CallerBudget } from '../auth/caller-budgets.ts';
import type { Caller } from '../auth/callers.ts';
import type { Call } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';

/** The budgets of a call; undefined: it has none. */
export function callBudgets(
  { caller, run, model }: Pick<Call, 'run' | 'model'> & { caller: Caller },
  tokens: Omit<CallWithBudgets, 'rules'>,
): CallWithBudgets | undefined {
  if (caller.budgets === undefined && run === undefined) return undefined;
  const rules = [...(run?.ceilings ?? []), ...budgetsFor(caller.budgets ?? [], model)];
  return rules.length === 0 ? undefined : { rules, ...tokens };
}

/** An open call may end in a moment. */
const soonSeconds = 1;
/** Beyond this wait, clients should report the refusal instead of retrying. */
const longWaitSeconds = 60;

/** Quota in dollars, as callers see it: to six places. */
export function inDollars(quota: number, quotaPerUnit: number): number {
  return Number((quota / quotaPerUnit).toFixed(6));
}

/** The error for a call that exceeds a budget. It states when the call fits again, or that it never does. */
export function budgetRefusal(relay: Relay, { rule, used, needed, roomAtMs }: BudgetExceeded): AppError {
  const { name, amount } = rule as CallerBudget;
  const { QuotaPerUnit } = relay.settings.options;
  const shown = (value: number) => (rule.unit === 'quota' ? `$${inDollars(value, QuotaPerUnit)}` : `${value} ${rule.unit}`);
  const details = { name, used: shown(used), amount: shown(amount), needed: shown(needed) };
  if (roomAtMs < 0) return new AppError(rule.id.startsWith(runPrefix) ? 'run_ceiling_reached' : 'budget_used_up', details);
  const nowMs = relay.wallet.time();
  const seconds = roomAtMs === 0 ? soonSeconds : Math.max(soonSeconds, Math.ceil((roomAtMs - nowMs) / 1000));
  const reset = new Date(nowMs + seconds * 1000).toISOString();
  return new AppError('budget_exceeded', { ...details, reset }, { retryAfterSeconds: seconds });
}

/** A refusal that clients should not repeat by themselves: OpenAI's and Anthropic's libraries read `x-should-retry`. */
export function isLongWait({ code, retryAfterSeconds }: { code: string | number | null; retryAfterSeconds: number | undefined }): boolean {
  return (
    code === 'budget_used_up' ||
    code === 'run_ceiling_reached' ||
    (code === 'budget_exceeded' && (retryAfterSeconds ?? 0) > longWaitSeconds)
  );
}

interface Nearest {
  rule: CallerBudget;
  used: number;
  /** Used in percent, and when usage of now leaves the window (ms since 1970). */
  percent: number;
  resetMs: number;
}

/** The budget with the smallest share left, of those that refuse calls. */
function nearest({ held, exceeded }: ShownBudgets): Nearest | undefined {
  const used = exceeded === undefined ? (held?.rules ?? []).map((rule, i) => ({ rule, used: held?.used[i] })) : [exceeded];
  let found: Nearest | undefined;
  for (const { rule, used: now } of used) {
    if (rule.limit === undefined || now === undefined) continue;
    const percent = rule.limit === 0 ? 100 : Math.min(100, Math.floor((now / rule.limit) * 1000) / 10);
    if (found !== undefined && found.percent >= percent) continue;
    const until = held?.uses.find(({ id }) => id === rule.id)?.until ?? windowEnd(rule.window, rule.timeZone, Date.now());
    const resetMs = exceeded !== undefined && exceeded.roomAtMs > 0 ? exceeded.roomAtMs : until;
    found = { rule: rule as CallerBudget, used: now, percent, resetMs };
  }
  return found;
}

/** What is known of a call's budgets: what it holds, or the one that refused it. */
export interface ShownBudgets {
  held: HeldBudgets | undefined;
  exceeded: BudgetExceeded | undefined;
}

export const budgetHeaderNames = 'X-Budget-Name, X-Budget-Unit, X-Budget-Limit, X-Budget-Remaining, X-Budget-Reset';

/**
 * The nearest budget: by our own headers, and by those from which agents show limits: Claude Code (`anthropic-ratelimit-unified-*`) and
 * Codex (`x-codex-primary-*`).
 */
export function budgetHeaders(budgets: ShownBudgets, dialect: string): OutgoingHttpHeaders | undefined {
  const near = nearest(budgets);
  if (near === undefined) return undefined;
  const { rule, used, percent, resetMs } = near;
  const reset = resetMs >= neverMs ? undefined : Math.ceil(resetMs / 1000);
  const headers: OutgoingHttpHeaders = {
    'x-budget-name': encodeURIComponent(rule.name),
    'x-budget-unit': rule.unit,
    'x-budget-limit': String(rule.amount),
    'x-budget-remaining': String(Math.max(0, rule.amount - used)),
    ...(reset !== undefined && { 'x-budget-reset': new Date(resetMs).toISOString() }),
  };
  if (reset === undefined) return headers;
  if (dialect === 'anthropic') {
    headers['anthropic-ratelimit-unified-status'] = statusOf(budgets, percent);
    headers['anthropic-ratelimit-unified-reset'] = String(reset);
    if (rule.window === '5h' || rule.window === '7d') {
      headers[`anthropic-ratelimit-unified-${rule.window}-utilization`] = String(percent / 100);
      headers[`anthropic-ratelimit-unified-${rule.window}-reset`] = String(reset);
    }
  }
  if (dialect === 'responses') {
    headers['x-codex-primary-used-percent'] = String(percent);
    headers['x-codex-primary-window-minutes'] = String(windowMinutes(rule));
    headers['x-codex-primary-reset-at'] = String(reset);
  }
  return headers;
}

function statusOf({ exceeded }: ShownBudgets, percent: number): string {
  if (exceeded !== undefined) return 'rejected';
  return percent >= 80 ? 'allowed_warning' : 'allowed';
}

const calendarMinutes = { day: 1_440, week: 10_080, month: 43_200, total: 0 };

function windowMinutes({ window }: CallerBudget): number {
  return window in rollingWindows
    ? rollingWindows[window as keyof typeof rollingWindows].lengthMs / 60_000
    : calendarMinutes[window as keyof typeof calendarMinutes];
}
