import type { OutgoingHttpHeaders } from 'node:http';
import { dollarsIn, longestRunId } from '@tollgate/contracts';
import type { RunDoc } from '@tollgate/db';
import type { JsonObject } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { runBudgetId } from '@tollgate/wallet';
import type { CallerBudget } from '../auth/caller-budgets.ts';
import type { Caller } from '../auth/callers.ts';
import type { Call, CallRun } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import { inDollars } from './budgets.ts';

const runIdHeader = 'x-run-id';
const runBudgetHeader = 'x-run-budget';

/**
 * The run of a call; undefined: it belongs to none that has a ceiling. The first call of a run opens it, where `opens` is set. An id that was not opened
 * counts in the run that all unknown ones of the token share, so that inventing ids gains nothing.
 * Throws: AppError `invalid_request` for a wrong header, `service_unavailable`.
 */
export function runOf(
  relay: Relay,
  call: Call,
  caller: Caller,
  { body, opens = true }: { body: JsonObject; opens?: boolean },
): Promise<CallRun | undefined> | undefined {
  const budget = call.request.headers[runBudgetHeader];
  const id = caller.runId || namedRun(relay, call, body);
  if (id === '' && budget === undefined && caller.runBudget === 0) return undefined;
  return ceilingsOf(relay, caller, { id, budget: budget === undefined ? undefined : quotaIn(relay, budget), opens });
}

async function ceilingsOf(
  relay: Relay,
  caller: Caller,
  { id, budget, opens }: { id: string; budget: number | undefined; opens: boolean },
): Promise<CallRun | undefined> {
  const { userId, tokenId, runBudget } = caller;
  const ceilings: CallerBudget[] = [];
  let run: RunDoc | undefined;
  if (id !== '') {
    const name = { tokenId, runId: id };
    run = await relay.runs.find(name);
    if (run === undefined && budget !== undefined && opens) run = await relay.runs.open(name, { userId, limit: budget });
    const limit = run?.limit ?? budget;
    if (limit !== undefined) ceilings.push(ceilingOf(run?._id ?? runBudgetId(name), { name: id, limit }));
  } else if (budget !== undefined) throw new AppError('invalid_request', { reason: `${runBudgetHeader} needs ${runIdHeader}` });
  if (runBudget > 0 && run?.openedBy !== 'owner') {
    const name = { tokenId, runId: '' };
    // The row makes it appear among the runs; its ceiling is the token's.
    if (opens && (await relay.runs.find(name)) === undefined) await relay.runs.open(name, { userId, limit: runBudget });
    ceilings.push(ceilingOf(runBudgetId(name), { name: caller.tokenName, limit: runBudget }));
  }
  return ceilings.length === 0 ? undefined : { id, ceilings, quotaPerUnit: relay.settings.options.QuotaPerUnit };
}

function ceilingOf(id: string, { name, limit }: { name: string; limit: number }): CallerBudget {
  return {
    id,
    name: `run ${name}`,
    unit: 'quota',
    window: 'total',
    timeZone: 'UTC',
    mode: 'hard',
    amount: limit,
    limit,
    models: undefined,
  };
}

/** The id of the run that a call names: by its own header, in its metadata, or by a header that the operator has set. */
function namedRun(relay: Relay, call: Call, { metadata }: JsonObject): string {
  const { headers } = call.request;
  const named = headers[runIdHeader] ?? (metadata as JsonObject | null | undefined)?.run_id;
  if (named !== undefined && named !== null) {
    if (typeof named === 'string' && named !== '' && named.length <= longestRunId) return named;
    throw new AppError('invalid_request', { reason: `a run id is a text of 1 to ${longestRunId} characters` });
  }
  for (const name of relay.settings.options.RunIdHeaders) {
    const value = headers[name.toLowerCase()];
    if (typeof value === 'string' && value !== '') return value.slice(0, longestRunId);
  }
  return '';
}

function quotaIn(relay: Relay, text: string | string[]): number {
  const dollars = typeof text === 'string' ? dollarsIn(text.trim()) : undefined;
  if (dollars === undefined) throw new AppError('invalid_request', { reason: `${runBudgetHeader} is a number of dollars, such as 1.00` });
  return Math.floor(dollars * relay.settings.options.QuotaPerUnit + 1e-6);
}

/** What a run has cost with a call, and what is left, in dollars. Before the call is charged, with what it holds. */
interface RunUse {
  id: string;
  budget: number;
  cost: number;
  remaining: number;
}

/** Undefined: the call belongs to no run with a ceiling, or was refused before any of it was looked at. */
function runUse({ run, hold, exceeded, charged }: Pick<Call, 'run' | 'hold' | 'exceeded' | 'charged'>): RunUse | undefined {
  const ceiling = run?.ceilings[0];
  if (run === undefined || ceiling === undefined) return undefined;
  const held = hold?.heldBudgets;
  const at = held?.rules.indexOf(ceiling) ?? -1;
  let used: number | undefined;
  if (exceeded?.rule === ceiling) used = exceeded.used;
  else if (held?.used[at] !== undefined) used = held.used[at] + (charged === undefined ? 0 : charged - held.amount);
  if (used === undefined) return undefined;
  const dollars = (quota: number) => inDollars(quota, run.quotaPerUnit);
  const { amount } = ceiling;
  return { id: run.id, budget: dollars(amount), cost: dollars(used), remaining: dollars(Math.max(0, amount - used)) };
}

export const runHeaderNames = 'X-Run-Id, X-Run-Budget, X-Run-Cost, X-Run-Remaining';

export function runHeaders(call: Pick<Call, 'run' | 'hold' | 'exceeded' | 'charged'>): OutgoingHttpHeaders | undefined {
  const use = runUse(call);
  return (
    use && {
      'x-run-id': encodeURIComponent(use.id),
      'x-run-budget': String(use.budget),
      'x-run-cost': String(use.cost),
      'x-run-remaining': String(use.remaining),
    }
  );
}

/** The same as a comment at the end of a stream, where the caller wants it (`X-Run-Comment: true`); '' otherwise. */
export function runComment(call: Call): string {
  if (call.run === undefined || call.request.headers['x-run-comment'] !== 'true' || call.dialect.streamsArrays) return '';
  const use = runUse(call);
  return use === undefined ? '' : `: run ${JSON.stringify(use)}\n\n`;
}
