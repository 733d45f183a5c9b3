import { withoutEndSlashes } from '@tollgate/contracts';
import { factsOf } from '@tollgate/contracts/catalog';
import { limitOf } from './accounts.ts';
import data from './providers.json' with { type: 'json' };
import type { LitellmModel } from './rows.ts';

interface ProviderHere {
  type: number;
  baseUrl?: string;
  /** It has no address of its own. */
  needsAddress?: boolean;
  key?: string;
}

const providers = new Map<string, ProviderHere>(Object.entries(data.providers));

/** What a model of LiteLLM becomes: a channel row of the product family. */
export interface ModelHere {
  type: number;
  key: string;
  base_url: string;
  other: string;
  models: string;
  model_mapping: string;
  own: Record<string, unknown>;
}

export type ModelOutcome = { channel: ModelHere; changes: string[]; price: Price | undefined } | { leftOut: string };

/** US dollars per token. */
interface Price {
  input: number;
  output: number | undefined;
}

/** Parameters that a channel here expresses, or that say nothing of a call. */
const understood = new Set(
  'model custom_llm_provider api_key api_base base_url api_version litellm_credential_name input_cost_per_token output_cost_per_token rpm tpm aws_access_key_id aws_secret_access_key aws_region_name vertex_project vertex_location vertex_credentials organization use_in_pass_through use_litellm_proxy merge_reasoning_content_in_choices drop_params'.split(
    ' ',
  ),
);

/**
 * Maps a model with its decrypted parameters; its own take precedence over those of a credential. A provider that is not named is the one that
 * makes the model by the catalog.
 */
export function mapModel({ model_name, model_info }: LitellmModel, params: Record<string, unknown>): ModelOutcome {
  const textOf = (name: string) => (typeof params[name] === 'string' ? (params[name] as string) : '');
  const whole = textOf('model');
  const slash = whole.indexOf('/');
  const prefix = slash > 0 ? whole.slice(0, slash) : '';
  const ownAddress = textOf('api_base') || textOf('base_url');
  // LiteLLM takes an address without a provider for one of OpenAI's API.
  const provider = textOf('custom_llm_provider') || prefix || (ownAddress === '' ? (factsOf(whole)?.maker ?? '') : 'openai');
  const here = providers.get(provider);
  if (here === undefined) return { leftOut: `its provider ${provider || '(none named)'} has no counterpart` };
  if (model_name.includes('*')) return { leftOut: 'its name stands for many models: channels list theirs one by one' };
  const upstream = prefix !== '' && prefix === provider ? whole.slice(slash + 1) : whole;
  if (upstream === '') return { leftOut: 'it names no model of its provider' };
  const address = withoutVersion(ownAddress || here.baseUrl || '');
  if (here.needsAddress && address === '') return { leftOut: `its provider ${provider} needs an address (api_base)` };
  const key = keyOf(here, params, textOf);
  if (key === undefined) return { leftOut: 'it has no key in the database: it is one of the environment of LiteLLM' };
  const changes: string[] = [];
  const rest = Object.entries(params).filter(([name, value]) => !understood.has(name) && value !== null && value !== false && value !== '');
  if (rest.length > 0) changes.push(`its parameters ${rest.map(([name]) => name).join(', ')} are left out`);
  return {
    channel: {
      ...{ type: here.type, key, base_url: address, other: here.key === 'vertex' ? textOf('vertex_location') : textOf('api_version') },
      models: model_name,
      model_mapping: upstream === model_name ? '' : JSON.stringify({ [model_name]: upstream }),
      own: { requests_per_minute: limitOf(params.rpm), tokens_per_minute: limitOf(params.tpm) },
    },
    changes,
    price: priceOf(params) ?? priceOf(model_info),
  };
}

/** LiteLLM's addresses of OpenAI's API end in the version, ours do not. */
function withoutVersion(address: string): string {
  return withoutEndSlashes(address).replace(/\/v1$/, '');
}

function keyOf(here: ProviderHere, params: Record<string, unknown>, textOf: (name: string) => string): string | undefined {
  if (here.key === 'aws') {
    const parts = ['aws_access_key_id', 'aws_secret_access_key', 'aws_region_name'].map(textOf);
    return parts.every((part) => part !== '') ? parts.join('|') : undefined;
  }
  if (here.key === 'vertex') {
    const credentials = params.vertex_credentials;
    return typeof credentials === 'object' && credentials !== null
      ? JSON.stringify(credentials)
      : textOf('vertex_credentials') || undefined;
  }
  const key = textOf('api_key');
  if (key.startsWith('os.environ/')) return undefined;
  return key || (here.type === 4 ? 'ollama' : undefined);
}

function priceOf({ input_cost_per_token: input, output_cost_per_token: output }: Record<string, unknown>): Price | undefined {
  if (typeof input !== 'number' || !(input > 0)) return undefined;
  return { input, output: typeof output === 'number' && output >= 0 ? output : undefined };
}
