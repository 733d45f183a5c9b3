import { mostPassedOver, type PassedOver } from '@tollgate/contracts';
import type { AnyDialect } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Attempt, BreakerState, Breakers } from './breaker.ts';
import type { RoutedChannel, Tiers } from './channel-table.ts';

/** The channels of one call in the order in which they are tried. */
export interface ChannelPlan<Spoken = AnyDialect> {
  /** The one that `next` gives first, as things stand: room in its limits may be asked for beforehand. */
  first(nowMs: number): RoutedChannel | undefined;
  /** The next channel, or undefined when there is none left. None is given twice. */
  next(nowMs: number): Promise<{ channel: RoutedChannel; dialect: Spoken; attempt: Attempt } | undefined>;
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
 * answers now is then the provider's to say. A channel that is at its limit is passed over, and not blamed.
 */
export function channelPlan<Spoken>(options: PlanOptions<Spoken>): ChannelPlan<Spoken> {
  return new Plan(options);
}

/** Of a class, for it lives as long as its call: a closure for each of these would be as much again as all that they close over. */
class Plan<Spoken> implements ChannelPlan<Spoken> {
  readonly #options: PlanOptions<Spoken>;
  #tried: readonly number[] = [];
  /** Of those tried, what kept a channel from being asked. */
  #unasked: Map<number, PassedOver['reason']> | undefined;
  #foreseen: RoutedChannel | undefined;
  #soonestRoomMs = Number.POSITIVE_INFINITY;

  constructor(options: PlanOptions<Spoken>) {
    this.#options = options;
  }

  first(nowMs: number): RoutedChannel | undefined {
    this.#foreseen = this.#best(nowMs);
    return this.#foreseen;
  }

  async next(nowMs: number): Promise<{ channel: RoutedChannel; dialect: Spoken; attempt: Attempt } | undefined> {
    const { breakers, model, take } = this.#options;
    for (let channel = this.#best(nowMs); channel !== undefined; channel = this.#best(nowMs)) {
      this.#tried = [...this.#tried, channel.id];
      const dialect = this.#options.dialectOf(channel);
      if (dialect === undefined) continue;
      const begun = breakers.begin(channel.id, model, nowMs);
      const attempt = begun instanceof Promise ? await begun : begun;
      if (attempt === undefined) {
        this.#note(channel, 'failing');
        continue;
      }
      const taking = take?.(channel);
      const roomMs = taking === undefined ? undefined : await taking;
      if (roomMs === undefined) return { channel, dialect, attempt };
      breakers.ended(attempt);
      this.#note(channel, 'at_limit');
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
    const { sharedNowMs, dialectOf, breakers, model } = this.#options;
    if (this.#tried.includes(channel.id)) return this.#unasked?.get(channel.id);
    if (channel.expiresAtMs <= sharedNowMs) return 'expired';
    if (this.#isTooLongFor(channel)) return 'too_long';
    if (dialectOf(channel) === undefined) return 'dialect';
    const state = breakers.state(channel.id, model, nowMs);
    return state.isOpen ? state.reason : 'not_needed';
  }

  #note({ id }: RoutedChannel, reason: PassedOver['reason']): void {
    this.#unasked ??= new Map();
    this.#unasked.set(id, reason);
  }

  refusal(nowMs: number): AppError {
    const { tiers, model, group, breakers, promptTokens, sharedNowMs } = this.#options;
    const alive = tiers.flat().filter(({ expiresAtMs }) => expiresAtMs > sharedNowMs);
    if (alive.length > 0 && alive.every((channel) => this.#isTooLongFor(channel)))
      return new AppError('request_too_long', {
        model,
        tokens: promptTokens,
        limit: Math.max(...alive.map((each) => each.maxInputTokens)),
      });
    if (Number.isFinite(this.#soonestRoomMs))
      return new AppError('upstream_saturated', {}, { retryAfterSeconds: Math.ceil(this.#soonestRoomMs / 1000) });
    const states = tiers.flat().map((channel) => breakers.state(channel.id, model, nowMs));
    const retryAfterSeconds = secondsUntil(
      states.filter((state) => state.isOpen),
      nowMs,
    );
    return new AppError('no_available_channel', { model, group }, { retryAfterSeconds });
  }

  #isTooLongFor({ maxInputTokens }: RoutedChannel): boolean {
    return maxInputTokens > 0 && this.#options.promptTokens > maxInputTokens;
  }

  #mayBeAsked(channel: RoutedChannel, nowMs: number, isAskedInItsPause: boolean): boolean {
    const { sharedNowMs, dialectOf, breakers, model } = this.#options;
    if (this.#tried.includes(channel.id) || this.#isTooLongFor(channel) || channel.expiresAtMs <= sharedNowMs) return false;
    if (dialectOf(channel) === undefined) return false;
    const state = breakers.state(channel.id, model, nowMs);
    return !state.isOpen || (isAskedInItsPause && state.reason === 'limited');
  }

  #choose(tier: readonly RoutedChannel[], nowMs: number, isAskedInItsPause: boolean): RoutedChannel | undefined {
    const { random = Math.random } = this.#options;
    let total = 0;
    let chosen: RoutedChannel | undefined;
    for (const channel of tier) {
      if (!this.#mayBeAsked(channel, nowMs, isAskedInItsPause)) continue;
      total += channel.weight + weightFloor;
      // Each newcomer takes the place with its share of the weight so far: a weighted choice in one pass.
      if (random() * total < channel.weight + weightFloor) chosen = channel;
    }
    return chosen;
  }

  #best(nowMs: number): RoutedChannel | undefined {
    if (this.#foreseen !== undefined && this.#mayBeAsked(this.#foreseen, nowMs, false)) return this.#foreseen;
    for (const isAskedInItsPause of [false, true]) {
      for (const tier of this.#options.tiers) {
        const channel = this.#choose(tier, nowMs, isAskedInItsPause);
        if (channel !== undefined) return channel;
      }
    }
    return undefined;
  }
}

function secondsUntil(open: readonly Extract<BreakerState, { isOpen: true }>[], nowMs: number): number {
  const soonest = Math.min(...open.map((state) => state.untilMs));
  return Number.isFinite(soonest) ? Math.max(1, Math.ceil((soonest - nowMs) / 1000)) : 5;
}
