import { AppError } from '@tollgate/runtime';
import type { BreakerState, Breakers } from './breaker.ts';
import type { RoutedChannel } from './channel-table.ts';

/** The channels of one call in the order in which they are tried. */
export interface ChannelPlan {
  /** The next channel, or undefined when there is none left. None is given twice. */
  next(nowMs: number): RoutedChannel | undefined;
  /** Why `next` gave nothing although channels exist. */
  refusal(nowMs: number): AppError;
}

/** What keeps weight-0 channels in use, and smooths small differences. */
const weightFloor = 10;

interface PlanOptions {
  tiers: readonly (readonly RoutedChannel[])[];
  model: string;
  group: string;
  breakers: Breakers;
  /** Whether a channel's provider offers what is called. */
  serves(channel: RoutedChannel): boolean;
  random?: () => number;
}

/** Best tier first, within a tier by weight; a tier is left only when all its channels have been tried or are shut off. */
export function channelPlan({ tiers, model, group, breakers, serves, random = Math.random }: PlanOptions): ChannelPlan {
  const tried = new Set<number>();
  return {
    next(nowMs) {
      for (const tier of tiers) {
        let total = 0;
        let chosen: RoutedChannel | undefined;
        for (const channel of tier) {
          if (tried.has(channel.id) || !serves(channel) || breakers.state(channel.id, model, nowMs).isOpen) continue;
          total += channel.weight + weightFloor;
          // Each newcomer takes the place with its share of the weight so far: a weighted choice in one pass.
          if (random() * total < channel.weight + weightFloor) chosen = channel;
        }
        if (chosen !== undefined) {
          tried.add(chosen.id);
          breakers.begin(chosen.id, model, nowMs);
          return chosen;
        }
      }
      return undefined;
    },
    refusal(nowMs) {
      const untried = tiers.flat().filter((channel) => !tried.has(channel.id) && serves(channel));
      const open = untried.map((channel) => breakers.state(channel.id, model, nowMs)).filter((state) => state.isOpen);
      const retryAfterSeconds = secondsUntil(open, nowMs);
      if (open.some((state) => state.reason === 'limited')) return new AppError('upstream_saturated', {}, { retryAfterSeconds });
      return new AppError('no_available_channel', { model, group }, { retryAfterSeconds });
    },
  };
}

function secondsUntil(open: readonly Extract<BreakerState, { isOpen: true }>[], nowMs: number): number {
  const soonest = Math.min(...open.map((state) => state.untilMs));
  return Number.isFinite(soonest) ? Math.max(1, Math.ceil((soonest - nowMs) / 1000)) : 5;
}
