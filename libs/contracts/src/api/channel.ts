import { z } from 'zod';
import { channelTypes } from '../channel-types.ts';
import { channelStatus, priorityRange, weightRange } from '../constants.ts';
import { withoutEndSlashes } from '../text-limits.ts';
import { commaList, jsonObjectText, line, pageQuery, queryFlag, queryText, rowVersion } from './common.ts';

const knownTypes = new Set(channelTypes.map((info) => info.type));
const channelType = z.int().refine((type) => knownTypes.has(type), 'is not a known channel type');

/** What a stream's rest is worth when its caller leaves: read on for the provider's count, or cut at once. */
export const abortPolicies = ['drain', 'cancel'] as const;

/** A channel's extra settings, a JSON text on the wire. */
export const channelSettings = z.strictObject({
  force_format: z.boolean().optional(),
  thinking_to_content: z.boolean().optional(),
  /** http, https or socks5 address of a proxy for this channel's calls. */
  proxy: z.string().max(500).optional(),
  on_abort: z.enum(abortPolicies).optional(),
});
export type ChannelSettings = z.infer<typeof channelSettings>;

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

export const listChannelsQuery = pageQuery.extend({
  keyword: queryText,
  group: queryText,
  model: queryText,
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

/** A channel as the console shows it. There is no key in it. */
export interface ChannelView {
  id: number;
  type: number;
  name: string;
  status: number;
  base_url: string;
  other: string;
  openai_organization: string | null;
  models: string;
  group: string;
  model_mapping: string | null;
  status_code_mapping: string | null;
  test_model: string | null;
  auto_ban: number;
  priority: number;
  weight: number;
  tag: string | null;
  setting: string | null;
  used_quota: number;
  balance: number;
  balance_updated_time: number;
  created_time: number;
  test_time: number;
  /** In ms; 0 when never tested. */
  response_time: number;
  /** Why the last test failed; '' when it did not, and before the first. */
  test_error: string;
  /** JSON text with `status_reason` and `status_time`, when a rule changed the status. */
  other_info: string;
  version: number;
}
