import { packed } from '@tollgate/db';
import type { Source } from '../source.ts';
import { allowedModels, groupOf, type Names } from './accounts.ts';
import { litellmDecrypter } from './decrypt.ts';
import type { FamilyDatabase } from './family-database.ts';
import { mapModel } from './models.ts';
import { type LitellmModel, type LitellmTeam, litellmCredential, litellmModel, rowsOf } from './rows.ts';

interface Reading {
  source: Source;
  family: FamilyDatabase;
  /** LITELLM_SALT_KEY, or the master key where there is none. */
  secret: string;
  teams: readonly LitellmTeam[];
}

/** Each model becomes a channel that serves it alone, in the groups of the teams that may use it. Returns the models' names. */
export async function readModels({ source, family, secret, teams }: Reading): Promise<Names> {
  const decrypt = litellmDecrypter(secret);
  const credentials = new Map<string, Record<string, unknown>>();
  for await (const row of rowsOf(source, 'LiteLLM_CredentialsTable', 'credential_name')) {
    const parsed = litellmCredential.safeParse(row);
    const values = parsed.success ? decrypted(parsed.data.credential_values, decrypt) : undefined;
    if (parsed.success && values !== undefined) credentials.set(parsed.data.credential_name, values);
  }
  const models: LitellmModel[] = [];
  for await (const row of rowsOf(source, 'LiteLLM_ProxyModelTable', 'model_id')) {
    const parsed = litellmModel.safeParse(row);
    if (parsed.success) models.push(parsed.data);
    else family.leftOut('channel', String((row as { model_id?: unknown }).model_id), 'its row cannot be read');
  }
  const names = { models: [...new Set(models.map(({ model_name }) => model_name))], accessGroups: accessGroupsOf(models) };
  const served = teams.map((team) => ({ group: groupOf(team), allowed: allowedModels(team.models, names) }));
  const ratios: Record<string, number> = {};
  const completions: Record<string, number> = {};
  for (const model of models) {
    const which = `${model.model_id} (${model.model_name})`;
    const params = decrypted(model.litellm_params, decrypt);
    if (params === undefined) {
      family.leftOut('channel', which, 'its values are encrypted: give LITELLM_SALT_KEY, or the master key where there is none');
      continue;
    }
    const credential = credentials.get(String(params.litellm_credential_name ?? ''));
    if (params.litellm_credential_name && credential === undefined) {
      family.leftOut('channel', which, `its credential ${params.litellm_credential_name} is not there, or cannot be decrypted`);
      continue;
    }
    const outcome = mapModel(model, { ...credential, ...params });
    if ('leftOut' in outcome) {
      family.leftOut('channel', which, outcome.leftOut);
      continue;
    }
    const { channel, changes, price } = outcome;
    for (const text of changes) family.changed('channel', which, text);
    const groups = served.filter(({ allowed }) => allowed?.has(model.model_name) ?? true).map(({ group }) => group);
    family.add('channels', {
      ...channel,
      ...{ ref: model.model_id, name: model.model_name, status: model.blocked ? 2 : 1, created_time: model.created_at },
      group: [...new Set(['default', ...groups])].join(','),
      own: packed(channel.own),
    });
    if (price === undefined) continue;
    const ratio = ratioOf(price.input);
    if (ratios[model.model_name] !== undefined && ratios[model.model_name] !== ratio)
      family.changed('model', model.model_name, 'its deployments have different prices there; here it has that of the first one');
    ratios[model.model_name] ??= ratio;
    if (price.output !== undefined) completions[model.model_name] ??= Number((price.output / price.input).toPrecision(12));
  }
  if (Object.keys(ratios).length > 0) family.add('options', { key: 'ModelRatio', value: JSON.stringify(ratios) });
  if (Object.keys(completions).length > 0) family.add('options', { key: 'CompletionRatio', value: JSON.stringify(completions) });
  return names;
}

/** Ratio 1 is 2 US dollars per million tokens. */
function ratioOf(dollarsPerToken: number): number {
  return Number(((dollarsPerToken * 1e6) / 2).toPrecision(12));
}

/** The values in clear; undefined where none can be read. A value that an old release stored in clear stays as it is. */
function decrypted(values: Record<string, unknown>, decrypt: (text: string) => string | undefined): Record<string, unknown> | undefined {
  let isAnyRead = false;
  let isAnyClosed = false;
  const read = Object.entries(values).map(([name, value]) => {
    if (typeof value !== 'string' || value === '') return [name, value];
    const plain = decrypt(value);
    isAnyRead ||= plain !== undefined;
    isAnyClosed ||= plain === undefined && looksEncrypted(value);
    return [name, plain ?? value];
  });
  return isAnyClosed && !isAnyRead
    ? undefined
    : Object.fromEntries(isAnyClosed ? read.filter(([, value]) => !looksEncrypted(value)) : read);
}

/** A nonce and a tag alone take 40 bytes, in base64. */
function looksEncrypted(value: unknown): boolean {
  return typeof value === 'string' && (value.startsWith('v2:gcm:') || (value.length >= 56 && /^[\w+/-]+={0,2}$/.test(value)));
}

function accessGroupsOf(models: readonly LitellmModel[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { model_name, model_info } of models) {
    const listed = Array.isArray(model_info.access_groups) ? model_info.access_groups : [];
    for (const group of listed) groups.set(String(group), [...(groups.get(String(group)) ?? []), model_name]);
  }
  return groups;
}
