import { role } from '@tollgate/contracts';
import { seal, User } from '@tollgate/db';
import { accessTokenHash } from '../auth/authenticate.ts';
import { factoryPassword, isImportedHash } from '../auth/passwords.ts';
import { placeOfWebhookSecret, settingOf } from '../notices/way.ts';
import { leftOutUser, type MappedUser, mapUser } from './map-user.ts';
import { markDone, type Place, placesOf } from './places.ts';
import { followBalance } from './postings.ts';
import { refOf, type SourceUser, sourceUser } from './rows.ts';
import { insertRows, noteChange, noteLeftOut, type Run, readable, timeOf } from './run.ts';
import { secondStepFields } from './second-steps.ts';
import { numbersOf, pagesOf } from './source.ts';
import { takenFields, uniqueOf } from './unique-fields.ts';

interface Found extends MappedUser {
  row: SourceUser;
  place: Place;
}

/** Takes over accounts and their balances. The first root of the source is merged with the root here. */
export async function importUsers(run: Run): Promise<void> {
  const { sums } = run.report;
  const root = await User.findOne({ role: role.root }).sort({ id: 1 }).select('+passwordHash').lean();
  if (!root) throw new Error('There is no account root here yet: start Tollgate once, then import.');
  const { first = 0 } = await numbersOf(
    run.source,
    `SELECT MIN("id") AS "first" FROM "users" WHERE "role" = ${role.root} AND "status" = 1`,
  );
  const taken = takenFields();
  for await (const page of pagesOf(run.source, 'users')) {
    const rows = readable(run, 'user', { rows: page, schema: sourceUser });
    const alive = rows.filter((row) => isTakenOver(run, row));
    const places = await placesOf(
      run,
      'user',
      alive.map((row) => ({
        key: refOf(row),
        name: row.username,
        quota: mapUser(row).quota,
        ...(row.id === first && { id: root.id }),
      })),
    );
    refuseAnother(alive, places);
    const found = alive.map((row) => ({ row, place: places.get(refOf(row)) as Place, ...mapUser(row) }));
    const open = found.filter(({ place, row }) => !place.isDone && row.id !== first);
    await taken.read(open.map(({ fields }) => uniqueOf(fields)));
    const documents = open.map((each) => userRow(run, each, taken));
    for (const { row, changes } of open) for (const text of changes) noteChange(run, 'user', { which: named(row), text });
    run.report.made.user += open.length;
    run.report.unchanged.user += found.filter(({ place }) => place.isDone).length;
    const merged = found.find(({ place, row }) => !place.isDone && row.id === first);
    if (merged) await mergeRoot(run, merged, root);
    if (run.apply)
      await insertRows(documents, {
        insert: (rows) => User.insertMany(rows, { ordered: false }),
        count: (ids) => User.countDocuments({ id: { $in: ids } }),
      });
    for (const { row, place } of found) {
      run.userIds.set(row.id, place.id);
      run.usernames.set(row.id, row.id === first ? root.username : row.username);
    }
    open.forEach(({ row }, at) => void run.usernames.set(row.id, documents[at]?.username ?? row.username));
    for (const each of found) {
      sums.sourceBalances += each.row.quota;
      sums.debts += each.row.quota - each.quota;
      sums.spent += each.row.used_quota;
    }
    await postAll(run, found);
    await markDone(
      run,
      found.filter(({ place }) => !place.isDone).map(({ place }) => place),
    );
    sums.invitations += found.reduce((sum, { fields }) => sum + fields.affQuota, 0);
  }
  await linkInviters(run);
}

function named(row: SourceUser): string {
  return `${refOf(row)} (${row.username})`;
}

function isTakenOver(run: Run, row: SourceUser): boolean {
  const reason = leftOutUser(row);
  if (reason === undefined) return true;
  run.report.sums.sourceBalances += row.quota;
  run.report.sums.leftOutBalances += row.quota;
  noteLeftOut(run, 'user', { which: named(row), text: `${reason}; its balance is ${row.quota}` });
  return false;
}

/** Two installations under one name would be mixed up. Accounts may be renamed; not most of them. */
function refuseAnother(rows: readonly SourceUser[], places: ReadonlyMap<string, Place>): void {
  const known = rows.filter((row) => places.get(refOf(row))?.isDone);
  const renamed = known.filter((row) => places.get(refOf(row))?.name !== row.username);
  if (renamed.length > known.length / 2)
    throw new Error('Another installation was imported under this name. Give this one a name of its own: --name second.');
}

function userRow(run: Run, { row, place, fields, changes }: Found, taken: ReturnType<typeof takenFields>) {
  const settled = taken.settle(fields, { key: refOf(row), id: place.id, changes });
  if (row.ref === '' && place.id !== row.id) changes.push(`its id ${row.id} is taken: it gets another one`);
  if (!run.groups.has(fields.group)) changes.push(`its group ${fields.group} has no ratio here: its calls are refused`);
  const access = row.access_token === '' ? {} : { accessTokenHash: accessTokenHash(row.access_token) };
  const kept = secondStepFields(run, settled, { sourceId: row.id, id: place.id, which: named(row) });
  return { ...access, ...kept, ...settingHere(fields.setting, place.id), id: place.id, createdAt: timeOf(run, row.created_at) };
}

/** Notification settings with their secret sealed for the account here. */
function settingHere(setting: string | undefined, id: number): { setting?: string } {
  if (setting === undefined || setting === '') return {};
  const all = settingOf({ setting });
  if (all.webhook_secret) all.webhook_secret = seal(all.webhook_secret, placeOfWebhookSecret(id));
  return { setting: JSON.stringify(all) };
}

type Root = { id: number; username: string; passwordHash?: string | null; mustChangePassword?: boolean | null };

/** A root whose password here is nobody's choice gets the one of the source. */
async function mergeRoot(run: Run, { row, fields }: Found, root: Root): Promise<void> {
  const isUnchosen = root.mustChangePassword === true || (await run.passwords.matches(factoryPassword, root.passwordHash));
  const own = { sourceId: row.id, id: root.id, which: named(row) };
  const isOffered = isUnchosen && fields.passwordHash !== undefined && !isImportedHash(root.passwordHash);
  const kept: { passwordHash?: string | undefined } = isOffered ? secondStepFields(run, { passwordHash: fields.passwordHash }, own) : {};
  const isTaken = kept.passwordHash !== undefined;
  const password = isTaken || root.passwordHash === fields.passwordHash ? 'with the password of the source' : 'whose password stays';
  noteChange(run, 'user', {
    which: named(row),
    text: `it is merged with ${root.username} (id ${root.id}), ${password}; balance and tokens are added`,
  });
  run.report.made.user += 1;
  if (!run.apply || !isTaken) return;
  await User.updateOne(
    { id: root.id, passwordHash: root.passwordHash ?? null },
    { $set: kept, $unset: { mustChangePassword: 1 }, $inc: { version: 1 } },
  );
}

const postingsAtOnce = 16;

async function postAll(run: Run, found: readonly Found[]): Promise<void> {
  const waiting = [...found];
  const work = async (): Promise<void> => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
      const { row, place, quota } = each;
      if (run.apply && !place.isDone) await run.wallet.open(place.id);
      const wasDone = place.isDone;
      const before = place.quota;
      const refused = await followBalance(run, { sourceId: refOf(row), quota, place, username: run.usernames.get(row.id) ?? row.username });
      if (refused !== 0)
        noteLeftOut(run, 'user', { which: named(row), text: `its balance became ${quota} at the source, and is spent here` });
      else if (wasDone && before !== quota)
        noteChange(run, 'user', { which: named(row), text: `its balance follows the source: ${before} becomes ${quota}` });
    }
  };
  await Promise.all(Array.from({ length: postingsAtOnce }, work));
}

/** Once all accounts are here. What an administrator changes later stays. */
async function linkInviters(run: Run): Promise<void> {
  if (!run.apply || !run.source.tables.get('users')?.has('inviter_id')) return;
  const rows = await run.source.select('SELECT "id", "inviter_id" FROM "users" WHERE "inviter_id" > 0');
  for (const row of rows) {
    const [id, inviterId] = [run.userIds.get(Number(row.id)), run.userIds.get(Number(row.inviter_id))];
    if (id !== undefined && inviterId !== undefined) await User.updateOne({ id, inviterId: 0 }, { $set: { inviterId } });
  }
}
