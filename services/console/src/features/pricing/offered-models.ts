import { channelStatus } from '@tollgate/contracts';
import { Channel } from '@tollgate/db';

/** The models that enabled channels offer, and in which groups. */
export async function offeredModels(): Promise<Map<string, Set<string>>> {
  const channels = await Channel.find({ status: channelStatus.enabled }).select({ models: 1, groups: 1 }).lean();
  const groupsOf = new Map<string, Set<string>>();
  for (const { models, groups } of channels) {
    for (const model of models) {
      const known = groupsOf.get(model) ?? new Set();
      for (const group of groups) known.add(group);
      groupsOf.set(model, known);
    }
  }
  return groupsOf;
}

/** The models that somebody who may use these groups can call. */
export async function modelsIn(groups: string[]): Promise<string[]> {
  const usable = new Set(groups);
  const offered = [...(await offeredModels())];
  return offered
    .filter(([, its]) => !usable.isDisjointFrom(its))
    .map(([model]) => model)
    .sort();
}
