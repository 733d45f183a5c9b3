import type { DecideProposalsBody } from '@tollgate/contracts';
import type { ModelCatalog, ModelEntry } from '@tollgate/contracts/catalog';
import { Channel, Proposal, type ProposalDoc } from '@tollgate/db';
import { audit } from '../../audit/audit.ts';
import { byRule, type Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { announceChannels, changeChannel } from '../channels/change.ts';
import { applyCatalog } from './apply.ts';

type Row = ProposalDoc;

/** Approves or rejects proposals that wait; those in quarantine can be rejected only. Returns how many it decided. */
export async function decideProposals(
  context: Context,
  { ids, action, effective_time: at = 0 }: DecideProposalsBody,
  actor: Caller,
): Promise<number> {
  const nowMs = Date.now();
  const decided = { decidedAt: new Date(nowMs), decidedBy: actor.username };
  if (action === 'reject') {
    const statuses = ['waiting', 'quarantined', 'scheduled'] as const;
    const { modifiedCount } = await Proposal.updateMany(
      { _id: { $in: ids }, status: { $in: statuses } },
      { $set: { status: 'rejected', ...decided } },
    );
    await audit(actor, 'catalog.reject', 'catalog', { after: { ids } });
    return modifiedCount;
  }
  const isLater = at * 1000 > nowMs;
  const rows = await Proposal.find({ _id: { $in: ids }, status: { $in: ['waiting', 'scheduled'] } }).lean<Row[]>();
  const later = isLater ? rows.filter(({ kind }) => kind === 'price') : [];
  const laterIds = later.map(({ _id }) => _id);
  if (later.length > 0) {
    const status = { status: 'scheduled' as const, effectiveAt: new Date(at * 1000), ...decided };
    await Proposal.updateMany({ _id: { $in: laterIds } }, { $set: status });
  }
  await audit(actor, 'catalog.approve', 'catalog', { after: { ids: rows.map(({ _id }) => _id), ...(isLater && { effective_time: at }) } });
  const done = await carryOut(
    context,
    rows.filter(({ _id }) => !laterIds.includes(_id)),
    { actor, decided },
  );
  return done + later.length;
}

/** Puts prices in force whose time has come. */
export async function applyDue(context: Context): Promise<void> {
  const rows = await Proposal.find({ status: 'scheduled', effectiveAt: { $lte: new Date() } }).lean<Row[]>();
  await carryOut(context, rows, { actor: byRule, decided: {} });
}

interface Decision {
  actor: Caller;
  decided: Partial<ProposalDoc>;
}

async function carryOut(context: Context, rows: readonly Row[], { actor, decided }: Decision): Promise<number> {
  let count = 0;
  const priced = rows.filter(({ kind }) => kind === 'price');
  const entries = priced.map(({ change }) => JSON.parse(change) as ModelEntry);
  const refused = new Set(await applyCatalog(context, { version: 1, families: {}, models: entries }, actor));
  for (const row of rows) {
    let isDone = !refused.has(row.model);
    if (row.kind === 'facts') isDone = (await applyCatalog(context, JSON.parse(row.change) as ModelCatalog, actor)).length === 0;
    const isOfModels = row.kind === 'model' || row.kind === 'discontinued';
    if (isOfModels) isDone = await changeModels(context, row, actor);
    const set = isDone
      ? { status: 'applied' as const, effectiveAt: new Date(), ...decided }
      : { status: 'quarantined' as const, reasons: [isOfModels ? 'last_model' : 'unpriced'] };
    await Proposal.updateOne({ _id: row._id, status: row.status }, { $set: set });
    if (isDone) count += 1;
  }
  return count;
}

/** Adds the model to its channel, or removes it from the channels that offer it. A channel keeps at least one model. */
async function changeModels(context: Context, { model, action, channelId, kind }: Row, actor: Caller): Promise<boolean> {
  const filter = kind === 'discontinued' ? { models: model } : { id: channelId };
  const channels = await Channel.find(filter).select('-_id id models').lean();
  const isLast = channels.some(({ models }) => action === 'remove' && models.every((one) => one === model));
  if (channels.length === 0 || isLast) return false;
  const changed: number[] = [];
  for (const { id } of channels) {
    const isChanged = await changeChannel(id, ({ models }) => ({
      models: action === 'add' ? [...new Set([...models, model])] : models.filter((one) => one !== model),
    }));
    if (!isChanged) continue;
    changed.push(id);
    await audit(actor, 'channel.update', `channel:${id}`, { after: { [action]: model } });
  }
  await announceChannels(context, changed);
  return true;
}
