import { z } from 'zod';
import { channelSettings } from '../channel-settings.ts';
import { channelTypes } from '../channel-types.ts';
import { channelStatus, priorityRange, weightRange } from '../constants.ts';
import { limitDefaults, limitFields } from '../limits.ts';
import { withoutEndSlashes } from '../text-limits.ts';
import {
  bulkResult,
  commaList,
  expiryTime,
  isOneSelection,
  jsonObjectText,
  line,
  oneSelection,
  pageQuery,
  pageView,
  queryFlag,
  queryNumber,
  queryText,
  rowsOf,
  rowVersion,
} from './common.ts';
import { route } from './route.ts';

const knownTypes = new Set(channelTypes.map((info) => info.type));
const channelType = z.int().refine((type) => knownTypes.has(type), 'is not a known channel type');

const settingText = jsonObjectText.superRefine((text, context) => {
  if (text.trim() === '') return;
  const parsed = channelSettings.safeParse(JSON.parse(text));
  if (!parsed.success) context.addIssue({ code: 'custom', message: z.prettifyError(parsed.error) });
});

const statusMapping = jsonObjectText.refine((text) => {
  if (text.trim() === '') return true;
  return Object.entries(JSON.parse(text) as Record<string, unknown>).every(
    ([from, to]) => /^[3-5]\d\d$/.test(from) && /^[3-5]\d\d$/.test(String(to)),
  );
}, 'must map HTTP statuses from 300 to 599 to others');

const modelMapping = jsonObjectText.refine(
  (text) =>
    text.trim() === '' ||
    Object.values(JSON.parse(text) as Record<string, unknown>).every((name) => typeof name === 'string' && name !== ''),
  'must map model names to model names',
);

const editable = {
  name: line.min(1).max(128),
  type: channelType,
  /** One key, or with several lines one channel a line; on an update '' keeps the stored key. */
  key: z.string().max(100_000),
  base_url: z.string().trim().max(1000).transform(withoutEndSlashes).nullable(),
  other: z.string().max(10_000),
  openai_organization: z.string().max(255).nullable(),
  models: commaList,
  group: commaList,
  model_mapping: modelMapping.nullable(),
  status_code_mapping: statusMapping.nullable(),
  test_model: z.string().max(255).nullable(),
  auto_ban: z.union([z.literal(0), z.literal(1)]),
  priority: z.int().min(priorityRange.min).max(priorityRange.max),
  weight: z.int().min(weightRange.min).max(weightRange.max),
  tag: line.max(128).nullable(),
  setting: settingText.nullable(),
  /** A request that is longer, by our estimate of its tokens, goes to the next channel; 0: none is. */
  max_input_tokens: z.int().min(0).max(1e9).nullable(),
  /** Past it the channel rests. */
  expired_time: expiryTime.nullable(),
  ...limitFields,
};

/** Body of POST /api/channel/. Fields that the product family's console sends along and nobody needs are dropped. */
export const createChannelBody = z.object({
  ...editable,
  key: editable.key.refine((key) => key.trim() !== '', 'a channel needs a key'),
  models: editable.models.refine((models) => models !== '', 'a channel needs at least one model'),
  group: editable.group.default('default').transform((group) => group || 'default'),
  base_url: editable.base_url.default(''),
  other: editable.other.default(''),
  openai_organization: editable.openai_organization.default(null),
  model_mapping: editable.model_mapping.default(null),
  status_code_mapping: editable.status_code_mapping.default(null),
  test_model: editable.test_model.default(null),
  auto_ban: editable.auto_ban.default(1),
  priority: editable.priority.default(0),
  weight: editable.weight.default(0),
  tag: editable.tag.default(null),
  setting: editable.setting.default(null),
  max_input_tokens: editable.max_input_tokens.default(0),
  expired_time: editable.expired_time.default(-1),
  ...limitDefaults,
});
export type CreateChannelBody = z.infer<typeof createChannelBody>;

/** Body of PUT /api/channel/: only what is there changes. Only rules set the status 3; clients that send it back change nothing. */
export const updateChannelBody = z.object({
  id: z.int().positive(),
  version: rowVersion,
  ...z.object(editable).partial().shape,
  status: z
    .union([z.literal(channelStatus.enabled), z.literal(channelStatus.disabled), z.literal(channelStatus.autoDisabled)])
    .transform((status) => (status === channelStatus.autoDisabled ? undefined : status))
    .optional(),
});
export type UpdateChannelBody = z.infer<typeof updateChannelBody>;

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
  weight: editable.weight.nullish(),
  model_mapping: modelMapping.nullish(),
  models: commaList.nullish(),
  groups: commaList.nullish(),
});
export type UpdateTagBody = z.infer<typeof updateTagBody>;

/** Body of POST /api/channel/fetch_models: the models of an upstream that is no channel yet. */
export const fetchModelsBody = z.object({
  type: channelType,
  key: editable.key.refine((key) => key.trim() !== '', 'is needed to ask for the models'),
  base_url: z.string().trim().max(1000).transform(withoutEndSlashes).default(''),
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

const counted = { count: z.number(), enabled: z.number() };

/** What channels can be told apart by, and how many there are of each, the most first. */
export const channelFacets = z.object({
  total: z.number(),
  types: z.array(z.object({ type: z.number(), ...counted })),
  statuses: z.array(z.object({ status: z.number(), count: z.number() })),
  groups: z.array(z.object({ name: z.string(), ...counted })),
  /** With what their channels have served, and the models they have together. */
  tags: z.array(z.object({ name: z.string(), ...counted, used_quota: z.number(), models: z.number() })),
  untagged: z.number(),
  models: z.array(z.object({ name: z.string(), ...counted })),
});
export type ChannelFacets = z.infer<typeof channelFacets>;

/** So many tests of a channel are remembered. */
export const testsKept = 50;

export const channelTestView = z.object({
  time: z.number(),
  model: z.string(),
  /** In ms. */
  response_time: z.number(),
  /** Why it failed, in English; '' when it did not. */
  error: z.string(),
});
export type ChannelTestView = z.infer<typeof channelTestView>;

/** The test of all channels that runs, or ran last. Times are unix seconds; 0: not yet. */
export const channelTestsView = z.object({
  /** It runs or waits; meanwhile another one is refused. */
  running: z.boolean(),
  total: z.number(),
  tested: z.number(),
  failed: z.number(),
  started_time: z.number(),
  ended_time: z.number(),
});
export type ChannelTestsView = z.infer<typeof channelTestsView>;

/** A channel as the console shows it. There is no key in it. */
export const channelView = z.object({
  id: z.number(),
  type: z.number(),
  name: z.string(),
  status: z.number(),
  base_url: z.string(),
  other: z.string(),
  openai_organization: z.string().nullable(),
  models: z.string(),
  group: z.string(),
  model_mapping: z.string().nullable(),
  status_code_mapping: z.string().nullable(),
  test_model: z.string().nullable(),
  auto_ban: z.number(),
  priority: z.number(),
  weight: z.number(),
  tag: z.string().nullable(),
  setting: z.string().nullable(),
  max_input_tokens: z.number(),
  expired_time: z.number(),
  ...limitFields,
  used_quota: z.number(),
  balance: z.number(),
  balance_updated_time: z.number(),
  created_time: z.number(),
  test_time: z.number(),
  /** In ms; 0 when never tested. */
  response_time: z.number(),
  /** Why the last test failed; '' when it did not, and before the first. */
  test_error: z.string(),
  /** JSON text with `status_reason` and `status_time`, when a rule changed the status, or its time has come. */
  other_info: z.string(),
  version: z.number(),
});
export type ChannelView = z.infer<typeof channelView>;

const count = z.number();
const modelNames = z.array(z.string());
/** In the shape of OpenAI's list of models. */
export const knownModel = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.number(),
  owned_by: z.string(),
  permission: z.array(z.unknown()),
  root: z.string(),
  parent: z.null(),
});
export type KnownModel = z.infer<typeof knownModel>;

export const channelRoutes = {
  'GET /api/channel': route({ summary: 'Channels', access: 'admin', query: listChannelsQuery, answer: pageView(channelView) }),
  'GET /api/channel/search': route({
    summary: 'Channels by id, key, a part of the name or base URL, group and model',
    access: 'admin',
    query: listChannelsQuery,
    answer: pageView(channelView),
    example: { query: { keyword: 'main', group: 'default', model: 'gpt' } },
  }),
  'GET /api/channel/facets': route({
    summary: 'Types, groups, tags and models of all channels, with counts',
    access: 'admin',
    answer: channelFacets,
  }),
  'GET /api/channel/models': route({ summary: 'The models that channels can have', access: 'admin', answer: z.array(knownModel) }),
  'GET /api/channel/fetch_models/:id': route({
    summary: 'The models that the upstream of a channel has',
    access: 'admin',
    answer: modelNames,
    example: { params: { id: 1 } },
  }),
  'POST /api/channel/fetch_models': route({
    summary: 'The models of an upstream that is no channel yet',
    access: 'admin',
    body: fetchModelsBody,
    answer: modelNames,
    unaudited: 'it asks an upstream and changes nothing',
    example: { body: { type: 1, key: 'sk-example', base_url: 'https://upstream.example' } },
  }),
  'GET /api/channel/test': route({ summary: 'Starts a test of all channels', access: 'admin' }),
  'GET /api/channel/test/progress': route({
    summary: 'How far the test of all channels has come that runs, or ran last',
    access: 'admin',
    answer: channelTestsView,
  }),
  'GET /api/channel/test/:id': route({
    summary: 'Sends a small question through a channel; answers the seconds that it took',
    access: 'admin',
    query: z.object({ model: queryText }),
    beside: z.object({ time: z.number() }),
    example: { params: { id: 1 } },
  }),
  'GET /api/channel/update_balance': route({
    summary: 'Asks for the balances of all channels; answers how many told',
    access: 'admin',
    answer: count,
  }),
  'GET /api/channel/update_balance/:id': route({
    summary: "Asks a channel's provider what the account has left, in US dollars",
    access: 'admin',
    beside: z.object({ balance: z.number() }),
    example: { params: { id: 1 } },
  }),
  'DELETE /api/channel/disabled': route({ summary: 'Deletes the channels that are switched off', access: 'admin', answer: count }),
  'POST /api/channel/batch': route({
    summary: 'Deletes channels; answers how many there were',
    access: 'admin',
    body: channelIdsBody,
    answer: count,
    example: { body: { ids: [1, 2] } },
  }),
  'POST /api/channel/batch/tag': route({
    summary: 'Puts a tag on channels, or takes it away',
    access: 'admin',
    body: tagChannelsBody,
    answer: count,
    example: { body: { ids: [1, 2], tag: 'spare' } },
  }),
  'PUT /api/channel/batch': route({
    summary: 'Changes many channels alike: those named, or all that a filter leaves',
    access: 'admin',
    body: patchChannelsBody,
    answer: bulkResult,
    example: { body: { filter: { tag: 'main' }, set: { priority: 3 } } },
  }),
  'POST /api/channel/fix': route({
    summary: 'Has every relay read the channels again; answers how many there are',
    access: 'admin',
    answer: count,
    unaudited: 'it changes nothing',
  }),
  'PUT /api/channel/tag': route({
    summary: 'Changes all channels of a tag alike',
    access: 'admin',
    body: updateTagBody,
    example: { body: { tag: 'main', priority: 5 } },
  }),
  'POST /api/channel/tag/enabled': route({
    summary: 'Switches the channels of a tag on',
    access: 'admin',
    body: tagBody,
    example: { body: { tag: 'main' } },
  }),
  'POST /api/channel/tag/disabled': route({
    summary: 'Switches the channels of a tag off',
    access: 'admin',
    body: tagBody,
    example: { body: { tag: 'main' } },
  }),
  'GET /api/channel/:id': route({ summary: 'One channel', access: 'admin', answer: channelView, example: { params: { id: 1 } } }),
  'GET /api/channel/:id/tests': route({
    summary: 'The last tests of a channel, the newest first',
    access: 'admin',
    answer: z.array(channelTestView),
    example: { params: { id: 1 } },
  }),
  'POST /api/channel/:id/copy': route({
    summary: 'Copies a channel, key and all',
    access: 'admin',
    answer: channelView,
    example: { params: { id: 1 } },
  }),
  'POST /api/channel': route({
    summary: 'Makes a channel, or one for each line of the key',
    access: 'admin',
    body: createChannelBody,
    answer: z.array(channelView),
    example: {
      body: {
        name: 'main',
        type: 1,
        key: 'sk-example',
        base_url: 'https://upstream.example',
        models: 'gpt-4o,gpt-4o-mini',
        group: 'default',
      },
    },
  }),
  'PUT /api/channel': route({
    summary: 'Changes what the body names of a channel',
    access: 'admin',
    body: updateChannelBody,
    answer: channelView,
    example: { body: { id: 1, priority: 7 } },
  }),
  'DELETE /api/channel/:id': route({ summary: 'Deletes a channel', access: 'admin', example: { params: { id: 1 } } }),
};
