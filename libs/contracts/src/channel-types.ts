import { z } from 'zod';
import data from './data/channel-types.json' with { type: 'json' };

const baseUrlNeed = z.strictObject({
  required: z.boolean(),
  meaning: z.string(),
  /** What the field is called when it is not simply the base URL. */
  label: z.string().optional(),
  labelZh: z.string().optional(),
  example: z.string().optional(),
});

const otherNeed = z.strictObject({
  label: z.string(),
  labelZh: z.string(),
  required: z.boolean(),
  default: z.string(),
  example: z.string(),
  /** `regions`: one region, or a JSON object of regions by model with one `default`. */
  format: z.enum(['string', 'regions']),
  meaning: z.string(),
});

const keyNeed = z.strictObject({
  /** `json`: one JSON object with `parts` as its fields, which may go over several lines; else one key a line. */
  format: z.enum(['opaque', 'pipe', 'dot', 'dash', 'json']),
  example: z.string(),
  parts: z.array(z.string()).optional(),
  separator: z.string().nullish(),
});

const channelTypeSchema = z.strictObject({
  type: z.int(),
  key: z.string().min(1),
  name: z.string().min(1),
  nameZh: z.string().min(1),
  /** `retired` ones the provider has switched off; `reserved` are numbers only. */
  status: z.enum(['active', 'legacy', 'retired', 'reserved', 'optional', 'newer']),
  /** Chooses the provider's constructor. */
  protocol: z.string().min(1),
  ownedBy: z.string(),
  /** '' when the channel must name one, or when it is derived. */
  defaultBaseUrl: z.string(),
  auth: z.string(),
  keyHint: z.string(),
  keyHintZh: z.string(),
  /** What the editor asks for besides the name. */
  needs: z.strictObject({
    base_url: baseUrlNeed.optional(),
    organization: z.strictObject({ required: z.boolean(), header: z.string() }).optional(),
    other: otherNeed.optional(),
    key: keyNeed,
  }),
  modes: z.array(z.string()),
  extraModes: z.array(z.string()),
  /** How the usage of a stream is had: by asking, unasked, by our own count, or there are no streams. */
  streamUsage: z.enum(['option', 'always', 'none']).nullable(),
  /** Whether an account can be asked what it has left. */
  tellsBalance: z.boolean().default(false),
  /** At its own address it has OpenAI's Responses beside chat completions. */
  speaksResponses: z.boolean().default(false),
  /** It knows the output limit by its old name, `max_tokens`, alone, and would not keep to the new one. */
  knowsMaxTokensOnly: z.boolean().default(false),
  /** Fields with a price of their own (`request-field-prices.json`) that it knows; others do not get them. */
  pricedFields: z.array(z.string()).default([]),
  models: z.array(z.string()),
  newerModels: z.array(z.string()),
  notes: z.string().optional(),
});

/** The family of a provider, as a number in a channel's `type`; it selects the adapter, nothing else looks at it. */
export type ChannelType = number;
export type ChannelTypeInfo = z.output<typeof channelTypeSchema>;

export const channelTypes: readonly ChannelTypeInfo[] = z.array(channelTypeSchema).parse(data);

const byNumber = new Map(channelTypes.map((info) => [info.type, info]));

/** What is known of a channel type; undefined for a number that is none. */
export function channelTypeInfo(type: ChannelType): ChannelTypeInfo | undefined {
  return byNumber.get(type);
}

/** The parts of a key in the form that its type wants; undefined when it has another. An opaque key is one part. */
export function keyPartsOf({ needs }: Pick<ChannelTypeInfo, 'needs'>, key: string): string[] | undefined {
  const { format, parts = [], separator } = needs.key;
  if (format === 'json') return membersOf(key, parts);
  if ((format !== 'pipe' && format !== 'dot') || !separator) return [key];
  const found = key.split(separator).map((part) => part.trim());
  return found.length === parts.length && found.every((part) => part !== '') ? found : undefined;
}

function membersOf(text: string, names: readonly string[]): string[] | undefined {
  try {
    const object = JSON.parse(text) as Record<string, unknown> | null;
    const values = names.map((name) => object?.[name]);
    return values.every((value) => typeof value === 'string' && value !== '') ? (values as string[]) : undefined;
  } catch {
    return undefined;
  }
}

/** The form of a key in words that need no translation. */
export function keyFormOf({ needs }: Pick<ChannelTypeInfo, 'needs'>): string {
  const { format, parts = [], separator } = needs.key;
  return format === 'json' ? `JSON {${parts.join(', ')}}` : parts.join(separator ?? '');
}
