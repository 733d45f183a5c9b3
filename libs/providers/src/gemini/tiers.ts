import { meantValue } from '@tollgate/contracts';
import type { JsonObject } from '../provider.ts';

/** Tiers with a price of their own. Source: https://ai.google.dev/gemini-api/docs/pricing */
const tiers: ReadonlySet<string> = new Set(['flex', 'priority']);

/** Vertex states the tier as a kind of traffic. Source: https://ai.google.dev/gemini-api/docs/priority-inference, and the usage metadata of google-genai */
const tierOfTraffic = new Map<unknown, string>([
  ['ON_DEMAND', 'standard'],
  ['ON_DEMAND_FLEX', 'flex'],
  ['ON_DEMAND_PRIORITY', 'priority'],
]);

/** The tier without the prefix that some clients spell: `SERVICE_TIER_PRIORITY` is `priority`. */
export function tierNamed(stated: string): string {
  return stated.toLowerCase().replace(/^service_tier_/, '');
}

/** Gemini's tier for a requested one of OpenAI's; undefined for the ordinary one. */
export function tierFor(asked: unknown): string | undefined {
  const tier = typeof asked === 'string' ? meantValue('service_tier', tierNamed(asked)) : undefined;
  return tier !== undefined && tiers.has(tier) ? tier : undefined;
}

/** The tier that served a call, as its usage states it. */
export function servedTier({ serviceTier, trafficType }: JsonObject): string | undefined {
  return typeof serviceTier === 'string' ? tierNamed(serviceTier) : tierOfTraffic.get(trafficType);
}
