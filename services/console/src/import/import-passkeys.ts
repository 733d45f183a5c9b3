import { isDuplicate, Passkey } from '@tollgate/db';
import { markDone, placesOf } from './places.ts';
import { sourcePasskey } from './rows.ts';
import { noteLeftOut, type Run, readable } from './run.ts';
import { pagesOf } from './source.ts';

/** Takes over passkeys of another Tollgate. Browsers offer them under the same domain only. */
export async function importPasskeys(run: Run): Promise<void> {
  if (run.product !== 'tollgate') return;
  for await (const page of pagesOf(run.source, 'passkeys')) {
    const all = readable(run, 'passkey', { rows: page, schema: sourcePasskey });
    const rows = all.filter(({ user_id }) => run.userIds.has(user_id)).map((row) => ({ ...row, name: String(row.own.id) }));
    if (rows.length < all.length)
      noteLeftOut(run, 'passkey', { which: 'passkeys', text: `${all.length - rows.length} of accounts that are left out` });
    const places = await placesOf(
      run,
      'passkey',
      rows.map(({ name }) => ({ key: name, name })),
    );
    const open = rows.filter(({ name }) => !places.get(name)?.isDone);
    run.report.made.passkey += open.length;
    run.report.unchanged.passkey += rows.length - open.length;
    if (!run.apply || open.length === 0) continue;
    await Passkey.insertMany(
      open.map(({ own, user_id }) => ({ ...own, userId: run.userIds.get(user_id) })),
      { ordered: false },
    ).catch((error: unknown) => {
      if (!isDuplicate(error)) throw error; // a run that was killed had written some
    });
    await markDone(
      run,
      open.flatMap(({ name }) => places.get(name) ?? []),
    );
  }
}
