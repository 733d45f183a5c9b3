import type { Provider } from '@tollgate/providers';
import type { Tiers } from './channel-table.ts';

/** What channels have in common that differ only in keys and addresses: who is asked, and under which names for models. */
export interface ChannelKind {
  provider: Provider;
  modelMapping: ReadonlyMap<string, string>;
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
  const known = new Map<Provider, Set<ReadonlyMap<string, string>>>();
  const kinds: ChannelKind[] = [];
  for (const tier of tiers) {
    for (const { provider, modelMapping } of tier) {
      const mappings = known.get(provider) ?? new Set();
      if (mappings.has(modelMapping)) continue;
      known.set(provider, mappings.add(modelMapping));
      kinds.push({ provider, modelMapping });
    }
  }
  return kinds;
}
