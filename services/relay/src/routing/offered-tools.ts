import { patchJson } from '@tollgate/providers';
import type { SentRequest } from '../pipeline/route.ts';
import { hasPrice } from '../quota/priced-fields.ts';
import type { Reading } from '../request/read-request.ts';

interface Shop {
  ratios: Readonly<Record<string, number>>;
  /** Some channel is told the request as it came. */
  isSpoken: boolean;
}

/**
 * Takes what is offered into the request, or out of it: what has no price, and all of it where no channel speaks as the caller does.
 * True when something of it is left, so that the call belongs to channels that do.
 */
export function settleOffers({ request, sent }: Reading, { ratios, isSpoken }: Shop): boolean {
  const { offers } = sent;
  if (offers === undefined || !isSpoken) return false;
  const kept = offers.filter((tool) => hasPrice(tool, ratios));
  if (kept.length < offers.length) leaveOut(sent, new Set(offers.filter((tool) => !kept.includes(tool))));
  request.tools = [...((request.tools as unknown[] | undefined) ?? []), ...kept];
  return kept.length > 0;
}

function leaveOut(sent: SentRequest, dropped: ReadonlySet<unknown>): void {
  const tools = (sent.json.tools as unknown[]).filter((tool) => !dropped.has(tool));
  sent.json = { ...sent.json, tools };
  sent.bytes = patchJson(sent.bytes, { set: { tools } });
}
