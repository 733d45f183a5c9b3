import { unpacked } from '@tollgate/db';
import { z } from 'zod';

/** Databases give whole numbers as numbers, bigints, texts or booleans; NULL counts as `none`. */
function whole(none = 0) {
  return z
    .union([z.number(), z.bigint(), z.string().regex(/^-?\d+$/), z.boolean(), z.enum(['t', 'f', 'true', 'false'])])
    .nullish()
    .transform((value) => {
      if (value === null || value === undefined) return none;
      if (value === 't' || value === 'true') return 1;
      return value === 'f' || value === 'false' ? 0 : Number(value);
    })
    .pipe(z.int());
}

const decimal = z
  .union([z.number(), z.bigint(), z.string()])
  .nullish()
  .transform((value) => Number(value ?? 0))
  .pipe(z.number());

/** Blanks at the end are PostgreSQL's, which fills CHAR columns with them. */
const text = z
  .union([z.string(), z.instanceof(Uint8Array)])
  .nullish()
  .transform((value) => (typeof value === 'string' ? value : Buffer.from(value ?? []).toString()).trimEnd());

const isDeleted = z
  .unknown()
  .optional()
  .transform((value) => value !== null && value !== undefined && value !== '');

/** Fields as they are stored here, which our own exports and readers of other products' databases add. */
const own = text.transform((packed, context) => {
  try {
    return unpacked(packed);
  } catch {
    context.addIssue({ code: 'custom', message: 'is no JSON object' });
    return z.NEVER;
  }
});

/** `ref` is the id of a product whose ids are no numbers. */
const extra = { ref: text, own };

/** By what a row of the source is known from one run to the next. */
export function refOf({ id, ref }: { id: number; ref: string }): string {
  return ref || String(id);
}

/** https://github.com/QuantumNous/new-api/blob/main/model/user.go, https://github.com/songquanpeng/one-api/blob/main/model/user.go */
export const sourceUser = z.object({
  ...extra,
  id: whole(),
  username: text,
  password: text,
  display_name: text,
  role: whole(1),
  status: whole(1),
  email: text,
  github_id: text,
  wechat_id: text,
  telegram_id: text,
  linux_do_id: text,
  oidc_id: text,
  lark_id: text,
  discord_id: text,
  access_token: text,
  quota: whole(),
  used_quota: whole(),
  group: text,
  aff_code: text,
  aff_count: whole(),
  aff_quota: whole(),
  aff_history: whole(),
  inviter_id: whole(),
  setting: text,
  created_at: whole(),
  deleted_at: isDeleted,
});
export type SourceUser = z.output<typeof sourceUser>;

/** `models` and `subnet` are one-api's, `model_limits`, `allow_ips` and `group` new-api's. */
export const sourceToken = z.object({
  ...extra,
  /** SHA-256 of the key as callers send it, where the source does not store the key. */
  key_hash: text,
  id: whole(),
  user_id: whole(),
  key: text,
  status: whole(1),
  name: text,
  created_time: whole(),
  expired_time: whole(-1),
  remain_quota: whole(),
  unlimited_quota: whole(),
  used_quota: whole(),
  models: text,
  subnet: text,
  model_limits_enabled: whole(),
  model_limits: text,
  allow_ips: text,
  group: text,
  deleted_at: isDeleted,
});
export type SourceToken = z.output<typeof sourceToken>;

export const sourceChannel = z.object({
  ...extra,
  id: whole(),
  type: whole(),
  key: text,
  status: whole(1),
  name: text,
  weight: whole(),
  created_time: whole(),
  base_url: text,
  other: text,
  models: text,
  group: text,
  model_mapping: text,
  status_code_mapping: text,
  priority: whole(),
  auto_ban: whole(1),
  open_ai_organization: text,
  test_model: text,
  tag: text,
  setting: text,
  settings: text,
  param_override: text,
  header_override: text,
  channel_info: text,
  deleted_at: isDeleted,
  config: text,
  system_prompt: text,
});
export type SourceChannel = z.output<typeof sourceChannel>;

export const sourceCode = z.object({
  id: whole(),
  user_id: whole(),
  key: text,
  status: whole(1),
  name: text,
  quota: whole(),
  created_time: whole(),
  redeemed_time: whole(),
  used_user_id: whole(),
  expired_time: whole(),
  deleted_at: isDeleted,
});
export type SourceCode = z.output<typeof sourceCode>;

export const sourceTopUp = z.object({
  own,
  id: whole(),
  user_id: whole(),
  amount: whole(),
  money: decimal,
  trade_no: text,
  create_time: whole(),
  complete_time: whole(),
  status: text,
  payment_method: text,
  payment_provider: text,
});
export type SourceTopUp = z.output<typeof sourceTopUp>;

/** `elapsed_time` (ms) is one-api's, `use_time` (s) new-api's. */
export const sourceLog = z.object({
  ...extra,
  id: whole(),
  user_id: whole(),
  created_at: whole(),
  type: whole(),
  content: text,
  username: text,
  token_name: text,
  model_name: text,
  quota: whole(),
  prompt_tokens: whole(),
  completion_tokens: whole(),
  use_time: whole(),
  elapsed_time: whole(),
  is_stream: whole(),
  group: text,
});
export type SourceLog = z.output<typeof sourceLog>;

/** The usage of one account and model in a span of time. */
export const sourceUsage = z.object({
  user_id: whole(),
  model_name: text,
  calls: whole(),
  prompt: whole(),
  completion: whole(),
  quota: whole(),
});

/** https://github.com/QuantumNous/new-api/blob/main/model/twofa.go */
export const sourceSecondStep = z.object({ user_id: whole(), secret: text, is_enabled: whole() });

/** `subject_id`: the id at the source of a token or user, or the name of a group. */
export const sourceBudget = z.object({ id: whole(), ref: text, subject: text, subject_id: text, own });
export type SourceBudget = z.output<typeof sourceBudget>;

export const sourcePasskey = z.object({ id: whole(), user_id: whole(), own });

export const sourceOption = z.object({ key: text, value: text });
