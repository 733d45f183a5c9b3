import { UsageByModel, UsageByPart, type UsagePart } from '@tollgate/db';

/** When everybody's usage was first counted by a part; undefined: it never was. `isLate`: calls before that were counted by models alone. */
export async function countedSince(by: UsagePart): Promise<{ atMs: number; isLate: boolean } | undefined> {
  const [part, model] = await Promise.all([
    UsageByPart.findOne({ by }).sort({ at: 1 }).select('at').lean(),
    UsageByModel.findOne().sort({ hour: 1 }).select('hour').lean(),
  ]);
  return part ? { atMs: part.at.getTime(), isLate: model !== null && model.hour < part.at } : undefined;
}
