import { completionTokensOf, promptTokensOf, type Usage } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import { isOwn, type Lease, type LeaseEnd, type LimitRules, type Reached, type ReserveRequest, type Subject } from '@tollgate/wallet';
import type { Call, HeldCall, Hold } from '../call/call.ts';
import type { Caller } from '../enter/callers.ts';
import type { Relay } from '../process/relay.ts';
import type { RoutedChannel } from '../routing/routed-channel.ts';

/** When a call that is open now ends nobody knows. */
const waitForOpenCallMs = 1_000;

/** What a caller may do at most, as user and by his token; undefined: as much as he likes. */
export function ownLimits({ settings }: Relay, caller: Caller, tokens: number): ReserveRequest['limits'] {
  const { user } = settings.limits;
  const { limits: token } = caller;
  return user === undefined && token === undefined ? undefined : { user, token, tokens };
}

/** A call is beyond a limit: it is told so, unless limits are only watched. Throws: AppError `rate_limit_exceeded`, `call_beyond_limit`. */
export function refuseBeyond(relay: Relay, call: Call, reached: Reached): void {
  const { isShadow } = relay.settings.limits;
  relay.metrics.limitReached(reached, isShadow ? 'watched' : 'refused');
  if (isShadow) return;
  call.reached = reached;
  const { rule, used } = reached;
  const about = { name: rule.name, subject: nameOf(reached.subject), limit: rule.limit };
  if (reached.isTooMuch) throw new AppError('call_beyond_limit', { ...about, needed: reached.tokens });
  const seconds = secondsUntilRoom(reached);
  throw new AppError('rate_limit_exceeded', { ...about, used, seconds }, { retryAfterSeconds: seconds });
}

export function secondsUntilRoom({ waitMs = waitForOpenCallMs }: Reached): number {
  return Math.max(1, Math.ceil(waitMs / 1000));
}

function nameOf(subject: Subject): string {
  return 'name' in subject ? `${subject.kind} ${subject.name}` : subject.kind;
}

/**
 * Counts a call that is held against the limits of its group and its model; where there are none, there is nothing to wait for.
 * Rejects: AppError `rate_limit_exceeded`, `call_beyond_limit`, `service_unavailable`.
 */
export function leaseShared(relay: Relay, call: HeldCall): Promise<void> | undefined {
  const { group, model } = call.checked;
  const { limits } = relay.settings;
  const groupRules = limits.group?.(group);
  const modelRules = limits.model?.(model);
  if (groupRules === undefined && modelRules === undefined) return undefined;
  return leaseAll(relay, call, [
    { subject: { kind: 'group', name: group }, rules: groupRules },
    { subject: { kind: 'model', name: model }, rules: modelRules },
  ]);
}

async function leaseAll(relay: Relay, call: HeldCall, wishes: Wish[]): Promise<void> {
  const asked = wishes.map((wish) => lease(relay, call, wish));
  await Promise.allSettled(asked); // one that is refused must not hide what the other has taken
  for (const reached of await Promise.all(asked)) if (reached !== undefined) refuseBeyond(relay, call, reached);
}

/**
 * Counts a call against the limits of the channel that it would go to; of the one that was asked before, it never was. Says in how many
 * ms there is room, if there is none now. Where nothing is limited, there is nothing to wait for.
 */
export function leaseChannel(relay: Relay, call: HeldCall, { id, limits }: RoutedChannel): Promise<number | undefined> | undefined {
  const { hold } = call;
  if (hold.leases !== undefined) passOver(relay, hold, hold.leases);
  if (limits === undefined) return undefined;
  return lease(relay, call, { subject: { kind: 'channel', name: id }, rules: limits }).then((reached) => {
    if (reached === undefined) return undefined;
    const { isShadow } = relay.settings.limits;
    relay.metrics.limitReached(reached, isShadow ? 'watched' : 'passed_over');
    return isShadow ? undefined : secondsUntilRoom(reached) * 1000;
  });
}

/** What the channel asked before had counted. */
function passOver(relay: Relay, hold: Hold, leases: Lease[]): void {
  const before = leases.findIndex(({ subject }) => subject.kind === 'channel');
  if (before >= 0) endLeases(relay, hold, leases.splice(before, 1), { how: 'passed' });
}

interface Wish {
  subject: Subject;
  rules: LimitRules | undefined;
}

async function lease(relay: Relay, { hold }: HeldCall, { subject, rules }: Wish): Promise<Reached | undefined> {
  if (rules === undefined) return undefined;
  const call = { rules, tokens: hold.likelyTokens, requestId: hold.requestId, lifeMs: relay.limits.RELAY_HOLD_MS };
  try {
    const answer = await relay.wallet.lease(subject, call);
    if (!answer.ok) return answer.reached;
    hold.leases ??= [];
    hold.leases.push(answer.lease);
    return undefined;
  } catch (cause) {
    relay.logger.error({ requestId: hold.requestId, err: cause }, 'limits could not be asked');
    throw new AppError('service_unavailable', {}, { cause, retryAfterSeconds: 2 });
  }
}

/** Calls that go on are not forgotten. */
export function renewLeases(relay: Relay, { requestId }: Hold, leases: readonly Lease[]): void {
  relay.wallet
    .renewLeases(leases, relay.limits.RELAY_HOLD_MS)
    .catch((error: unknown) => relay.logger.warn({ requestId, err: error }, 'what a call takes of its limits could not be renewed'));
}

/** Ends what a call has counted. Nobody waits for it: where it does not arrive, open calls are forgotten with their hold. */
export function endLeases(relay: Relay, { requestId }: Hold, leases: readonly Lease[], end: LeaseEnd): void {
  relay.wallet
    .endLeases(leases, end)
    .catch((error: unknown) => relay.logger.warn({ requestId, err: error }, 'what a call took of its limits was not put right'));
}

/** Of a call that was reported: what it took of its user's and its token's limits ended with the report. */
export function endShared(relay: Relay, hold: Hold, leases: readonly Lease[], end: LeaseEnd): void {
  const shared = leases.filter((lease) => !isOwn(lease));
  if (shared.length > 0) endLeases(relay, hold, shared, end);
}

export function reportedTokens(usage: Usage): LeaseEnd {
  return { how: 'reported', tokens: promptTokensOf(usage) + completionTokensOf(usage) };
}
