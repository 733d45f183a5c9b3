import type { TakenFile } from '@tollgate/contracts';
import { type PriceFile, type PriceSourceKind, readPriceFile } from '@tollgate/contracts/catalog';
import { Proposal, type ProposalDoc } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { applyCatalog } from './apply.ts';
import { type Candidate, candidatesIn } from './candidates.ts';
import { baselines } from './history.ts';

export interface Asked {
  name: string;
  kind: PriceSourceKind;
  /** Where it was read. */
  url: string;
  actor: Caller;
  /** Models for which a source before this one has decided; those of this file are added. */
  decided?: Set<string>;
  isDryRun?: boolean;
}

/**
 * Takes a file of prices: small changes at once, others as proposals. What cannot be right goes into quarantine and is never taken. A model that is
 * offered never loses its price by it. Throws: AppError `invalid_input` where the file is not of its kind.
 */
export async function takePriceFile(context: Context, text: string, asked: Asked): Promise<TakenFile> {
  const { name, kind, url, decided = new Set<string>(), isDryRun = false, actor } = asked;
  const file = read(text, asked);
  await context.options.read();
  const options = context.options.values;
  const offered = [...(await context.offered.read()).keys()];
  const found = candidatesIn(file, {
    options,
    offered,
    source: { name, isCatalog: kind === 'catalog' },
    decided,
    baselines: await baselines(),
  });
  const odd = oddOnes(file, offered, decided, found);
  const quiet = found.filter(({ verdict }) => verdict === 'quiet');
  const waiting = found.filter(({ verdict }) => verdict === 'waiting');
  const quarantined = found.filter(({ verdict }) => verdict === 'quarantined');
  const hasFacts = file.rest !== undefined;
  const result = {
    listed: file.entries.length + file.odd.length,
    applied: quiet.length,
    waiting: waiting.length + (hasFacts ? 1 : 0),
    quarantined: quarantined.length + odd.length,
  };
  if (isDryRun) return result;
  for (const { model } of found) decided.add(model);
  await applyCatalog(context, { version: 1, families: {}, models: quiet.map(({ entry }) => entry) }, actor);
  await settle(found.filter(({ verdict }) => verdict === 'same' || verdict === 'quiet').map(({ model }) => model));
  const at = new Date();
  for (const candidate of [...waiting, ...quarantined]) await propose({ ...priceProposal(candidate), source: name, at });
  for (const { model, reason } of odd) {
    await propose({ kind: 'price', action: 'set', status: 'quarantined', model, source: name, reasons: [reason], at });
  }
  for (const model of discontinuedIn(file, offered)) {
    await propose({ kind: 'discontinued', action: 'remove', status: 'waiting', model, source: name, at });
  }
  if (file.rest !== undefined) {
    await propose({
      kind: 'facts',
      action: 'set',
      status: 'waiting',
      model: name,
      source: url.slice(0, 200),
      change: JSON.stringify(file.rest),
      at,
    });
  }
  return result;
}

function read(text: string, { kind, name, url }: Asked): PriceFile {
  const source = url.replace(/^http:/, 'https:');
  try {
    return readPriceFile(kind, JSON.parse(text), { read: new Date().toISOString().slice(0, 10), source, provider: name });
  } catch (error) {
    throw new AppError(
      'invalid_input',
      { reason: error instanceof Error ? error.message.slice(0, 300) : 'not readable' },
      { cause: error },
    );
  }
}

/** Odd prices of models that are offered, where this file has no good one for them. */
function oddOnes({ odd }: PriceFile, offered: readonly string[], decided: ReadonlySet<string>, found: readonly Candidate[]) {
  const isOffered = new Set(offered);
  const hasGood = new Set(found.map(({ model }) => model));
  const named = new Map(odd.map(({ name, reason }) => [name, reason]));
  return [...named].flatMap(([model, reason]) =>
    isOffered.has(model) && !decided.has(model) && !hasGood.has(model) ? [{ model, reason }] : [],
  );
}

function discontinuedIn({ entries }: PriceFile, offered: readonly string[]): string[] {
  const gone = new Set(entries.flatMap(({ name, status }) => (status === 'retired' ? [name] : [])));
  const alive = new Set(entries.flatMap(({ name, status }) => (status === 'retired' ? [] : [name])));
  return offered.filter((model) => gone.has(model) && !alive.has(model));
}

function priceProposal({ model, verdict, reasons, before, after, entry }: Candidate) {
  const status = verdict === 'quarantined' ? ('quarantined' as const) : ('waiting' as const);
  return {
    kind: 'price' as const,
    action: 'set' as const,
    status,
    model,
    reasons,
    before: JSON.stringify(before),
    after: JSON.stringify(after),
    change: JSON.stringify(entry),
  };
}

type Wanted = Pick<ProposalDoc, 'kind' | 'action' | 'source' | 'at'> & { status: 'waiting' | 'quarantined' } & Partial<ProposalDoc>;

/**
 * Stores a proposal under what it is about. One that was rejected, and one that is to take effect later, stays as it is as long as the same is
 * proposed.
 */
export async function propose(wanted: Wanted): Promise<void> {
  const { kind, model = '', channelId = 0 } = wanted;
  const _id = `${kind}:${channelId}:${model}`;
  const before = await Proposal.findById(_id).lean();
  const isSame = before?.change === (wanted.change ?? '') || (kind !== 'facts' && before?.after === (wanted.after ?? '{}'));
  const isSettled = before?.status === 'rejected' || before?.status === 'scheduled';
  if (before !== null && isSettled && isSame && before.action === wanted.action) return;
  const fresh = { model, channelId, reasons: [], before: '{}', after: '{}', change: '', effectiveAt: null, decidedAt: null, decidedBy: '' };
  const isOpen = before?.status === wanted.status && isSame;
  await Proposal.updateOne({ _id }, { $set: { ...fresh, ...wanted, ...(isOpen && { at: before?.at }) } }, { upsert: true });
}

/** What sources no longer propose otherwise. */
async function settle(models: readonly string[]): Promise<void> {
  const ids = models.map((model) => `price:0:${model}`);
  if (ids.length > 0) await Proposal.deleteMany({ _id: { $in: ids }, status: { $in: ['waiting', 'quarantined'] } });
}
