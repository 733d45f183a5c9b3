import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/callers.ts';
import type { Relay } from '../../context/relay.ts';
import type { ModelView } from '../../dialects/dialect.ts';
import type { RoutedChannel } from '../../routing/channel-table.ts';

/** Lists of models have dates; when a model was made nobody here knows. */
const created = 1_626_777_600;

/** Every model that this caller may call now, in the order of their names: one that a channel of his group serves, his token names, and that has a price. */
export function listModels(relay: Relay, caller: Caller): ModelView[] {
  const group = caller.tokenGroup || caller.userGroup;
  const data: ModelView[] = [];
  for (const model of relay.table.models(group)) {
    const view = viewOf(relay, caller, { model, group });
    if (view !== undefined) data.push(view);
  }
  data.sort((a, b) => (a.id < b.id ? -1 : 1));
  return data;
}

/** One model. Throws: AppError `model_not_found` when this caller may not call it now. */
export function modelView(relay: Relay, caller: Caller, model: string): ModelView {
  const view = viewOf(relay, caller, { model, group: caller.tokenGroup || caller.userGroup });
  if (view === undefined) throw new AppError('model_not_found', { model }, { param: 'model' });
  return view;
}

function viewOf(relay: Relay, caller: Caller, { model, group }: { model: string; group: string }): ModelView | undefined {
  if (caller.modelLimits !== undefined && !caller.modelLimits.has(model)) return undefined;
  const channel: RoutedChannel | undefined = relay.table.tiers(group, model)[0]?.[0];
  if (channel === undefined || relay.settings.price(model, group) === undefined) return undefined;
  return { id: model, object: 'model', created, owned_by: channel.ownedBy };
}
