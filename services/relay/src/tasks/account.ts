import { drawingModels, longestTaskMs } from '@tollgate/contracts';
import type { JsonObject } from '@tollgate/providers';
import type { Caller } from '../auth/callers.ts';
import type { Relay } from '../context/relay.ts';

/** The only account that callers see. */
export const accountId = 'tollgate';

/**
 * A lone midjourney-proxy tells of the accounts that draw for it. Here one stands for all channels and tells of none: whether it is
 * enabled is whether this caller finds somebody who draws.
 */
export function accountView({ settings, table }: Pick<Relay, 'settings' | 'table'>, caller: Caller): JsonObject {
  const group = caller.tokenGroup || caller.userGroup;
  const isServed = Object.values(drawingModels).some(
    (model) => (caller.modelLimits?.has(model) ?? true) && table.tiers(group, model).length > 0,
  );
  return {
    id: accountId,
    ...{ guildId: '', channelId: '', userToken: '', userAgent: '' },
    enable: settings.options.DrawingEnabled && isServed,
    timeoutMinutes: longestTaskMs.drawing / 60_000,
    properties: {},
  };
}
