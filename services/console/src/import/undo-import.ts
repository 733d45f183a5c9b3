import { role } from '@tollgate/contracts';
import {
  Budget,
  Channel,
  ChannelUsage,
  ImportModel,
  ImportRow,
  OptionModel,
  Order,
  Passkey,
  Redemption,
  rows,
  Token,
  User,
} from '@tollgate/db';
import { idsOf } from './import-logs.ts';
import type { Place } from './places.ts';
import { followBalance } from './postings.ts';
import { type ImportKind, importKinds } from './report.ts';
import { noteLeftOut, type Posting } from './run.ts';

const rowsAtOnce = 500;

/**
 * Takes back what an import has made, until the first call of an imported account or token or through an imported channel. Its ids stay
 * kept, so that the source may be imported again. Balances are taken back by postings: the ledger keeps both. May be repeated.
 * Throws an Error that names what was used.
 */
export async function undoImport(run: Posting): Promise<void> {
  if (!(await ImportModel.exists({ _id: run.name }))) throw new Error(`Nothing was imported under the name ${run.name}.`);
  const root = await User.findOne({ role: role.root }).sort({ id: 1 }).select('id').lean();
  await refuseUsed(run.name, root?.id ?? 0);
  for (const kind of importKinds) run.report.made[kind] = await ImportRow.countDocuments({ importId: run.name, kind, isDone: true });
  run.report.made.log = await rows.usageLogs().countDocuments({ importedFrom: run.name });
  if (!run.apply) return;
  // Imported keys are refused from here on; the second check finds calls made until now.
  await Token.deleteMany({ id: { $in: await idsOfKind(run.name, 'token') } });
  await Channel.deleteMany({ id: { $in: await idsOfKind(run.name, 'channel') } });
  await refuseUsed(run.name, root?.id ?? 0);
  for (const kind of ['budget', 'passkey', 'token', 'channel', 'code', 'top-up', 'option', 'user'] as const) {
    for await (const places of pagesOfKind(run.name, kind)) {
      await remove[kind]({ run, places, rootId: root?.id ?? 0 });
      await ImportRow.updateMany({ _id: { $in: places.map(({ _id }) => _id) } }, { $set: { isDone: false } });
    }
  }
  for (const part of ['log', 'usage']) await rows.usageLogs().deleteMany({ _id: idsOf(`import:${run.name}:${part}:`) });
  await ImportModel.updateOne({ _id: run.name }, { $set: { logsTo: 0, finishedAt: null } });
}

/** The name of the import that is meant. Throws an Error where that is not clear. */
export async function importedName(named: string | undefined): Promise<string> {
  const known = (await ImportModel.find().sort({ _id: 1 }).lean()).map(({ _id }) => _id);
  if (named !== undefined) return named;
  if (known.length === 1) return known[0] as string;
  throw new Error(known.length === 0 ? 'Nothing was imported.' : `--name says which import is meant: ${known.join(', ')}`);
}

interface Page {
  run: Posting;
  places: Place[];
  rootId: number;
}

const idsIn = ({ places }: Page) => ({ $in: places.map(({ id }) => id) });

/** Removes what rows of one kind became. */
const remove: Record<Exclude<ImportKind, 'log'>, (page: Page) => Promise<unknown>> = {
  async token(page) {
    const wallets = await rows
      .tokenWallets()
      .find({ _id: idsIn(page) }, { projection: { userId: 1 } })
      .toArray();
    for (const { _id: tokenId, userId } of wallets) await page.run.wallet.setTokenRemain({ tokenId, userId, remain: 0 });
    await ImportRow.updateMany({ _id: { $in: page.places.map(({ _id }) => _id) } }, { $set: { quota: 0 }, $unset: { quotaAfter: 1 } });
  },
  async channel() {
    // they are removed already
  },
  budget: (page) => Budget.deleteMany({ id: idsIn(page) }),
  passkey: ({ places }) => Passkey.deleteMany({ id: { $in: places.flatMap(({ name }) => name || []) } }),
  code: (page) => Redemption.deleteMany({ id: idsIn(page) }),
  'top-up': ({ places }) =>
    Order.deleteMany({ tradeNo: { $in: places.flatMap(({ name }) => name || []) }, paymentId: null, 'callbacks.0': { $exists: false } }),
  async option({ run, places }) {
    for (const { _id, name } of places) {
      const key = _id.slice(`${run.name}/option/`.length);
      const removed = await OptionModel.deleteOne({ _id: key, version: Number(name || -1) });
      if (removed.deletedCount === 0) noteLeftOut(run, 'option', { which: key, text: 'it was changed here and stays' });
    }
    await ImportRow.deleteMany({ _id: { $in: places.map(({ _id }) => _id) } });
  },
  async user({ run, places, rootId }) {
    for (const place of places) {
      const sourceId = place._id.slice(`${run.name}/user/`.length);
      const refused = await followBalance({ ...run, apply: true }, { sourceId, quota: 0, place, username: place.name ?? '' });
      if (refused !== 0) noteLeftOut(run, 'user', { which: sourceId, text: 'its balance is spent here: it stays' });
      else if (place.id !== rootId) await User.deleteOne({ id: place.id });
    }
  },
};

/** Throws an Error where something imported has been used, or has got more than it came with. */
async function refuseUsed(name: string, rootId: number): Promise<void> {
  const refuse = (what: string) => {
    throw new Error(`${what} was used after the import: it cannot be undone any more.`);
  };
  for await (const places of pagesOfKind(name, 'token')) {
    const used = await rows.tokenWallets().findOne({ _id: { $in: places.map(({ id }) => id) }, used: { $gt: 0 } });
    if (used) refuse(`Token ${used._id}`);
  }
  for await (const places of pagesOfKind(name, 'channel')) {
    const used = await ChannelUsage.findOne({ channelId: { $in: places.map(({ id }) => id) }, usedQuota: { $gt: 0 } }).lean();
    if (used) refuse(`Channel ${used.channelId}`);
  }
  for await (const places of pagesOfKind(name, 'user')) {
    const posted = new Map(places.map((place) => [place.id, place]));
    const wallets = rows.wallets().find({ _id: { $in: [...posted.keys()].filter((id) => id !== rootId) } });
    for await (const { _id, balance, usedQuota } of wallets) {
      const place = posted.get(_id);
      if (usedQuota > 0 || (place?.isDone && balance !== place.quota)) refuse(`The balance of account ${_id}`);
    }
  }
}

async function idsOfKind(importId: string, kind: ImportKind): Promise<number[]> {
  return (await ImportRow.find({ importId, kind }).select('id').lean()).map(({ id }) => id);
}

async function* pagesOfKind(importId: string, kind: ImportKind): AsyncGenerator<Place[]> {
  for (let last = ''; ; ) {
    const page = await ImportRow.find({ importId, kind, _id: { $gt: last } })
      .sort({ _id: 1 })
      .limit(rowsAtOnce)
      .lean();
    const newest = page.at(-1);
    if (newest === undefined) return;
    yield page as Place[];
    last = newest._id;
  }
}
