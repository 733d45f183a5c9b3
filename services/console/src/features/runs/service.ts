import {
  type ChangeRunBody,
  type ListRunsQuery,
  type OpenRunBody,
  type Page,
  type RunDetail,
  type RunView,
  role,
} from '@tollgate/contracts';
import { Run, type RunDoc, rows, Token, UsageLog } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { openRun, setRunLimit } from '@tollgate/wallet';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { listTimeoutMs, pageOf, rowsAndTotal, sliceOf } from '../../http/page.ts';
import { percentOf } from '../budgets/service.ts';

type RunContext = Pick<Context, 'wallet' | 'announce'>;

const mostCalls = 500;
const mostModels = 100;

export async function listRuns({ wallet }: RunContext, query: ListRunsQuery, filter: { userId?: number }): Promise<Page<RunView>> {
  const slice = sliceOf(query);
  const { rows: found, total } = await rowsAndTotal(
    slice,
    (limit) => Run.find(filter).sort({ openedAt: -1 }).skip(slice.skip).limit(limit).maxTimeMS(listTimeoutMs).lean(),
    (limits) => Run.countDocuments(filter, limits),
  );
  return pageOf(slice, await viewsOf(wallet, found), total);
}

/** A run of the caller's, or any for an administrator. */
async function visibleRun(id: string, caller: Caller): Promise<RunDoc> {
  const run = await Run.findOne({ _id: id, ...(caller.role < role.admin && { userId: caller.id }) }).lean();
  if (!run) throw new AppError('record_not_found');
  return run;
}

export async function runDetailOf(context: RunContext, id: string, caller: Caller): Promise<RunDetail> {
  const run = await visibleRun(id, caller);
  const ofRun = { userId: run.userId, 'budgets.id': id, hidden: { $ne: true } };
  const [view, newest, models] = await Promise.all([
    viewOf(context, run),
    rows.usageLogs().find(ofRun, { maxTimeMS: listTimeoutMs }).sort({ at: -1 }).limit(mostCalls).toArray(),
    UsageLog.aggregate<{ _id: string; calls: number; tokens: number; quota: number }>([
      { $match: ofRun },
      {
        $group: {
          _id: '$model',
          calls: { $sum: 1 },
          tokens: { $sum: { $add: ['$promptTokens', '$completionTokens'] } },
          quota: { $sum: { $subtract: ['$quota', '$uncollected'] } },
        },
      },
      { $sort: { quota: -1 } },
      { $limit: mostModels },
    ]).option({ maxTimeMS: listTimeoutMs }),
  ]);
  let total = models.reduce((sum, { quota }) => sum + quota, 0);
  const calls = newest.map((row) => {
    const quota = row.quota - row.uncollected;
    const call = {
      ...{ id: row._id, time: Math.floor(row.at.getTime() / 1000), model: row.model, quota, total },
      ...{ prompt_tokens: row.promptTokens, completion_tokens: row.completionTokens },
      ...{ duration_ms: row.durationMs ?? 0, end_reason: row.endReason ?? '' },
    };
    total -= quota;
    return call;
  });
  return { run: view, models: models.map(({ _id: model, ...sums }) => ({ model, ...sums })), calls: calls.reverse() };
}

/** Opens a run of one of the caller's tokens: the calls that name it count in it alone. */
export async function openOwnRun(context: RunContext, { token_id, run_id: runId, limit }: OpenRunBody, caller: Caller): Promise<RunView> {
  const token = await Token.findOne({ id: token_id, userId: caller.id, deletedAt: null }).lean();
  if (!token) throw new AppError('record_not_found');
  const run = await openRun({ tokenId: token.parentId ?? token.id, runId }, { userId: caller.id, limit, openedBy: 'owner' });
  await context.announce('token', run.tokenId);
  return viewOf(context, run);
}

/** The run goes on with the new ceiling; of the one that unknown runs share, the token has it. */
export async function changeRun(context: RunContext, { id, limit }: ChangeRunBody, caller: Caller): Promise<RunView> {
  const before = await visibleRun(id, caller);
  if (before.runId === '') await Token.updateOne({ id: before.tokenId }, { $set: { runBudget: limit }, $inc: { version: 1 } });
  const run = await setRunLimit(id, limit);
  if (!run) throw new AppError('record_not_found');
  await context.announce('token', run.tokenId);
  if (caller.id !== run.userId) await audit(caller, 'run.update', `run:${id}`, { before: { limit: before.limit }, after: { limit } });
  return viewOf(context, run);
}

async function viewOf({ wallet }: RunContext, run: RunDoc): Promise<RunView> {
  const [view] = await viewsOf(wallet, [run]);
  return view as RunView;
}

async function viewsOf(wallet: Context['wallet'], runs: readonly RunDoc[]): Promise<RunView[]> {
  const [usages, tokens] = await Promise.all([
    wallet.budgetUsages(runs.map(({ _id: id, userId: payer }) => ({ payer, rule: { id, unit: 'quota' } }))),
    Token.find({ id: { $in: runs.map(({ tokenId }) => tokenId) } })
      .select('id name runBudget')
      .lean(),
  ]);
  const byId = new Map(tokens.map((token) => [token.id, token]));
  return runs.map((run, i) => {
    const token = byId.get(run.tokenId);
    const limit = run.runId === '' ? (token?.runBudget ?? run.limit) : run.limit;
    const { spent = 0, held = 0 } = usages[i] ?? {};
    return {
      ...{ id: run._id, run_id: run.runId, token_id: run.tokenId, token_name: token?.name ?? '', user_id: run.userId },
      ...{ limit, used: spent, held, percent: percentOf(spent, limit) },
      ...{ opened_by: run.openedBy, opened_time: Math.floor(run.openedAt.getTime() / 1000) },
    };
  });
}
