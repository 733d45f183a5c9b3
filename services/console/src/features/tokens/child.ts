import type { ChildToken, CreateChildBody } from '@tollgate/contracts';
import { tokenStatus, userStatus } from '@tollgate/contracts';
import { Budget, nextId, Token, User } from '@tollgate/db';
import { AppError, addressRule } from '@tollgate/runtime';
import { openRun } from '@tollgate/wallet';
import type { Context } from '../../context.ts';
import { keyFields, keyHashOf } from './service.ts';
import { statusOf } from './views.ts';

const mostChildren = 1_000;

/**
 * Makes a child of the token with this key: fewer models, a budget and a shorter life. What it spends counts against its parent, too.
 * Throws: AppError `invalid_access_token`, `invalid_parameter`, `too_many_tokens`.
 */
export async function createChild(
  context: Context,
  body: CreateChildBody,
  { key, address }: { key: string; address: string },
): Promise<ChildToken> {
  const { wallet, options } = context;
  const { name, models, budget, life_seconds: lifeSeconds, run_id: runId = '', run_budget: runBudget } = body;
  const parent = await Token.findOne({ keyHash: keyHashOf(key), deletedAt: null }).lean();
  const owner = parent && (await User.findOne({ id: parent.userId, deletedAt: null }).lean());
  if (!parent || owner?.status !== userStatus.enabled) throw new AppError('invalid_access_token');
  const isUsable = statusOf({ ...parent, unlimited: true }, 0, wallet.time()) === tokenStatus.enabled;
  if (!isUsable || addressRule(parent.allowIps, parent.denyIps)?.has(address) === false) throw new AppError('invalid_access_token');
  if (parent.parentId != null) throw refused('a child token has no children');
  const beyond = parent.modelLimitsEnabled ? models?.find((model) => !parent.modelLimits.includes(model)) : undefined;
  if (beyond !== undefined) throw refused(`the parent may not call ${beyond}`);
  if ((await Token.countDocuments({ parentId: parent.id, deletedAt: null })) >= mostChildren)
    throw new AppError('too_many_tokens', { limit: mostChildren });
  const quotaOf = (dollars: number) => Math.floor(dollars * options.values.QuotaPerUnit + 1e-6);
  const createdAt = new Date();
  const endsMs = Math.min(
    parent.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    createdAt.getTime() + (lifeSeconds ?? Number.POSITIVE_INFINITY) * 1000,
  );
  const expiresAt = Number.isFinite(endsMs) ? new Date(endsMs) : null;
  const { userId } = parent;
  if (runId !== '' && runBudget !== undefined)
    await openRun({ tokenId: parent.id, runId }, { userId, limit: quotaOf(runBudget), openedBy: 'caller' });
  const id = await nextId('tokens');
  if (budget !== undefined) {
    const fields = { unit: 'quota', amount: quotaOf(budget), window: 'total', mode: 'hard' } as const;
    const subject = { subject: 'token', subjectId: String(id), userId } as const;
    await Budget.create({ id: await nextId('budgets'), name, ...subject, ...fields, createdAt });
  }
  const { key: made, ...keys } = keyFields(id);
  const limits = { modelLimitsEnabled: models !== undefined, modelLimits: models ?? [] };
  await Token.create({ ...keys, userId, name, parentId: parent.id, runId, unlimited: true, expiresAt, ...limits, createdAt });
  return {
    id,
    key: `sk-${made}`,
    name,
    parent_id: parent.id,
    models: models ?? (parent.modelLimitsEnabled ? parent.modelLimits : []),
    run_id: runId,
    expired_time: expiresAt === null ? -1 : Math.floor(expiresAt.getTime() / 1000),
  };
}

function refused(reason: string): AppError {
  return new AppError('invalid_parameter', { reason });
}
