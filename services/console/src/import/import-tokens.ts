import { seal, Token } from '@tollgate/db';
import { keyHashOf } from '../features/tokens/service.ts';
import { type MappedToken, mapToken } from './map-token.ts';
import { markDone, type Place, placesOf } from './places.ts';
import { setPosted } from './postings.ts';
import { refOf, type SourceToken, sourceToken } from './rows.ts';
import { insertRows, noteChange, noteLeftOut, type Run, readable, timeOf } from './run.ts';
import { pagesOf } from './source.ts';

interface Found {
  row: SourceToken;
  userId: number;
  token: MappedToken;
  changes: string[];
  keyHash: string;
}

/** Takes over tokens: callers go on with the keys that they have. */
export async function importTokens(run: Run): Promise<void> {
  const seen = new Set<string>();
  for await (const page of pagesOf(run.source, 'tokens')) {
    const rows = readable(run, 'token', { rows: page, schema: sourceToken });
    const mapped = rows.flatMap((row) => found(run, row, seen));
    const taken = await Token.find({ keyHash: { $in: mapped.map(({ keyHash }) => keyHash) } })
      .select('id keyHash')
      .lean();
    const holders = new Map(taken.map(({ id, keyHash }) => [keyHash, id]));
    const places = await placesOf(
      run,
      'token',
      mapped.map(({ row, token }) => ({ key: refOf(row), quota: token.remain })),
    );
    const open: (Found & { place: Place })[] = [];
    for (const each of mapped) {
      const place = places.get(refOf(each.row)) as Place;
      run.tokens.set(each.row.id, { id: place.id, userId: each.userId });
      const holder = holders.get(each.keyHash);
      if (!each.token.fields.unlimited) run.report.sums.tokenLimits += each.token.remain;
      if (place.isDone) await followRemain(run, each, place);
      else if (holder !== undefined && holder !== place.id)
        noteLeftOut(run, 'token', { which: named(each.row), text: `token ${holder} here has the same key` });
      else open.push({ ...each, place });
    }
    for (const { row, changes } of open) for (const text of changes) noteChange(run, 'token', { which: named(row), text });
    run.report.made.token += open.length;
    if (run.apply) await write(run, open);
  }
}

function named({ id, name }: SourceToken): string {
  return `${id} (${name})`; // not `refOf`: it may be the key's hash
}

/** A token with its owner here; or nothing, and the report says why. */
function found(run: Run, row: SourceToken, seen: Set<string>): Found[] {
  const leftOut = (text: string): Found[] => {
    noteLeftOut(run, 'token', { which: named(row), text });
    return [];
  };
  if (row.deleted_at) return leftOut('it is deleted');
  const userId = run.userIds.get(row.user_id);
  if (userId === undefined) return leftOut(`its owner, account ${row.user_id}, is deleted or left out`);
  const outcome = mapToken(run.product, row);
  if ('leftOut' in outcome) return leftOut(outcome.leftOut);
  const keyHash = row.key === '' ? row.key_hash : keyHashOf(outcome.token.key);
  if (seen.has(keyHash)) return leftOut('an earlier token has the same key');
  seen.add(keyHash);
  const { group = '' } = outcome.token.fields;
  if (group && !run.groups.has(group)) outcome.changes.push(`its group ${group} has no ratio here: its calls are refused`);
  return [{ row, userId, keyHash, ...outcome }];
}

async function write(run: Run, open: readonly (Found & { place: Place })[]): Promise<void> {
  await Promise.all(open.map(({ place, userId, token }) => run.wallet.openToken({ tokenId: place.id, userId, remain: token.remain })));
  const known = await run.wallet.tokenBalances(open.map(({ place }) => place.id));
  for (const { place, userId, token } of open) {
    const { remain, used } = known.get(place.id) ?? { remain: token.remain, used: 0 };
    // Left by an import that was undone.
    if (used === 0 && remain !== token.remain) await run.wallet.setTokenRemain({ tokenId: place.id, userId, remain: token.remain });
  }
  await insertRows(
    open.map(({ row, userId, keyHash, token, place: { id } }) => ({
      ...token.fields,
      id,
      userId,
      keyHash,
      keySealed: seal(token.key, `token:${id}:key`),
      createdAt: timeOf(run, row.created_time),
    })),
    {
      insert: (rows) => Token.insertMany(rows, { ordered: false }),
      count: (ids) => Token.countDocuments({ id: { $in: ids } }),
    },
  );
  await setPosted(open.map(({ place, token }) => ({ place, quota: token.remain })));
  await markDone(
    run,
    open.map(({ place }) => place),
  );
}

/** What is left on a token that nobody has used here follows the source. */
async function followRemain(run: Run, { row, userId, token: { fields, remain } }: Found, place: Place): Promise<void> {
  if (fields.unlimited || remain === place.quota) {
    run.report.unchanged.token += 1;
    return;
  }
  const { remain: left, used } = (await run.wallet.tokenBalances([place.id])).get(place.id) ?? { remain: 0, used: 0 };
  if (used > 0 || (left !== place.quota && left !== remain)) {
    run.report.unchanged.token += 1;
    noteLeftOut(run, 'token', { which: named(row), text: `what is left became ${remain} at the source, but it was used or changed here` });
    return;
  }
  noteChange(run, 'token', { which: named(row), text: `what is left, ${place.quota}, becomes ${remain} as at the source` });
  if (!run.apply) return;
  await run.wallet.setTokenRemain({ tokenId: place.id, userId, remain });
  await setPosted([{ place, quota: remain }]);
}
