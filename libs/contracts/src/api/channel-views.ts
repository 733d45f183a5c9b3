import { z } from 'zod';
import { keyModes } from '../channel-keys.ts';
import { limitFields } from '../limits.ts';

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

const byPlace = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value);

/** In the shape of the product family: a key is named by its place in the list, from 0. Enabled keys are left out of the maps. */
const channelInfo = z.object({
  is_multi_key: z.boolean(),
  multi_key_size: z.number(),
  multi_key_status_list: byPlace(z.number()),
  multi_key_disabled_reason: byPlace(z.string()).optional(),
  multi_key_disabled_time: byPlace(z.number()).optional(),
  multi_key_polling_index: z.number(),
  multi_key_mode: z.enum(keyModes),
});

/** One key of a channel: never the key itself. */
export const channelKeyView = z.object({
  id: z.number(),
  name: z.string(),
  /** Its last characters; '' where it is too short to show any. */
  tail: z.string(),
  status: z.number(),
  /** Why a rule disabled it. */
  reason: z.string(),
  /** Why the relays leave it alone for now, and until when (unix seconds); null: they do not. */
  resting: z.object({ reason: z.enum(['refused', 'limited', 'failing']), model: z.string(), until: z.number() }).nullable(),
  created_time: z.number(),
  changed_time: z.number(),
  /** Attempts of the last 7 days, those of them that failed, how long answers took on an average in ms, and what was charged. */
  calls: z.number(),
  failures: z.number(),
  average_ms: z.number(),
  used_quota: z.number(),
});
export type ChannelKeyView = z.infer<typeof channelKeyView>;

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
  channel_info: channelInfo,
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
