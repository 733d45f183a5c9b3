import { z } from 'zod';
import { keyModes, mostKeysAtOnce } from '../channel-keys.ts';
import { channelSettings } from '../channel-settings.ts';
import { channelTypes } from '../channel-types.ts';
import { channelStatus, priorityRange, weightRange } from '../constants.ts';
import { isNestedTooDeeply, writtenLike } from '../json-text.ts';
import { limitDefaults, limitFields } from '../limits.ts';
import { withoutEndSlashes } from '../text-limits.ts';
import {
  commaList,
  expiryTime,
  headerText,
  isOneSelection,
  jsonObject,
  jsonObjectText,
  line,
  oneSelection,
  pageQuery,
  queryFlag,
  queryNumber,
  queryText,
  rowsOf,
  rowVersion,
} from './common.ts';

const knownTypes = new Set(channelTypes.map((info) => info.type));
const channelType = z.int().refine((type) => knownTypes.has(type), 'is not a known channel type');

/** What is stored is what was parsed and checked, whatever the text repeats or escapes. */
const asParsed = (text: string) => (text.trim() === '' ? '' : writtenLike(text, JSON.parse(text)));

const settingText = jsonObjectText
  .superRefine((text, context) => {
    if (text.trim() === '') return;
    if (isNestedTooDeeply(text)) return context.addIssue({ code: 'custom', message: 'is nested too deeply' });
    const parsed = channelSettings.safeParse(JSON.parse(text));
    for (const issue of parsed.error?.issues ?? []) context.addIssue({ ...issue, input: text } as z.core.$ZodRawIssue);
  })
  .transform(asParsed);

/** Without control characters, line breaks among them. */
const plainText = z.string().regex(/^\P{Cc}*$/u, 'may hold no invisible control characters');

const statusMapping = jsonObjectText
  .refine((text) => {
    if (text.trim() === '') return true;
    return Object.entries(JSON.parse(text) as Record<string, unknown>).every(
      ([from, to]) => /^[3-5]\d\d$/.test(from) && /^[3-5]\d\d$/.test(String(to)),
    );
  }, 'must map HTTP statuses from 300 to 599 to others')
  .transform(asParsed);

const modelMapping = jsonObject('Model mapping must be valid JSON')
  .refine(
    (text) =>
      text.trim() === '' ||
      Object.values(JSON.parse(text) as Record<string, unknown>).every((name) => typeof name === 'string' && name !== ''),
    'must map model names to model names',
  )
  .transform(asParsed);

const editable = {
  name: line.min(1).max(128),
  type: channelType,
  /** One key, or with several lines one channel a line; on an update '' keeps the stored key. */
  key: z.string().max(100_000),
  base_url: plainText.trim().max(1000).transform(withoutEndSlashes).nullable(),
  other: z.string().max(10_000),
  openai_organization: headerText.max(255).nullable(),
  models: commaList,
  group: commaList,
  /** The same as a list, as the product family's form holds it; counts where `group` is left out or empty. */
  groups: z.array(line.max(255)).max(1000).optional(),
  model_mapping: modelMapping.nullable(),
  status_code_mapping: statusMapping.nullable(),
  test_model: plainText.max(255).nullable(),
  auto_ban: z.union([z.literal(0), z.literal(1)]),
  priority: z.int().min(priorityRange.min).max(priorityRange.max),
  /** A negative one becomes 0. */
  weight: z
    .int()
    .max(weightRange.max)
    .overwrite((weight) => Math.max(weightRange.min, weight)),
  tag: line.max(128).nullable(),
  setting: settingText.nullable(),
  /** A request that is longer, by our estimate of its tokens, goes to the next channel; 0: none is. */
  max_input_tokens: z.int().min(0).max(1e9).nullable(),
  /** Past it the channel rests. */
  expired_time: expiryTime.nullable(),
  ...limitFields,
};

/** Clients of the product family send null for what they have not set: it is left out. What is to be nothing is '', 0 or -1. */
function orUnset<Value extends number | string>(field: z.ZodType<Value | null, Value | null>) {
  return field
    .nullable()
    .transform((value) => value ?? undefined)
    .optional();
}

function orDefault<Value extends number>(field: z.ZodType<Value, Value>, value: Value) {
  return field
    .nullable()
    .default(value)
    .transform((given) => given ?? value);
}

/** A text with at least one key. */
function withKey(text: z.ZodString) {
  return text.refine((key) => key.trim() !== '', 'a channel needs a key');
}

/** Body of POST /api/channel/. Fields that the product family's console sends along and nobody needs are dropped. */
export const createChannelBody = z.object({
  ...editable,
  key: withKey(editable.key),
  models: editable.models.refine((models) => models !== '', 'a channel needs at least one model'),
  /** Without any it is in `default`. */
  group: editable.group.default(''),
  base_url: editable.base_url.default(''),
  other: editable.other.default(''),
  openai_organization: editable.openai_organization.default(null),
  model_mapping: editable.model_mapping.default(null),
  status_code_mapping: editable.status_code_mapping.default(null),
  test_model: editable.test_model.default(null),
  auto_ban: orDefault(editable.auto_ban, 1),
  priority: orDefault(editable.priority, 0),
  weight: orDefault(editable.weight, 0),
  tag: editable.tag.default(null),
  setting: editable.setting.default(null),
  max_input_tokens: editable.max_input_tokens.default(0),
  expired_time: editable.expired_time.default(-1),
  ...limitDefaults,
});
export type CreateChannelBody = z.infer<typeof createChannelBody>;

/** How several keys in a request are meant. */
const manyKeys = {
  /** `batch`: a channel for each key; `multi_to_single`: one channel with all of them; `single`: there is one key. */
  mode: z.enum(['single', 'batch', 'multi_to_single']).default('batch'),
  multi_key_mode: z.enum(keyModes).optional(),
  /** With `batch`: the names of the channels end with the beginning of their key. */
  batch_add_set_key_prefix_2_name: z.boolean().default(false),
};

export const createChannelFields = createChannelBody.extend(manyKeys);

/** Body of POST /api/channel/: the flat one, or the product family's newer one, which holds the channel in `channel`. */
export const createChannelRequest = z.preprocess(flatBody, createChannelFields);
export type CreateChannelRequest = z.output<typeof createChannelRequest>;

function flatBody(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('channel' in body)) return body;
  const { channel, ...rest } = body;
  return typeof channel === 'object' && channel !== null ? { ...channel, ...rest } : body;
}

/** Body of PUT /api/channel/: only what is there changes. Only rules set the status 3; clients that send it back change nothing. */
export const updateChannelBody = z.object({
  id: z.int().positive(),
  version: rowVersion,
  ...z.object(editable).partial().shape,
  multi_key_mode: z
    .enum(keyModes)
    .nullish()
    .transform((mode) => mode ?? undefined),
  /** What becomes of the keys of a channel that has several when `key` names some: all are replaced, or these are added. */
  key_mode: z.enum(['replace', 'append', '']).nullish(),
  base_url: orUnset(editable.base_url),
  openai_organization: orUnset(editable.openai_organization),
  model_mapping: orUnset(editable.model_mapping),
  status_code_mapping: orUnset(editable.status_code_mapping),
  test_model: orUnset(editable.test_model),
  auto_ban: orUnset(editable.auto_ban),
  priority: orUnset(editable.priority),
  weight: orUnset(editable.weight),
  tag: orUnset(editable.tag),
  setting: orUnset(editable.setting),
  max_input_tokens: orUnset(editable.max_input_tokens),
  expired_time: orUnset(editable.expired_time),
  status: z
    .union([z.literal(channelStatus.enabled), z.literal(channelStatus.disabled), z.literal(channelStatus.autoDisabled)])
    .transform((status) => (status === channelStatus.autoDisabled ? undefined : status))
    .optional(),
});
export type UpdateChannelBody = z.infer<typeof updateChannelBody>;
/** As a caller may send it. */
export type UpdateChannelInput = z.input<typeof updateChannelBody>;

/** `group`, `type`, `status` and `tag` are whole ones, as the facets count them; `model` is a part of a name. '' and 0 filter nothing. */
export const channelFilters = z.object({
  keyword: queryText,
  group: queryText,
  model: queryText,
  type: queryNumber,
  status: queryNumber,
  tag: queryText,
  /** Only channels without a tag; in tag mode: those, too, as the last group. */
  untagged: queryFlag,
});
export type ChannelFilters = z.infer<typeof channelFilters>;

export const listChannelsQuery = pageQuery.extend({
  ...channelFilters.shape,
  id_sort: queryFlag,
  tag_mode: queryFlag,
});
export type ListChannelsQuery = z.infer<typeof listChannelsQuery>;

const channelIds = z.array(z.int().positive()).min(1).max(1000);

/** Body of POST /api/channel/batch: the channels to delete. */
export const channelIdsBody = z.object({ ids: channelIds });
/** Body of POST /api/channel/batch/tag; null or '' takes the tag away. */
export const tagChannelsBody = z.object({ ids: channelIds, tag: line.max(128).nullish() });
/** Body of POST /api/channel/tag/enabled and /disabled. */
export const tagBody = z.object({ tag: line.min(1).max(128) });

/** Body of PUT /api/channel/tag: what is absent or null stays; `new_tag` '' dissolves the tag. */
export const updateTagBody = z.object({
  tag: tagBody.shape.tag,
  new_tag: line.max(128).nullish(),
  priority: editable.priority.nullish(),
  weight: z.int().min(weightRange.min).max(weightRange.max).nullish(),
  model_mapping: modelMapping.nullish(),
  models: commaList.nullish(),
  groups: commaList.nullish(),
});
export type UpdateTagBody = z.infer<typeof updateTagBody>;

const keyIds = z.array(z.int().positive()).min(1).max(mostKeysAtOnce);

/** Body of POST /api/channel/:id/keys: one key a line, or a JSON array of keys. Keys that the channel has already are passed over. */
export const addKeysBody = z.object({
  key: withKey(z.string().max(1_000_000)),
  /** Of the new keys; with several, a number follows it. */
  name: line.max(64).default(''),
});
export type AddKeysBody = z.infer<typeof addKeysBody>;

/** Body of PUT /api/channel/:id/keys. */
export const patchKeysBody = z.object({
  ids: keyIds,
  set: z
    .object({
      status: z.union([z.literal(channelStatus.enabled), z.literal(channelStatus.disabled)]),
      name: line.max(64),
      /** Takes the place of one key, under a new id. */
      key: withKey(editable.key),
    })
    .partial()
    .refine((set) => Object.keys(set).length > 0, 'nothing to change'),
});
export type PatchKeysBody = z.infer<typeof patchKeysBody>;

/** Body of POST /api/channel/:id/keys/delete. */
export const keyIdsBody = z.object({ ids: keyIds });

export const listKeysQuery = pageQuery.extend({ status: queryNumber });
export type ListKeysQuery = z.infer<typeof listKeysQuery>;

/** Body of POST /api/channel/fetch_models: the models of an upstream that is no channel yet. */
export const fetchModelsBody = z.object({
  type: channelType,
  key: editable.key.refine((key) => key.trim() !== '', 'is needed to ask for the models'),
  base_url: plainText.trim().max(1000).transform(withoutEndSlashes).default(''),
});
export type FetchModelsBody = z.infer<typeof fetchModelsBody>;

const wholeNumber = z.int().min(0).default(0);

/** The filters of the list as a bulk edit has them. One that is misspelt is refused: without it the edit would be of more. */
export const channelSelection = z.strictObject({
  keyword: queryText,
  group: queryText,
  model: queryText,
  type: wholeNumber,
  status: wholeNumber,
  tag: queryText,
  untagged: z.boolean().default(false),
});

/** Body of PUT /api/channel/batch: `set` is put on every channel, whatever it had there. Keys and addresses are each channel's own. */
export const patchChannelsBody = z
  .object({
    ...rowsOf(channelSelection),
    set: z
      .object({
        status: z.union([z.literal(channelStatus.enabled), z.literal(channelStatus.disabled)]),
        priority: editable.priority,
        weight: editable.weight,
        tag: editable.tag,
        group: editable.group.refine((names) => names !== '', 'a channel needs at least one group'),
        models: editable.models.refine((names) => names !== '', 'a channel needs at least one model'),
        model_mapping: editable.model_mapping,
        test_model: editable.test_model,
        auto_ban: editable.auto_ban,
        max_input_tokens: editable.max_input_tokens,
        expired_time: editable.expired_time,
        ...limitFields,
      })
      .partial()
      .refine((set) => Object.keys(set).length > 0, 'nothing to change'),
  })
  .refine(isOneSelection, oneSelection);
export type PatchChannelsBody = z.infer<typeof patchChannelsBody>;
