import { mostPassedOver, type PassedOver } from '@tollgate/contracts';
import type { AnyDialect } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { ServedBy } from './affinity.ts';
import type { Attempt, BreakerState, Breakers } from './breaker.ts';
import type { RoutedChannel, Tiers } from './channel-table.ts';
import { chooseKey, giveBack, keyIdOf, occupy, withKey } from './key-pool.ts';
import type { KeyPool, PooledKey } from './routed-channel.ts';

/** The channels of one call in the order in which they are tried. */
export interface ChannelPlan<Spoken = AnyDialect> {
  /** The one that `next` gives first, as things stand: room in its limits may be asked for beforehand. */
  first(nowMs: number): RoutedChannel | undefined;
  /** Where the cache of the conversation is: preferred from now on within the best tier that has a channel. */
  prefer(place: ServedBy): void;
  /**
   * The next channel, or undefined when there is none left. None is given twice, but with another of its keys. `wasKeys`: the attempt
   * before failed for its key alone, so that the channel's other keys are as good as any. A key counts as busy until `giveBack`.
   */
  next(nowMs: number, wasKeys?: boolean): Promise<{ channel: RoutedChannel; dialect: Spoken; attempt: Attempt } | undefined>;
  /** The channels that `next` has not given, and why. */
  passedOver(nowMs: number): PassedOver[];
  /** Why `next` gave nothing although channels exist. */
  refusal(nowMs: number): AppError;
}

/** What keeps weight-0 channels in use, and smooths small differences. */
const weightFloor = 10;

interface PlanOptions<Spoken> {
  tiers: Tiers;
  /** How a channel is spoken to; undefined: not for this. */
  dialectOf(channel: RoutedChannel): Spoken | undefined;
  model: string;
  group: string;
  breakers: Breakers;
  /** As we estimate them. */
  promptTokens: number;
  /** In ms since 1970, by the clock that all processes share. */
  sharedNowMs: number;
  /**
   * Takes of the limits of a channel what the call needs; resolves to in how many ms there is room, when there is none now. Where there
   * are no limits there is nothing to wait for.
   */
  take?(channel: RoutedChannel): Promise<number | undefined> | undefined;
  random?: () => number;
}

/**
 * Best tier first, within a tier by weight; a tier is left only when all its channels have been tried or are shut off. What
 * fails is not asked at all; a channel whose provider asked for a pause is asked last, when there is nobody else: whether it
 * answers now is then the provider's to say. A channel that is at its limit is passed over, and not blamed. Of a channel with several
 * keys one is chosen by its own strategy; after a failure that may be the whole channel's, its other keys come after other channels.
 */
export function channelPlan<Spoken>(options: PlanOptions<Spoken>): ChannelPlan<Spoken> {
  return new Plan(options);
}

/** Fresh channels, other keys of channels that failed, then those whose provider asked for a pause. */
const passes = ['fresh', 'other_keys', 'paused'] as const;
type Pass = (typeof passes)[number];

/** Of a class, for it lives as long as its call: a closure for each of these would be as much again as all that they close over. */
class Plan<Spoken> implements ChannelPlan<Spoken> {
  readonly #options: PlanOptions<Spoken>;
  /** Channels that get no further attempt. */
  #done: readonly number[] = [];
  /** Channels with several keys of which one was tried, and those keys. */
  #begun: readonly number[] | undefined;
  #usedKeys: Set<PooledKey> | undefined;
  /** Channels of `#begun` that may be at fault themselves. */
  #deferred: readonly number[] | undefined;
  #last: RoutedChannel | undefined;
  /** The one that `#best` looks in, or found its channel in. */
  #pass: Pass = 'fresh';
  /** Of those tried, what kept a channel from being asked. */
  #unasked: Map<number, PassedOver['reason']> | undefined;
  #foreseen: RoutedChannel | undefined;
  #preferred: ServedBy | undefined;
  #soonestRoomMs = Number.POSITIVE_INFINITY;

  constructor(options: PlanOptions<Spoken>) {
    this.#options = options;
  }

  first(nowMs: number): RoutedChannel | undefined {
    this.#foreseen = this.#best(nowMs);
    return this.#foreseen;
  }

  prefer(place: ServedBy): void {
    this.#preferred = place;
    if (this.#foreseen?.id !== place.channelId) this.#foreseen = undefined;
  }

  async next(nowMs: number, wasKeys = false): Promise<{ channel: RoutedChannel; dialect: Spoken; attempt: Attempt } | undefined> {
    const { breakers, model, take } = this.#options;
    if (this.#last !== undefined && !wasKeys) this.#deferred = [...(this.#deferred ?? []), this.#last.id];
    this.#last = undefined;
    for (let channel = this.#best(nowMs); channel !== undefined; channel = this.#best(nowMs)) {
      const keyed = channel.pool === undefined ? channel : this.#withKey(channel, channel.pool, nowMs);
      occupy(keyed); // before anything is waited for: the next call counts it
      if (channel === keyed) this.#done = [...this.#done, channel.id];
      const dialect = this.#options.dialectOf(channel);
      if (dialect === undefined) {
        giveBack(keyed);
        continue;
      }
      const begun = breakers.begin(channel.id, model, nowMs, keyIdOf(keyed));
      const attempt = begun instanceof Promise ? await begun : begun;
      if (attempt === undefined) {
        giveBack(keyed);
        this.#note(channel, 'failing');
        continue;
      }
      const taking = take?.(channel);
      const roomMs = taking === undefined ? undefined : await taking;
      if (roomMs === undefined) {
        this.#unasked?.delete(channel.id);
        if (channel !== keyed) this.#last = channel;
        return { channel: keyed, dialect, attempt };
      }
      giveBack(keyed);
      breakers.ended(attempt);
      this.#note(channel, 'at_limit');
      this.#done = [...this.#done, channel.id];
      this.#soonestRoomMs = Math.min(this.#soonestRoomMs, roomMs);
    }
    return undefined;
  }

  passedOver(nowMs: number): PassedOver[] {
    const passed: PassedOver[] = [];
    for (const channel of this.#options.tiers.flat()) {
      if (passed.length === mostPassedOver) break;
      const reason = this.#reasonFor(channel, nowMs);
      if (reason !== undefined) passed.push({ channelId: channel.id, channelName: channel.name, reason });
    }
    return passed;
  }

  /** undefined: it was tried. */
  #reasonFor(channel: RoutedChannel, nowMs: number): PassedOver['reason'] | undefined {
    const { sharedNowMs, dialectOf } = this.#options;
    if (this.#done.includes(channel.id) || this.#begun?.includes(channel.id)) return this.#unasked?.get(channel.id);
    if (channel.expiresAtMs <= sharedNowMs) return 'expired';
    if (this.#isTooLongFor(channel)) return 'too_long';
    if (dialectOf(channel) === undefined) return 'dialect';
    const state = this.#stateOf(channel, nowMs);
    if (!state.isOpen) return 'not_needed';
    return state.reason === 'limited' ? 'limited' : 'failing';
  }

  #note({ id }: RoutedChannel, reason: PassedOver['reason']): void {
    this.#unasked ??= new Map();
    this.#unasked.set(id, reason);
  }

  refusal(nowMs: number): AppError {
    const { tiers, model, group, promptTokens, sharedNowMs } = this.#options;
    const alive = tiers.flat().filter(({ expiresAtMs }) => expiresAtMs > sharedNowMs);
    if (alive.length > 0 && alive.every((channel) => this.#isTooLongFor(channel)))
      return new AppError('request_too_long', {
        model,
        tokens: promptTokens,
        limit: Math.max(...alive.map((each) => each.maxInputTokens)),
      });
    if (Number.isFinite(this.#soonestRoomMs))
      return new AppError('upstream_saturated', {}, { retryAfterSeconds: Math.ceil(this.#soonestRoomMs / 1000) });
    const states = tiers.flat().map((channel) => this.#stateOf(channel, nowMs));
    const retryAfterSeconds = secondsUntil(
      states.filter((state) => state.isOpen),
      nowMs,
    );
    return new AppError('no_available_channel', { model, group }, { retryAfterSeconds });
  }

  #isTooLongFor({ maxInputTokens }: RoutedChannel): boolean {
    return maxInputTokens > 0 && this.#options.promptTokens > maxInputTokens;
  }

  /** Of a channel with several keys: that of the key which can be tried first. */
  #stateOf(channel: RoutedChannel, nowMs: number): BreakerState {
    const { breakers, model } = this.#options;
    if (channel.pool === undefined) return breakers.state(channel.id, model, nowMs, keyIdOf(channel));
    let soonest: BreakerState = { isOpen: true, reason: 'failing', untilMs: Number.POSITIVE_INFINITY };
    for (const { id } of channel.pool.keys) {
      const state = breakers.state(channel.id, model, nowMs, id);
      if (!state.isOpen) return state;
      if (state.untilMs < soonest.untilMs) soonest = state;
    }
    return soonest;
  }

  #mayBeAsked(channel: RoutedChannel, nowMs: number): boolean {
    const { sharedNowMs, dialectOf, breakers, model } = this.#options;
    const { id, pool } = channel;
    if (this.#done.includes(id) || this.#isTooLongFor(channel) || channel.expiresAtMs <= sharedNowMs) return false;
    if (dialectOf(channel) === undefined) return false;
    if (this.#pass === 'fresh' && this.#deferred?.includes(id)) return false;
    if (pool !== undefined) return pool.keys.some((key) => this.#isUsable(channel, key, nowMs));
    return isFree(breakers.state(id, model, nowMs, keyIdOf(channel)), this.#pass);
  }

  #isUsable({ id }: RoutedChannel, key: PooledKey, nowMs: number): boolean {
    const { breakers, model } = this.#options;
    return !this.#usedKeys?.has(key) && isFree(breakers.state(id, model, nowMs, key.id), this.#pass);
  }

  #withKey(channel: RoutedChannel, pool: KeyPool, nowMs: number): RoutedChannel {
    const { random = Math.random } = this.#options;
    const preferred = this.#preferred;
    const key = chooseKey(pool, {
      isUsable: (each) => this.#isUsable(channel, each, nowMs),
      preferredId: preferred?.channelId === channel.id ? preferred.keyId : undefined,
      random,
    });
    if (key === undefined) return channel;
    this.#usedKeys ??= new Set();
    this.#usedKeys.add(key);
    if (!this.#begun?.includes(channel.id)) this.#begun = [...(this.#begun ?? []), channel.id];
    return withKey(channel, key);
  }

  #choose(tier: readonly RoutedChannel[], nowMs: number): RoutedChannel | undefined {
    const { random = Math.random } = this.#options;
    const preferred = this.#preferred;
    let total = 0;
    let chosen: RoutedChannel | undefined;
    for (const channel of tier) {
      if (!this.#mayBeAsked(channel, nowMs)) continue;
      if (preferred !== undefined && channel.id === preferred.channelId) return channel;
      total += channel.weight + weightFloor;
      // Each newcomer takes the place with its share of the weight so far: a weighted choice in one pass.
      if (random() * total < channel.weight + weightFloor) chosen = channel;
    }
    return chosen;
  }

  #best(nowMs: number): RoutedChannel | undefined {
    this.#pass = 'fresh';
    if (this.#foreseen !== undefined && this.#mayBeAsked(this.#foreseen, nowMs)) return this.#foreseen;
    for (const pass of passes) {
      if (pass === 'other_keys' && this.#deferred === undefined) continue;
      this.#pass = pass;
      for (const tier of this.#options.tiers) {
        const channel = this.#choose(tier, nowMs);
        if (channel !== undefined) return channel;
      }
    }
    return undefined;
  }
}

function isFree(state: BreakerState, pass: Pass): boolean {
  return !state.isOpen || (pass === 'paused' && state.reason === 'limited');
}

function secondsUntil(open: readonly Extract<BreakerState, { isOpen: true }>[], nowMs: number): number {
  const soonest = Math.min(...open.map((state) => state.untilMs));
  return Number.isFinite(soonest) ? Math.max(1, Math.ceil((soonest - nowMs) / 1000)) : 5;
}
