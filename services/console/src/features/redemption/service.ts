import { randomBytes } from 'node:crypto';
import {
  type CreateRedemptionsBody,
  type ListRedemptionsQuery,
  type OptionValues,
  type Page,
  type RedemptionView,
  redemptionStatus,
  type UpdateRedemptionBody,
} from '@tollgate/contracts';
import { nextId, Redemption, type RedemptionDoc, seal, sealedDigest, sealedDigests, unseal } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { type Said, undoable } from '../../http/answer.ts';
import { viewsOf } from '../../http/export.ts';
import { holds, listTimeoutMs, pageOf, rowsAndTotal, sliceOf } from '../../http/page.ts';
import { changeRow } from '../../row-change.ts';
import { keepUndo } from '../../undo/keep-undo.ts';

type RedemptionRow = RedemptionDoc & { _id: unknown };

export async function listRedemptions(query: ListRedemptionsQuery): Promise<Page<RedemptionView>> {
  const filter = await filterOf(query);
  const slice = sliceOf(query);
  const { rows, total } = await rowsAndTotal(
    slice,
    (limit) => Redemption.find(filter).sort({ id: -1 }).skip(slice.skip).limit(limit).maxTimeMS(listTimeoutMs).lean(),
    (limits) => Redemption.countDocuments(filter, limits),
  );
  return pageOf(slice, rows.map(redemptionView), total);
}

/** All of them, for an export. */
export async function redemptionRows(query: Pick<ListRedemptionsQuery, 'keyword'>): Promise<AsyncGenerator<RedemptionView>> {
  return viewsOf(
    Redemption.find(await filterOf(query))
      .sort({ id: -1 })
      .lean()
      .cursor(),
    (rows) => rows.map(redemptionView),
  );
}

async function filterOf({ keyword }: Pick<ListRedemptionsQuery, 'keyword'>): Promise<Record<string, unknown>> {
  return { deletedAt: null, ...(keyword !== '' && { $or: await matching(keyword) }) };
}

/** A whole code is looked up before, so that what remains can be told by the keys of one index. */
async function matching(keyword: string): Promise<Record<string, unknown>[]> {
  const ofCode = await Redemption.findOne({ keyDigest: { $in: codeDigests(keyword) } })
    .select('id')
    .lean();
  const ids = [...(ofCode ? [ofCode.id] : []), ...(/^\d{1,15}$/.test(keyword) ? [Number(keyword)] : [])];
  return [{ name: holds(keyword) }, ...(ids.length > 0 ? [{ id: { $in: ids } }] : [])];
}

export async function getRedemption(id: number): Promise<RedemptionView> {
  return redemptionView(await redemptionRow(id));
}

/** Makes codes of 32 hexadecimal digits, and answers them. */
export async function createRedemptions(
  { options }: Pick<Context, 'options'>,
  { name: given, quota, count }: CreateRedemptionsBody,
  actor: Caller,
): Promise<string[]> {
  const name = given || worthOf(quota, options.values);
  const firstId = await nextId('redemptions', count);
  const codes = Array.from({ length: count }, () => randomBytes(16).toString('hex'));
  const createdAt = new Date();
  await Redemption.insertMany(
    codes.map((code, index) => ({
      id: firstId + index,
      userId: actor.id,
      name,
      quota,
      createdAt,
      keyDigest: codeDigest(code),
      keySealed: seal(code, `redemption:${firstId + index}:key`),
    })),
  );
  const target = count === 1 ? `redemption:${firstId}` : `redemption:${firstId}-${firstId + count - 1}`;
  await audit(actor, 'redemption.create', target, { after: { name, quota, count } });
  return codes;
}

/** Changes what the body names. A used code is history; a disabled one can only be enabled. */
export async function updateRedemption(body: UpdateRedemptionBody, actor: Caller): Promise<RedemptionView> {
  const { before, after, changed } = await changeRow<RedemptionRow>(Redemption, {
    read: () => redemptionRow(body.id),
    fields: (row) => {
      const { name = row.name, quota = row.quota, status = row.status } = body;
      if (row.status === redemptionStatus.used) throw new AppError('redemption_code_used');
      const isEdited = name !== row.name || quota !== row.quota;
      if (isEdited && row.status !== redemptionStatus.unused) throw new AppError('redemption_code_disabled');
      return { name, quota, status };
    },
    editing: { seen: body.version, view: async (row) => redemptionView(row) },
  });
  if (changed.length > 0) await audit(actor, 'redemption.update', `redemption:${body.id}`, { before: shown(before), after: shown(after) });
  return redemptionView(after);
}

/** Takes a code out of the lists; nobody can redeem it any more. */
export async function deleteRedemption(id: number, actor: Caller): Promise<Said<undefined>> {
  const action = 'redemption.delete';
  const change = await changeRow<RedemptionRow>(Redemption, { read: () => redemptionRow(id), fields: () => ({ deletedAt: new Date() }) });
  await audit(actor, action, `redemption:${id}`, { before: shown(change.before) });
  return undoable(undefined, await keepUndo(actor, { action, kind: 'redemption', changed: [change] }));
}

/** As the console shows a quota: in dollars, or without a currency as a compact number. */
function worthOf(quota: number, { DisplayInCurrencyEnabled, QuotaPerUnit }: OptionValues): string {
  if (DisplayInCurrencyEnabled) return `$${(quota / QuotaPerUnit).toFixed(2)}`;
  if (quota >= 1e9) return `${(quota / 1e9).toFixed(1)}B`;
  if (quota >= 1e6) return `${(quota / 1e6).toFixed(1)}M`;
  return quota >= 1e4 ? `${(quota / 1e3).toFixed(1)}k` : String(quota);
}

const digestPurpose = 'redemption code';

export function codeDigest(code: string): string {
  return sealedDigest(code, digestPurpose);
}

/** Under each master key that is set: a code that was made under an older one is found, too. */
export function codeDigests(code: string): string[] {
  return sealedDigests(code, digestPurpose);
}

async function redemptionRow(id: number): Promise<RedemptionRow> {
  const row = await Redemption.findOne({ id, deletedAt: null }).lean();
  if (!row) throw new AppError('record_not_found');
  return row;
}

/** What the audit log may show of a code: not the code. */
function shown({ name, quota, status }: RedemptionDoc): object {
  return { name, quota, status };
}

function redemptionView(row: RedemptionDoc): RedemptionView {
  return {
    id: row.id,
    user_id: row.userId,
    key: unseal(row.keySealed, `redemption:${row.id}:key`),
    status: row.status,
    name: row.name,
    quota: row.quota,
    created_time: seconds(row.createdAt),
    redeemed_time: row.redeemedAt ? seconds(row.redeemedAt) : 0,
    used_user_id: row.usedUserId,
    used_username: row.usedUsername,
    count: 0,
    version: row.version ?? 0,
  };
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
