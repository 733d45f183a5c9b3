import { patchJson } from '@tollgate/providers';
import { noteChange } from '../context/changes.ts';
import { isFreeOrPriced } from '../quota/priced-fields.ts';
import type { Reading } from '../request/read-request.ts';

interface Shop {
  ratios: Readonly<Record<string, number>>;
  /** Some channel is sent the request in its own dialect. */
  isSpoken: boolean;
}

/**
 * Adds hosted tools that stand beside the caller's own to the request, or removes them and notes it: those without a price, and all of
 * them where no channel speaks the caller's dialect. True when some are left, so that the call belongs to channels that do.
 */
export function settleOffers(reading: Reading, { ratios, isSpoken }: Shop): boolean {
  const { request, sent } = reading;
  const { offers } = sent;
  if (offers === undefined) return false;
  const kept = isSpoken ? offers.filter((tool) => isFreeOrPriced(tool, ratios)) : [];
  if (kept.length < offers.length) leaveOut(reading, new Set(offers.filter((tool) => !kept.includes(tool))), isSpoken);
  if (kept.length > 0) request.tools = [...((request.tools as unknown[] | undefined) ?? []), ...kept];
  return kept.length > 0;
}

function leaveOut(reading: Reading, dropped: ReadonlySet<unknown>, isSpoken: boolean): void {
  const { sent } = reading;
  const all = sent.json.tools as { type?: unknown }[];
  for (const [at, tool] of all.entries()) {
    const why = isSpoken ? 'it has no price here' : 'no channel of the model has it';
    if (dropped.has(tool)) noteChange(reading, `tools[${at}]`, `removed (${String(tool.type)}; ${why})`);
  }
  if (!isSpoken) return; // a translated request is made without them
  const tools = all.filter((tool) => !dropped.has(tool));
  sent.json = { ...sent.json, tools };
  sent.bytes = patchJson(sent.bytes, { set: { tools } });
}
