import { beginOf, redemptionStatus } from '@tollgate/contracts';
import { Redemption, seal } from '@tollgate/db';
import { codeDigest } from '../features/redemption/service.ts';
import { markDone, type Place, placesOf } from './places.ts';
import { type SourceCode, sourceCode } from './rows.ts';
import { insertRows, noteChange, noteLeftOut, type Run, readable, timeOf } from './run.ts';
import { pagesOf } from './source.ts';

const longestCode = 64;

/** Takes over redemption codes: unused ones can be redeemed here, used ones are history. */
export async function importCodes(run: Run): Promise<void> {
  for await (const page of pagesOf(run.source, 'redemptions')) {
    const rows = readable(run, 'code', { rows: page, schema: sourceCode }).filter((row) => isTakenOver(run, row));
    const digests = new Map(rows.map((row) => [row.id, codeDigest(row.key)]));
    const taken = await Redemption.find({ keyDigest: { $in: [...digests.values()] } })
      .select('id keyDigest')
      .lean();
    const holders = new Map(taken.map(({ id, keyDigest }) => [keyDigest, id]));
    const places = await placesOf(
      run,
      'code',
      rows.map(({ id }) => ({ key: String(id) })),
    );
    const open: { row: SourceCode; place: Place }[] = [];
    for (const row of rows) {
      const place = places.get(String(row.id)) as Place;
      const holder = holders.get(digests.get(row.id) ?? '');
      if (row.status === redemptionStatus.unused) run.report.sums.codes += row.quota;
      if (place.isDone) await followUse(run, row, place);
      else if (holder !== undefined && holder !== place.id)
        noteLeftOut(run, 'code', { which: named(row), text: `code ${holder} here is the same` });
      else open.push({ row, place });
    }
    const documents = open.map(({ row, place: { id } }) => codeRow(run, row, { id, keyDigest: digests.get(row.id) as string }));
    run.report.made.code += open.length;
    if (!run.apply) continue;
    await insertRows(documents, {
      insert: (rows) => Redemption.insertMany(rows, { ordered: false }),
      count: (ids) => Redemption.countDocuments({ id: { $in: ids } }),
    });
    await markDone(
      run,
      open.map(({ place }) => place),
    );
  }
}

function named({ id, name }: SourceCode): string {
  return `${id} (${name})`;
}

function isTakenOver(run: Run, row: SourceCode): boolean {
  const reason = leftOut(row);
  if (reason !== undefined) noteLeftOut(run, 'code', { which: named(row), text: reason });
  return reason === undefined;
}

function leftOut({ deleted_at, key, quota }: SourceCode): string | undefined {
  if (deleted_at) return 'it is deleted';
  if (key.trim() === '' || key.length > longestCode) return `it is no code of 1 to ${longestCode} characters`;
  return quota <= 0 ? 'it is worth nothing' : undefined;
}

function codeRow(run: Run, row: SourceCode, { id, keyDigest }: { id: number; keyDigest: string }) {
  const isUsed = row.status === redemptionStatus.used;
  const expires = !isUsed && row.expired_time > 0;
  if (expires) noteChange(run, 'code', { which: named(row), text: 'it is disabled: codes do not expire here, and this one does' });
  const isOn = row.status === redemptionStatus.unused && !expires;
  const openStatus = isOn ? redemptionStatus.unused : redemptionStatus.disabled;
  return {
    id,
    userId: run.userIds.get(row.user_id) ?? 0,
    name: beginOf(row.name.trim() || `code ${row.id}`, 20),
    quota: row.quota,
    status: isUsed ? redemptionStatus.used : openStatus,
    keyDigest,
    keySealed: seal(row.key, `redemption:${id}:key`),
    createdAt: timeOf(run, row.created_time),
    ...(isUsed && usedFields(run, row)),
  };
}

function usedFields(run: Run, row: SourceCode) {
  return {
    redeemedAt: timeOf(run, row.redeemed_time),
    usedUserId: run.userIds.get(row.used_user_id) ?? 0,
    usedUsername: run.usernames.get(row.used_user_id) ?? '',
  };
}

/** A code that was used at the source since the last run must not be good here, too. */
async function followUse(run: Run, row: SourceCode, place: Place): Promise<void> {
  run.report.unchanged.code += 1;
  if (row.status !== redemptionStatus.used) return;
  const open = { id: place.id, status: redemptionStatus.unused };
  if (!(await Redemption.exists(open))) return;
  noteChange(run, 'code', { which: named(row), text: 'it was used at the source and is used here, too' });
  if (run.apply)
    await Redemption.updateOne(open, { $set: { status: redemptionStatus.used, ...usedFields(run, row) }, $inc: { version: 1 } });
}
