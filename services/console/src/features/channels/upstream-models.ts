import { channelTypes, type FetchModelsBody, type KnownModel } from '@tollgate/contracts';
import { type Provider, providerOf, type Target, UpstreamError } from '@tollgate/providers';
import { AppError, type Egress } from '@tollgate/runtime';
import { refuseMalformedKeys } from './fields.ts';
import { isRefusal, reasonOfSilence, signed, upstreamOf } from './upstream.ts';

/** The models that a channel's provider says its key may use. */
export async function modelsOfChannel(egress: Egress, id: number): Promise<string[]> {
  const { provider, target, proxy } = await upstreamOf(id);
  return askModels(egress, { provider, proxy }, target);
}

/** The same for what is no channel yet; of several keys the first is used. */
export async function modelsOfUpstream(egress: Egress, body: FetchModelsBody): Promise<string[]> {
  const [key = ''] = body.key.trim().split('\n');
  refuseMalformedKeys(body.type, [key.trim()]);
  const provider = providerOf(body.type);
  return askModels(egress, { provider }, { key: key.trim(), baseUrl: body.base_url || (provider?.baseUrl ?? '') });
}

async function askModels(
  egress: Egress,
  { provider, proxy }: { provider: Provider | undefined; proxy?: string },
  asked: Omit<Target, 'model'>,
): Promise<string[]> {
  if (!provider?.models) throw unknown('this channel type has no such list');
  const target = { ...asked, model: '' };
  const question = await signed(provider, target, { url: provider.models.url(target), headers: provider.headers(target) });
  const answer = await egress.exchange(question.url, { headers: question.headers, proxy }).catch((error) => {
    throw isRefusal(error) ? error : unknown(reasonOfSilence(error), error);
  });
  const body = answer.body.toString('utf8');
  if (answer.status !== 200) throw unknown(provider.error({ status: answer.status, body }, target.key).message);
  try {
    return [...new Set(provider.models.decode(JSON.parse(body)))];
  } catch (error) {
    if (error instanceof UpstreamError || error instanceof SyntaxError) throw unknown('its answer is no list of models', error);
    throw error;
  }
}

function unknown(reason: string, cause?: unknown): AppError {
  return new AppError('upstream_models_unknown', { reason }, { cause });
}

const listedSince = 1_626_777_600;

/** Every model that we know of, as OpenAI lists models. */
export function knownModels(): KnownModel[] {
  const ownerOf = new Map<string, string>();
  for (const { models, newerModels, ownedBy } of channelTypes) {
    for (const model of [...models, ...newerModels]) if (!ownerOf.has(model)) ownerOf.set(model, ownedBy);
  }
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
