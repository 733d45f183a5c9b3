import { channelStatus, type PriceSourceView } from '@tollgate/contracts';
import { Channel, Proposal } from '@tollgate/db';
import { byRule } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { modelsOfChannel } from '../channels/upstream-models.ts';
import { propose, takePriceFile } from './take-file.ts';

const statesKey = 'console:price-sources';
const mostBytes = 32 << 20;
const readMs = 60_000;

type State = Pick<PriceSourceView, 'last_time' | 'error' | 'listed' | 'applied' | 'waiting' | 'quarantined'>;

/** Reads all price sources, the first ones first; one that fails does not stop the rest. */
export async function syncSources(context: Context, signal?: AbortSignal): Promise<void> {
  const { egressByOrigin, options, redis, log } = context;
  await options.read();
  const decided = new Set<string>();
  for (const { name, kind, url } of options.values.CatalogSources) {
    signal?.throwIfAborted();
    const state: State = { last_time: Math.floor(Date.now() / 1000), error: '', listed: 0, applied: 0, waiting: 0, quarantined: 0 };
    try {
      const answer = await egressByOrigin.services.exchange(url, { timeoutMs: readMs, maxBytes: mostBytes, signal });
      if (answer.status !== 200) throw new Error(`status ${answer.status}`);
      Object.assign(state, await takePriceFile(context, answer.body.toString('utf8'), { name, kind, url, actor: byRule, decided }));
    } catch (error) {
      signal?.throwIfAborted();
      state.error = error instanceof Error ? error.message.slice(0, 300) : 'failed';
      log.warn({ source: name, err: error }, 'a price source could not be read');
    }
    await redis.hset(statesKey, name, JSON.stringify(state));
  }
}

/** The sources that are set, with what their last reading came to. */
export async function priceSources({ options, redis }: Pick<Context, 'options' | 'redis'>): Promise<PriceSourceView[]> {
  const states = await redis.hgetall(statesKey);
  const never: State = { last_time: 0, error: '', listed: 0, applied: 0, waiting: 0, quarantined: 0 };
  return options.values.CatalogSources.map((source) => {
    const state = states[source.name];
    return { ...source, ...(state === undefined ? never : (JSON.parse(state) as State)) };
  });
}

/** Compares the models of each enabled channel with its provider's list, and proposes what differs. A provider that gives no list is passed over. */
export async function syncChannelModels(context: Context, signal?: AbortSignal): Promise<void> {
  const channels = Channel.find({ status: channelStatus.enabled }).select('-_id id models modelMapping').lean().cursor();
  for await (const { id, models, modelMapping } of channels) {
    signal?.throwIfAborted();
    let listed: string[];
    try {
      listed = await modelsOfChannel(context.egress, id);
    } catch (error) {
      context.log.debug({ channel: id, err: error }, 'a provider gave no list of models');
      continue;
    }
    if (listed.length > 0) await compare({ id, models, mapping: mappingOf(modelMapping) }, listed);
  }
}

interface Listed {
  id: number;
  models: readonly string[];
  mapping: Readonly<Record<string, string>>;
}

/** A model under another name upstream is looked for by that name, and its upstream name is not proposed again. */
async function compare({ id, models, mapping }: Listed, listed: readonly string[]): Promise<void> {
  const upstream = new Set(listed);
  const known = new Set([...models, ...models.map((model) => mapping[model] ?? model)]);
  const added = listed.filter((model) => !known.has(model));
  const gone = models.filter((model) => !upstream.has(mapping[model] ?? model));
  const at = new Date();
  const about = { kind: 'model' as const, status: 'waiting' as const, channelId: id, source: 'provider', at };
  for (const model of added) await propose({ ...about, action: 'add', model, reasons: ['new'] });
  for (const model of gone) await propose({ ...about, action: 'remove', model });
  const open = [...added, ...gone].map((model) => `model:${id}:${model}`);
  await Proposal.deleteMany({ kind: 'model', channelId: id, status: 'waiting', _id: { $nin: open } });
}

function mappingOf(text: string): Record<string, string> {
  try {
    const value: unknown = JSON.parse(text || '{}');
    return typeof value === 'object' && value !== null ? (value as Record<string, string>) : {};
  } catch {
    return {}; // nothing is mapped by it
  }
}
