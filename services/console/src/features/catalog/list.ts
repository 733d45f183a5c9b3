import type { ListProposalsQuery, Page, ProposalView } from '@tollgate/contracts';
import { Channel, Proposal, type ProposalDoc, UsageByModel } from '@tollgate/db';
import { listTimeoutMs, pageOf, rowsAndTotal, sliceOf } from '../../http/page.ts';

type Row = ProposalDoc;

export async function listProposals({ status, kind, ...query }: ListProposalsQuery): Promise<Page<ProposalView>> {
  const filter = { ...(status && { status }), ...(kind && { kind }) };
  const slice = sliceOf(query);
  const { rows, total } = await rowsAndTotal<Row>(
    slice,
    (limit) => Proposal.find(filter).sort({ at: -1, _id: 1 }).skip(slice.skip).limit(limit).maxTimeMS(listTimeoutMs).lean<Row[]>(),
    (limits) => Proposal.countDocuments(filter, limits),
  );
  return pageOf(slice, await viewsOf(rows), total);
}

async function viewsOf(rows: readonly Row[]): Promise<ProposalView[]> {
  const ids = rows.map(({ channelId }) => channelId).filter((id) => id > 0);
  const ended = rows.filter(({ kind }) => kind === 'discontinued').map(({ model }) => model);
  const [channels, used] = await Promise.all([
    Channel.find({ $or: [{ id: { $in: ids } }, { models: { $in: ended } }] })
      .select('-_id id name models')
      .lean(),
    usageOf(rows.filter(({ kind }) => kind === 'price').map(({ model }) => model)),
  ]);
  return rows.map((row) => {
    const [before, after] = [row.before, row.after].map((text) => JSON.parse(text) as Record<string, number>) as [Prices, Prices];
    return {
      id: row._id,
      kind: row.kind,
      action: row.action,
      status: row.status,
      model: row.model,
      channels: channels
        .filter(({ id, models }) => (row.kind === 'discontinued' ? models.includes(row.model) : id === row.channelId))
        .map(({ id, name }) => ({ id, name })),
      source: row.source,
      reasons: row.reasons,
      before,
      after,
      cost_before: costOf(before, used.get(row.model)),
      cost_after: costOf(after, used.get(row.model)),
      created_time: secondsOf(row.at),
      effective_time: secondsOf(row.effectiveAt),
      decided_time: secondsOf(row.decidedAt),
      decided_by: row.decidedBy,
    };
  });
}

type Prices = Record<string, number>;

interface Used {
  requests: number;
  promptTokens: number;
  completionTokens: number;
}

const monthMs = 30 * 86_400_000;

async function usageOf(models: readonly string[]): Promise<Map<string, Used>> {
  if (models.length === 0) return new Map();
  const sum = (field: string) => ({ $sum: `$${field}` });
  const sums = { requests: sum('requests'), promptTokens: sum('promptTokens'), completionTokens: sum('completionTokens') };
  const rows = await UsageByModel.aggregate<Used & { _id: string }>([
    { $match: { hour: { $gte: new Date(Date.now() - monthMs) }, model: { $in: models } } },
    { $group: { _id: '$model', ...sums } },
  ]);
  return new Map(rows.map(({ _id, ...used }) => [_id, used]));
}

function costOf(prices: Prices, used: Used | undefined): number {
  if (used === undefined) return 0;
  const { input = 0, output = 0, call } = prices;
  const dollars = call === undefined ? (used.promptTokens * input + used.completionTokens * output) / 1e6 : used.requests * call;
  return Number(dollars.toFixed(4));
}

function secondsOf(at: Date | null | undefined): number {
  return at ? Math.floor(at.getTime() / 1000) : 0;
}
