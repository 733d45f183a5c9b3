import { channelTypes, type FetchModelsBody } from '@tollgate/contracts';
import { Channel, unseal } from '@tollgate/db';
import { providerOf, type Target, UpstreamError } from '@tollgate/providers';
import { AppError, type Egress } from '@tollgate/runtime';

/** The models that a channel's provider says its key may use. */
export async function modelsOfChannel(egress: Egress, id: number): Promise<string[]> {
  const channel = await Channel.findOne({ id }).select('+keySealed').lean();
  if (!channel) throw new AppError('record_not_found');
  const target = {
    key: unseal(channel.keySealed, `channel:${id}:key`),
    baseUrl: channel.baseUrl,
    other: channel.other,
    organization: channel.organization,
  };
  return askModels(egress, channel.type, target);
}

/** The same for what is no channel yet; of several keys the first is used. */
export async function modelsOfUpstream(egress: Egress, body: FetchModelsBody): Promise<string[]> {
  const [key = ''] = body.key.trim().split('\n');
  return askModels(egress, body.type, { key: key.trim(), baseUrl: body.base_url });
}

async function askModels(egress: Egress, type: number, asked: Omit<Target, 'model'>): Promise<string[]> {
  const provider = providerOf(type);
  if (!provider?.models) throw new AppError('upstream_models_unknown', { reason: 'this channel type has no such list' });
  const target: Target = { ...asked, model: '', baseUrl: asked.baseUrl || provider.baseUrl };
  const answer = await egress.exchange(provider.models.url(target), { headers: provider.headers(target) }).catch(unreachable);
  const body = answer.body.toString('utf8');
  if (answer.status !== 200)
    throw new AppError('upstream_models_unknown', { reason: provider.error({ status: answer.status, body }, target.key).message });
  try {
    return [...new Set(provider.models.decode(JSON.parse(body)))];
  } catch (error) {
    if (error instanceof UpstreamError || error instanceof SyntaxError)
      throw new AppError('upstream_models_unknown', { reason: 'its answer is no list of models' }, { cause: error });
    throw error;
  }
}

function unreachable(error: unknown): never {
  if (error instanceof AppError) throw error;
  throw new AppError('upstream_models_unknown', { reason: 'it cannot be reached' }, { cause: error });
}

const listedSince = 1_626_777_600;

/** Every model that we know of, as OpenAI lists models. */
export function knownModels(): object[] {
  const ownerOf = new Map<string, string>();
  for (const { models, newerModels = [], ownedBy } of channelTypes)
    for (const model of [...models, ...newerModels]) if (!ownerOf.has(model)) ownerOf.set(model, ownedBy);
  return [...ownerOf].map(([id, owned_by]) => ({
    id,
    object: 'model',
    created: listedSince,
    owned_by,
    permission: [],
    root: id,
    parent: null,
  }));
}
