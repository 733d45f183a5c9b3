import { channelStatus, type OptionValues } from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import { priceOf, pricesFrom } from '@tollgate/pricing';
import { providerOf } from '@tollgate/providers';

/** The models that enabled channels offer, and in which groups. */
export async function offeredModels(): Promise<Map<string, Set<string>>> {
  const channels = await Channel.find({ status: channelStatus.enabled }).select({ type: 1, models: 1, groups: 1 }).lean();
  const groupsOf = new Map<string, Set<string>>();
  for (const { type, models, groups } of channels) {
    if (!providerOf(type)) continue; // the relay has nothing to speak to it with
    for (const model of models) {
      const known = groupsOf.get(model) ?? new Set();
      for (const group of groups) known.add(group);
      groupsOf.set(model, known);
    }
  }
  return groupsOf;
}

/** The models that somebody who may use these groups can call: offered there, and with a price unless none is needed. */
export async function modelsIn(groups: string[], options: OptionValues): Promise<string[]> {
  const usable = new Set(groups);
  const prices = pricesFrom(options);
  const isPriced = (model: string): boolean => options.SelfUseModeEnabled || priceOf(model, '', prices) !== undefined;
  const offered = [...(await offeredModels())];
  return offered
    .filter(([model, its]) => !usable.isDisjointFrom(its) && isPriced(model))
    .map(([model]) => model)
    .sort();
}
