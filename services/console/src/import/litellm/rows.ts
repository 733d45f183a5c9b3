import { z } from 'zod';
import type { Source } from '../source.ts';

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const amount = z.number().nullish();
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value === true);
const names = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? []);
const fields = z
  .record(z.string(), z.unknown())
  .nullish()
  .catch({})
  .transform((value) => value ?? {});
/** Timestamps have no zone and are UTC. */
const time = z
  .string()
  .nullish()
  .transform((value) => (value ? Math.floor(Date.parse(/[zZ]|[+-]\d\d:\d\d$/.test(value) ? value : `${value}Z`) / 1000) : 0))
  .pipe(z.number());

const limits = {
  max_budget: amount,
  budget_duration: text,
  max_parallel_requests: amount,
  tpm_limit: amount,
  rpm_limit: amount,
  tpd_limit: amount,
};

/** https://github.com/BerriAI/litellm/blob/main/schema.prisma, read 2026-11-27 (1.110.2). Older releases lack some columns. */
export const litellmBudget = z.object({ budget_id: z.string(), ...limits, soft_budget: amount, model_max_budget: fields });
export type LitellmBudget = z.output<typeof litellmBudget>;

export const litellmTeam = z.object({
  team_id: z.string(),
  team_alias: text,
  ...limits,
  spend: amount,
  models: names,
  blocked: flag,
  model_max_budget: fields,
  created_at: time,
});
export type LitellmTeam = z.output<typeof litellmTeam>;

export const litellmUser = z.object({
  user_id: z.string(),
  user_alias: text,
  user_email: text,
  user_role: text,
  password: text,
  ...limits,
  spend: amount,
  models: names,
  model_max_budget: fields,
  created_at: time,
});
export type LitellmUser = z.output<typeof litellmUser>;

export const litellmKey = z.object({
  token: z.string(),
  key_name: text,
  key_alias: text,
  spend: amount,
  total_spend: amount,
  expires: time,
  models: names,
  user_id: text,
  team_id: text,
  blocked: flag,
  ...limits,
  model_max_budget: fields,
  allowed_routes: names,
  permissions: fields,
  policies: names,
  aliases: fields,
  budget_id: text,
  created_at: time,
});
export type LitellmKey = z.output<typeof litellmKey>;

export const litellmModel = z.object({
  model_id: z.string(),
  model_name: z.string(),
  litellm_params: fields,
  model_info: fields,
  blocked: flag,
  created_at: time,
});
export type LitellmModel = z.output<typeof litellmModel>;

export const litellmCredential = z.object({ credential_name: z.string(), credential_values: fields });

const rowsAtOnce = 500;

/** All rows of a table, a page at a time by its text key, each as one JSON object: columns that a release lacks are simply not in it. */
export async function* rowsOf(source: Source, table: string, key: string): AsyncGenerator<unknown> {
  if (!source.tables.get(table)?.has(key)) return;
  for (let last = ''; ; ) {
    const rows = await source.select(
      `SELECT t."${key}" AS "last", row_to_json(t)::text AS "row" FROM "${table}" t WHERE t."${key}" > ? ORDER BY t."${key}" LIMIT ${rowsAtOnce}`,
      [last],
    );
    for (const { row } of rows) yield JSON.parse(String(row));
    const newest = rows.at(-1);
    if (newest === undefined) return;
    last = String(newest.last);
  }
}
