import { sealSecret } from '../auth/second-factor.ts';
import { sourceSecondStep } from './rows.ts';
import { noteChange, type Run, readable } from './run.ts';

/** What the authenticator apps of accounts hold, by account of the source; '' where it cannot be read. */
export async function readSecondSteps(run: Run): Promise<Map<number, string>> {
  if (!run.source.tables.has('two_fas')) return new Map();
  const rows = readable(run, 'user', { rows: await run.source.select('SELECT * FROM "two_fas"'), schema: sourceSecondStep });
  return new Map(rows.filter(({ is_enabled }) => is_enabled === 1).map(({ user_id, secret }) => [user_id, secretIn(secret)]));
}

/** A secret of RFC 6238 as apps take it: base32. Other texts are encrypted, or none. */
function secretIn(text: string): string {
  const secret = text.replace(/\s/g, '').toUpperCase();
  return /^[A-Z2-7]{16,128}={0,6}$/.test(secret) ? secret : '';
}

/**
 * The fields by which an account keeps its second step. Where its secret cannot be read it gets no password, so that the password alone
 * signs nobody in: a mailed link or root gives it a new one.
 */
export function secondStepFields<Fields extends { passwordHash?: string | undefined }>(
  run: Run,
  fields: Fields,
  { sourceId, id, which }: { sourceId: number; id: number; which: string },
) {
  const secret = run.secondSteps.get(sourceId);
  if (secret === undefined) return fields;
  if (secret === '') {
    noteChange(run, 'user', {
      which,
      text: 'its second step (TOTP) cannot be read: it comes without a password, and gets a new one by mail or from root',
    });
    return { ...fields, passwordHash: undefined };
  }
  noteChange(run, 'user', { which, text: 'its second step (TOTP) is kept, without recovery codes: new ones are made in the settings' });
  return { ...fields, totp: { secret: sealSecret(id, secret), lastStep: 0, recovery: [], since: run.startedAt } };
}
