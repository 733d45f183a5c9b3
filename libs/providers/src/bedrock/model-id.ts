import { type Catalog, currentCatalog, hostedNames } from '@tollgate/contracts/catalog';

/** Inference profiles over the regions of a continent, by the head of a region's name. */
const prefixes = new Map([
  ['us', 'us'],
  ['eu', 'eu'],
  ['ap', 'apac'],
]);

/**
 * The id under which a model is called from a region; a name that nobody knows is taken for an id, or an ARN.
 * Source: https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
 */
export function bedrockModelId(model: string, region: string): string {
  const named = hostedNames.bedrock[model] ?? idsIn(currentCatalog()).get(model);
  if (named === undefined) return model;
  const profile = [prefixes.get(region.split('-')[0] ?? ''), 'global'].find((one) => one !== undefined && named.profiles.includes(one));
  return profile === undefined ? named.id : `${profile}.${named.id}`;
}

interface HostedModel {
  id: string;
  profiles: string[];
}

const idsOf = new WeakMap<Catalog, Map<string, HostedModel>>();

/** Models by the names of their maker, with the ids and profiles that the catalog lists for Bedrock. Made once a catalog. */
function idsIn(catalog: Catalog): Map<string, HostedModel> {
  const known = idsOf.get(catalog);
  if (known !== undefined) return known;
  const ids = new Map<string, HostedModel>();
  for (const { provider, name } of catalog.models) {
    const [, profile, id, model] =
      (provider === 'amazon-bedrock' && /^(?:([a-z]+)\.)?(anthropic\.([^:]+?)(?:-v\d+(?::\d+)?)?)$/.exec(name)) || [];
    if (id === undefined || model === undefined) continue;
    const hosted = ids.get(model) ?? { id, profiles: [] };
    if (profile !== undefined) hosted.profiles.push(profile);
    ids.set(model, hosted);
  }
  idsOf.set(catalog, ids);
  return ids;
}
