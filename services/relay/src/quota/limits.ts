import { completionTokensOf, promptTokensOf, type Usage } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import {
  type CallWithLimits,
  type Lease,
  type LeaseEnd,
  type LimitExceeded,
  type LimitRules,
  type Subject,
  windowsOf,
} from '@tollgate/wallet';
import type { Caller } from '../auth/callers.ts';
import type { Call, CheckedCall, Hold } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import type { RoutedChannel } from '../routing/routed-channel.ts';

/** When a call that is open now ends nobody knows. */
const waitForOpenCallMs = 1_000;

type Limited = CallWithLimits['subjects'][number];

/** What a call that costs nothing is counted against: the limits of its user and its token; undefined: nothing is limited. */
export function ownLimits(relay: Relay, caller: Caller, tokens: number): CallWithLimits | undefined {
  const subjects = limited([userOf(relay, caller), tokenOf(caller)]);
  return subjects.length === 0 ? undefined : { subjects, tokens };
}

/**
 * What a call is counted against: the limits of its user, its token, its group, its model, and of the channel that would be asked first;
 * undefined: nothing is limited.
 */
export function callLimits(
  relay: Relay,
  { checked }: CheckedCall,
  { tokens, channel }: { tokens: number; channel: RoutedChannel | undefined },
): CallWithLimits | undefined {
  const { caller, group, model, sessionId } = checked;
  const { limits } = relay.settings;
  if (!(limits.user ?? limits.group ?? limits.model ?? caller.limits ?? channel?.limits)) return undefined;
  const all = limited([
    userOf(relay, caller),
    tokenOf(caller),
    [{ kind: 'group', name: group }, limits.group?.(group)],
    [{ kind: 'model', name: model }, limits.model?.(model)],
    [{ kind: 'channel', name: channel?.id ?? 0 }, channel?.limits],
  ]);
  const subjects = sessionId === undefined ? all : withinSession(all);
  return subjects.length === 0 ? undefined : { subjects, tokens, lastIsOptional: subjects.at(-1)?.subject.kind === 'channel' };
}

type MaybeLimited = readonly [Subject, LimitRules | undefined];

const userOf = ({ settings }: Relay, { userId }: Caller): MaybeLimited => [{ kind: 'user', userId }, settings.limits.user];
const tokenOf = ({ userId, tokenId, limits }: Caller): MaybeLimited => [{ kind: 'token', userId, tokenId }, limits];

function limited(all: readonly MaybeLimited[]): Limited[] {
  return all.flatMap(([subject, rules]) => (rules === undefined ? [] : [{ subject, rules }]));
}

/** What is done within a session is no call at once of its own: the session is one as long as it is open. */
function withinSession(all: readonly Limited[]): Limited[] {
  return all.flatMap(({ subject, rules }) => {
    const windows = windowsOf(rules);
    return windows === undefined ? [] : [{ subject, rules: windows }];
  });
}

/** What is left to be counted where the limit of a subject is only watched. */
export function withoutReached({ subjects, ...rest }: CallWithLimits, { subject }: LimitExceeded): CallWithLimits | undefined {
  const others = subjects.filter((other) => other.subject !== subject);
  return others.length === 0 ? undefined : { ...rest, subjects: others };
}

/** A call is beyond a limit: it is told so, unless limits are only watched. Throws: AppError `rate_limit_exceeded`, `call_beyond_limit`. */
export function refuseBeyond(relay: Relay, call: Call, reached: LimitExceeded): void {
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

export function secondsUntilRoom({ waitMs = waitForOpenCallMs }: LimitExceeded): number {
  return Math.max(1, Math.ceil(waitMs / 1000));
}

function nameOf(subject: Subject): string {
  return 'name' in subject ? `${subject.kind} ${subject.name}` : subject.kind;
}

/**
 * Counts a call against the limits of the channel that it would go to, unless it was counted as it was held; of the one that was asked
 * before, it never was. Says in how many ms there is room, if there is none now. Where nothing is limited, there is nothing to wait for.
 */
export function leaseChannel(relay: Relay, { hold, checked }: Call, channel: RoutedChannel): Promise<number | undefined> | undefined {
  if (hold === undefined) return undefined;
  const { id } = channel;
  const limits = checked?.sessionId === undefined ? channel.limits : channel.limits && windowsOf(channel.limits);
  const { first } = hold;
  hold.first = undefined;
  if (first?.channelId === id) return first.reached && Promise.resolve(roomMsAfter(relay, first.reached));
  if (hold.leases !== undefined) passOver(relay, hold, hold.leases);
  if (limits === undefined) return undefined;
  return lease(relay, hold, { subject: { kind: 'channel', name: id }, rules: limits }).then(
    (reached) => reached && roomMsAfter(relay, reached),
  );
}

/** In how many ms a channel that is at a limit has room; undefined where limits are only watched. */
function roomMsAfter(relay: Relay, reached: LimitExceeded): number | undefined {
  const { isShadow } = relay.settings.limits;
  relay.metrics.limitReached(reached, isShadow ? 'watched' : 'passed_over');
  return isShadow ? undefined : secondsUntilRoom(reached) * 1000;
}

/** What the channel asked before had counted. */
function passOver(relay: Relay, hold: Hold, leases: Lease[]): void {
  const before = leases.findIndex(({ subject }) => subject.kind === 'channel');
  if (before >= 0) endLeases(relay, hold, leases.splice(before, 1), { how: 'passed' });
}

async function lease(relay: Relay, hold: Hold, { subject, rules }: Limited): Promise<LimitExceeded | undefined> {
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

export function reportedTokens(usage: Usage): LeaseEnd {
  return { how: 'reported', tokens: promptTokensOf(usage) + completionTokensOf(usage) };
}
