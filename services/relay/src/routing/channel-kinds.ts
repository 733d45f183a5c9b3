import type { Provider } from '@tollgate/providers';
import type { Tiers } from './channel-table.ts';

/** What channels have in common that differ only in keys and addresses: who is asked, and under which names for models. */
export interface ChannelKind {
  provider: Provider;
  modelMapping: ReadonlyMap<string, string>;
  /** Callers may name what is kept in its account. */
  opensAccount: boolean;
}

const kindsOf = new WeakMap<Tiers, readonly ChannelKind[]>();

/** The kinds of these channels, each once. The channels are walked once a change of the tiers, not once a call. */
export function kindsIn(tiers: Tiers): readonly ChannelKind[] {
  let kinds = kindsOf.get(tiers);
  if (kinds === undefined) {
    kinds = kindsAmong(tiers);
    kindsOf.set(tiers, kinds);
  }
  return kinds;
}

function kindsAmong(tiers: Tiers): ChannelKind[] {
  const known = new Map<Provider, Map<ReadonlyMap<string, string>, Set<boolean>>>();
  const kinds: ChannelKind[] = [];
  for (const tier of tiers) {
    for (const { provider, modelMapping, opensAccount } of tier) {
      const mappings = known.get(provider) ?? new Map<ReadonlyMap<string, string>, Set<boolean>>();
      const seen = mappings.get(modelMapping) ?? new Set();
      if (seen.has(opensAccount)) continue;
      known.set(provider, mappings.set(modelMapping, seen.add(opensAccount)));
      kinds.push({ provider, modelMapping, opensAccount });
    }
  }
  return kinds;
}
