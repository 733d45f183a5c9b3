import { promptTokensOf } from '@tollgate/contracts';
import type { BudgetUsage } from '@tollgate/wallet';
import { authenticate, remainingOf } from '../auth/authenticate.ts';
import type { CallerBudget } from '../auth/caller-budgets.ts';
import type { Call } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import { type FoundRoute, routeAt } from '../dialects/routes.ts';
import { inDollars } from '../quota/budgets.ts';
import { assertWithinLimits, boundsOf } from '../quota/hold.ts';
import { runOf } from '../quota/runs.ts';
import { readRequest } from '../request/read-request.ts';
import { answerHeaders } from '../response/respond.ts';
import { failCall } from './count-call.ts';
import { checkRead } from './relay-call.ts';

export const estimatePath = '/v1/estimate';

/**
 * The route whose body an estimate is for: the one that `for` in the query names, else Anthropic's messages where a header says so, else
 * chat completions. Undefined for a path that is no route of calls.
 */
export function estimatedRoute(query: string | undefined, headers: Call['request']['headers']): FoundRoute | undefined {
  const named = new URLSearchParams(query).get('for');
  const usual = headers['anthropic-version'] === undefined ? '/v1/chat/completions' : '/v1/messages';
  return routeAt(named ?? usual, undefined);
}

/**
 * Answers what a call with this body would cost, and which balance and budgets would shorten or refuse it. Nothing is sent to a provider,
 * held, counted or opened.
 */
export async function estimateCall(relay: Relay, call: Call, { route, address }: FoundRoute): Promise<void> {
  let status = 200;
  try {
    relay.openCalls.enter(call);
    const turn = relay.gate.enter(call);
    if (turn !== undefined) await turn;
    const entrance = await authenticate(relay, call);
    const { caller } = entrance;
    await assertWithinLimits(relay, call, caller);
    const reading = await readRequest(relay, call, { route, address, entrance });
    call.run = await runOf(relay, call, caller, { body: reading.sent.json, opens: false });
    const { checked, wish } = await checkRead(relay, call, { reading, entrance, route });
    const bounds = boundsOf(checked, wish);
    const rules = (bounds.budgeted?.rules ?? []) as CallerBudget[];
    const [{ user, token = Number.POSITIVE_INFINITY }, usages] = await Promise.all([
      remainingOf(relay, caller),
      relay.wallet.budgetUsages(rules.map((rule) => ({ payer: caller.userId, rule }))),
    ]);
    const balance = Math.min(user, token);
    const budgets = rules.map((rule, i) => budgetView(rule, usages[i], bounds));
    const effects = [effectOf(balance, { least: bounds.minimum, most: bounds.amount }), ...budgets.map(({ effect }) => effect)];
    const { QuotaPerUnit } = relay.settings.options;
    const dollars = (quota: number) => inDollars(quota, QuotaPerUnit);
    const body = Buffer.from(
      JSON.stringify({
        object: 'estimate',
        model: checked.checked.model,
        prompt_tokens: promptTokensOf(checked.checked.promptEstimate),
        max_output_tokens: wish.longest * wish.choices,
        cost: { least: dollars(bounds.minimum), most: dollars(bounds.amount), currency: 'USD' },
        quota: { least: bounds.minimum, most: bounds.amount },
        balance: { remaining: dollars(balance), effect: effects[0] },
        budgets,
        effect: (['refused', 'shortened'] as const).find((effect) => effects.includes(effect)) ?? 'none',
      }),
    );
    call.response.writeHead(200, answerHeaders(call, { 'content-type': 'application/json', 'content-length': body.length }));
    call.response.end(body);
  } catch (error) {
    status = failCall(relay, call, { error });
    relay.records.failed(call, { status, error });
  } finally {
    call.spool?.close();
    relay.openCalls.leave(call);
    relay.metrics.answered(call, status);
  }
}

type Effect = 'none' | 'shortened' | 'refused';

interface Range {
  least: number;
  most: number;
}

function effectOf(room: number, { least, most }: Range): Effect {
  if (most <= room) return 'none';
  return least <= room && room > 0 ? 'shortened' : 'refused';
}

function budgetView({ id, name, unit, amount, limit }: CallerBudget, usage: BudgetUsage | undefined, bounds: ReturnType<typeof boundsOf>) {
  const used = (usage?.spent ?? 0) + (usage?.held ?? 0);
  const { amount: most, minimum: least, budgeted } = bounds;
  const needs = {
    quota: { least, most },
    tokens: { least: budgeted?.minimumTokens ?? 0, most: budgeted?.tokens ?? 0 },
    requests: { least: 1, most: 1 },
  }[unit];
  const effect: Effect = limit === undefined ? 'none' : effectOf(limit - used, needs);
  return { id, name, unit, amount, used, needs, effect };
}
