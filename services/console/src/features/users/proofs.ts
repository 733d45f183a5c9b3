import { createHash } from 'node:crypto';
import { type Proof, proofFields, User, type UserDoc } from '@tollgate/db';

/** Of one account; who gives up more than that is remembered by the latest. */
const mostFormer = 200;

/** What changes in an account that has another proof now, or none (''): the one that goes is remembered. */
export function changedProof(row: Pick<UserDoc, Proof | 'formerProofs'>, proof: Proof, value: string): Partial<UserDoc> {
  const before = row[proof];
  if (!before || before === value) return { [proof]: value };
  const former = new Set([...(row.formerProofs ?? []), digestOf(proof, before)]);
  return { [proof]: value, formerProofs: [...former].slice(-mostFormer) };
}

/** Whether an account that somebody has, or had, was opened with one of these: whoever gave it up there may open another one with it. */
export async function wereHereBefore(account: Partial<Pick<UserDoc, Proof>>): Promise<boolean> {
  const digests = proofFields.flatMap((proof) => (account[proof] ? [digestOf(proof, account[proof])] : []));
  return digests.length > 0 && (await User.exists({ formerProofs: { $in: digests } })) !== null;
}

/** Nobody needs to read what somebody gave up. */
function digestOf(proof: Proof, value: string): string {
  return createHash('sha256').update(`${proof}:${value}`).digest('hex');
}
