import { createHash, randomInt } from 'node:crypto';
import {
  addressesOf,
  beginOf,
  type CreateTokenBody,
  type ListTokensQuery,
  mostQuota,
  type Page,
  storedLimits,
  type TokenView,
  tokenStatus,
  type UpdateTokenBody,
} from '@tollgate/contracts';
import { nextId, seal, Token, type TokenDoc, unseal } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { viewsOf } from '../../http/export.ts';
import { holds, listTimeoutMs, pageOf, rowsAndTotal, sliceOf } from '../../http/page.ts';
import { changeRow } from '../../row-change.ts';
import { statusOf, tokenViews } from './views.ts';

const letters = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const keyLength = 48;
const tokensPerUser = 1000;
const nameLength = 30;
const markLength = 6;

/** The caller's tokens, newest first. A `token` is a part of a key: keys are sealed, but nobody has more than can be looked through. */
export async function listTokens(context: Context, query: ListTokensQuery, caller: Caller): Promise<Page<TokenView>> {
  const filter = await tokenFilter(query, caller);
  const slice = sliceOf(query);
  const { rows, total } = await rowsAndTotal(
    slice,
    (limit) => Token.find(filter).sort({ id: -1 }).skip(slice.skip).limit(limit).select('+keySealed').maxTimeMS(listTimeoutMs).lean(),
    (limits) => Token.countDocuments(filter, limits),
  );
  return pageOf(slice, await shownViews(context, rows, caller), total);
}

/** All of them, for an export. */
export async function tokenRows({ wallet }: Context, query: TokenFilters, caller: Caller): Promise<AsyncGenerator<TokenView>> {
  const tokens = Token.find(await tokenFilter(query, caller))
    .sort({ id: -1 })
    .select('+keySealed')
    .lean()
    .cursor();
  return viewsOf(tokens, (rows) => tokenViews(wallet, rows));
}

type TokenFilters = Pick<ListTokensQuery, 'keyword' | 'token' | 'status' | 'group'>;

/** The caller's own tokens that the filters leave. */
export async function tokenFilter({ keyword, token, status, group }: TokenFilters, caller: Caller): Promise<Record<string, unknown>> {
  return {
    userId: caller.id,
    deletedAt: null,
    ...(keyword !== '' && { name: holds(keyword) }),
    ...(status > 0 && { status }),
    ...(group !== '' && { group }),
    ...(token !== '' && { id: { $in: await idsByKey(token.replace(/^sk-/, ''), caller) } }),
  };
}

/** Views of a caller's tokens: their quota is remembered as what he was shown. */
async function shownViews({ wallet, shown }: Context, tokens: TokenDoc[], caller: Caller): Promise<TokenView[]> {
  const views = await tokenViews(wallet, tokens);
  await shown.note(
    caller,
    views.map(({ id, remain_quota: quota }) => ({ kind: 'token', id, quota })),
  );
  return views;
}

async function idsByKey(part: string, caller: Caller): Promise<number[]> {
  const tokens = await Token.find({ userId: caller.id, deletedAt: null }).select('id +keySealed').maxTimeMS(listTimeoutMs).lean();
  return tokens.filter(({ id, keySealed }) => unseal(keySealed, `token:${id}:key`).includes(part)).map(({ id }) => id);
}

export async function getToken(context: Context, id: number, caller: Caller): Promise<TokenView> {
  const [view] = await shownViews(context, [await ownToken(id, caller)], caller);
  return view as TokenView;
}

/** Makes a token, or as many as are asked for: the first bears the name, each other the name and a mark of its own. */
export async function createTokens(
  context: Context,
  { count, ...body }: CreateTokenBody,
  caller: Caller,
): Promise<TokenView | TokenView[]> {
  refuseGroup(context, body.group, caller);
  await refuseTooMany(caller, count ?? 1);
  const base = beginOf(body.name, nameLength - markLength - 1);
  const others = Array.from({ length: (count ?? 1) - 1 }, () => `${base}-${randomLetters(markLength)}`);
  const made = await makeTokens(context, body, [body.name, ...others], caller);
  return count === undefined ? (made[0] as TokenView) : made;
}

/** Tokens that are alike but for their names and keys, each with its own wallet: all of them in one write, or none. */
export async function makeTokens(
  { wallet }: Context,
  body: Omit<CreateTokenBody, 'count'>,
  names: readonly string[],
  caller: Caller,
): Promise<TokenView[]> {
  const firstId = await nextId('tokens', names.length);
  const ids = names.map((_name, index) => firstId + index);
  await Promise.all(ids.map((tokenId) => wallet.openToken({ userId: caller.id, tokenId, remain: body.remain_quota })));
  const createdAt = new Date();
  const tokens = await Token.insertMany(
    names.map((name, index) => {
      const { key: _key, ...keys } = keyFields(firstId + index);
      return { ...fieldsOf({ ...body, name }), ...keys, userId: caller.id, createdAt };
    }),
  );
  // Asked again afterwards: others of his may have been made at the same time.
  await refuseTooMany(caller, 0).catch(async (error) => {
    await Token.deleteMany({ id: { $in: ids } });
    throw error;
  });
  return tokenViews(
    wallet,
    tokens.map((token) => token.toObject()),
  );
}

/** A new key, in clear for its owner and as it is stored. */
export function keyFields(id: number): Pick<TokenDoc, 'id' | 'keyHash' | 'keySealed'> & { key: string } {
  const key = randomLetters(keyLength);
  return { key, id, keyHash: keyHashOf(key), keySealed: seal(key, `token:${id}:key`) };
}

/** Throws where so many more are more than somebody may have. */
export async function refuseTooMany(caller: Caller, more: number): Promise<void> {
  const existing = await Token.countDocuments({ userId: caller.id, deletedAt: null });
  if (existing + more > tokensPerUser) throw new AppError('too_many_tokens', { limit: tokensPerUser });
}

/** Changes what the body names. Enabling a token that cannot be used anyway says what stands in the way. */
export async function updateToken(context: Context, body: UpdateTokenBody, caller: Caller): Promise<TokenView> {
  const { after } = await changeRow<TokenDoc & { _id: unknown }>(Token, {
    read: () => ownToken(body.id, caller),
    fields: async (token) => {
      if (body.group !== undefined && body.group !== token.group) refuseGroup(context, body.group, caller);
      if ((body.add_quota ?? 0) > 0 && (await remainAfter(context, body, caller)) > mostQuota) throw tooMuch();
      const fields = fieldsOf(body);
      if (body.status === tokenStatus.enabled) refuseUseless(context, { ...token, ...fields }, await remainAfter(context, body, caller));
      return fields;
    },
    editing: { seen: body.version, view: (token) => viewOf(context, token) },
  });
  await changeRemain(context, body, caller);
  await context.announce('token', after.id);
  return viewOf(context, after);
}

async function remainAfter({ wallet }: Context, { id, remain_quota, add_quota = 0 }: UpdateTokenBody, caller: Caller): Promise<number> {
  return remain_quota ?? ((await wallet.tokensRemaining([{ tokenId: id, userId: caller.id }])).get(id) ?? 0) + add_quota;
}

/** As with a user's quota: an absolute one moves what is left by its difference to what was shown. */
async function changeRemain({ wallet, shown }: Context, body: UpdateTokenBody, caller: Caller): Promise<void> {
  const { id, remain_quota: wanted, quota_shown, add_quota } = body;
  const token = { userId: caller.id, tokenId: id };
  const add = async (amount: number): Promise<void> => {
    if (!(await wallet.addTokenRemain({ ...token, amount, most: mostQuota }))) throw tooMuch();
  };
  if (add_quota !== undefined) return add(add_quota);
  if (wanted === undefined) return;
  const left = (await wallet.tokensRemaining([token])).get(id) ?? 0;
  const taken = await shown.replace(caller, { kind: 'token', id, shown: quota_shown }, wanted);
  const amount = Math.max(wanted - (taken ?? left), -left);
  if (amount !== 0) await add(amount);
}

function tooMuch(): AppError {
  return new AppError('invalid_parameter', { reason: `the balance would be more than ${mostQuota}` });
}

async function ownToken(id: number, caller: Caller): Promise<TokenDoc & { _id: unknown }> {
  const token = await Token.findOne({ id, userId: caller.id, deletedAt: null }).select('+keySealed').lean();
  if (!token) throw new AppError('record_not_found');
  return token;
}

async function viewOf({ wallet }: Context, token: TokenDoc): Promise<TokenView> {
  const [view] = await tokenViews(wallet, [token]);
  if (!view) throw new AppError('record_not_found');
  return view;
}

type Editable = Partial<Omit<CreateTokenBody, 'remain_quota' | 'count'>> & { status?: number | undefined };

export function fieldsOf(body: Editable): Partial<TokenDoc> {
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.expired_time !== undefined && { expiresAt: body.expired_time === -1 ? null : new Date(body.expired_time * 1000) }),
    ...(body.unlimited_quota !== undefined && { unlimited: body.unlimited_quota }),
    ...(body.model_limits_enabled !== undefined && { modelLimitsEnabled: body.model_limits_enabled }),
    ...(body.model_limits !== undefined && { modelLimits: body.model_limits === '' ? [] : body.model_limits.split(',') }),
    ...(body.allow_ips !== undefined && { allowIps: addressesOf(body.allow_ips ?? '') }),
    ...(body.deny_ips !== undefined && { denyIps: addressesOf(body.deny_ips ?? '') }),
    ...(body.drawing_modes !== undefined && { drawingModes: body.drawing_modes === '' ? [] : body.drawing_modes.split(',') }),
    ...(body.group !== undefined && { group: body.group }),
    ...(body.run_budget !== undefined && { runBudget: body.run_budget }),
    ...storedLimits(body),
    ...(body.status !== undefined && { status: body.status }),
  };
}

export function refuseGroup({ options }: Context, group: string, caller: Caller): void {
  if (group !== '' && group !== caller.group && !Object.hasOwn(options.values.UserUsableGroups, group))
    throw new AppError('group_not_allowed', { group });
}

function refuseUseless({ wallet }: Context, token: TokenDoc, remain: number): void {
  const status = statusOf({ ...token, status: tokenStatus.enabled }, remain, wallet.time());
  if (status === tokenStatus.expired) throw new AppError('token_needs_expiry');
  if (status === tokenStatus.exhausted) throw new AppError('token_needs_quota');
}

function randomLetters(count: number): string {
  return Array.from({ length: count }, () => letters[randomInt(letters.length)]).join('');
}

/** By what a key is found; without the `sk-` before it. */
export function keyHashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
