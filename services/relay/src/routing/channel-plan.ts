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
  const { tiers, model, group, breakers, dialectOf, promptTokens, sharedNowMs, take, random = Math.random } = options;
  const tried = new Set<number>();
  let foreseen: RoutedChannel | undefined;
  let soonestRoomMs = Number.POSITIVE_INFINITY;

  const isTooLongFor = ({ maxInputTokens }: RoutedChannel): boolean => maxInputTokens > 0 && promptTokens > maxInputTokens;
  const isFit = (channel: RoutedChannel): boolean => !isTooLongFor(channel) && channel.expiresAtMs > sharedNowMs;

  function mayBeAsked(channel: RoutedChannel, nowMs: number, isAskedInItsPause: boolean): boolean {
    if (tried.has(channel.id) || !isFit(channel) || dialectOf(channel) === undefined) return false;
    const state = breakers.state(channel.id, model, nowMs);
    return !state.isOpen || (isAskedInItsPause && state.reason === 'limited');
  }

  function choose(tier: readonly RoutedChannel[], nowMs: number, isAskedInItsPause: boolean): RoutedChannel | undefined {
    let total = 0;
    let chosen: RoutedChannel | undefined;
    for (const channel of tier) {
      if (!mayBeAsked(channel, nowMs, isAskedInItsPause)) continue;
      total += channel.weight + weightFloor;
      // Each newcomer takes the place with its share of the weight so far: a weighted choice in one pass.
      if (random() * total < channel.weight + weightFloor) chosen = channel;
    }
    return chosen;
  }

  function best(nowMs: number): RoutedChannel | undefined {
    if (foreseen !== undefined && mayBeAsked(foreseen, nowMs, false)) return foreseen;
    for (const isAskedInItsPause of [false, true]) {
      for (const tier of tiers) {
        const channel = choose(tier, nowMs, isAskedInItsPause);
        if (channel !== undefined) return channel;
      }
    }
    return undefined;
  }

  return {
    first(nowMs) {
      foreseen = best(nowMs);
      return foreseen;
    },
    async next(nowMs) {
      for (let channel = best(nowMs); channel !== undefined; channel = best(nowMs)) {
        tried.add(channel.id);
        const dialect = dialectOf(channel);
        if (dialect === undefined) continue;
        const attempt = await breakers.begin(channel.id, model, nowMs);
        if (attempt === undefined) continue;
        const taking = take?.(channel);
        const roomMs = taking === undefined ? undefined : await taking;
        if (roomMs === undefined) return { channel, dialect, attempt };
        breakers.ended(attempt);
        soonestRoomMs = Math.min(soonestRoomMs, roomMs);
      }
      return undefined;
    },
    refusal(nowMs) {
      const alive = tiers.flat().filter(({ expiresAtMs }) => expiresAtMs > sharedNowMs);
      if (alive.length > 0 && alive.every(isTooLongFor))
        return new AppError('request_too_long', {
          model,
          tokens: promptTokens,
          limit: Math.max(...alive.map((each) => each.maxInputTokens)),
        });
      if (Number.isFinite(soonestRoomMs))
        return new AppError('upstream_saturated', {}, { retryAfterSeconds: Math.ceil(soonestRoomMs / 1000) });
      const states = tiers.flat().map((channel) => breakers.state(channel.id, model, nowMs));
      const retryAfterSeconds = secondsUntil(
        states.filter((state) => state.isOpen),
        nowMs,
      );
      return new AppError('no_available_channel', { model, group }, { retryAfterSeconds });
    },
  };
}

function secondsUntil(open: readonly Extract<BreakerState, { isOpen: true }>[], nowMs: number): number {
  const soonest = Math.min(...open.map((state) => state.untilMs));
  return Number.isFinite(soonest) ? Math.max(1, Math.ceil((soonest - nowMs) / 1000)) : 5;
}
