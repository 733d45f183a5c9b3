import { createHash, randomInt } from 'node:crypto';
import { isDuplicate, nameKeyOf, type Proof, proofFields, User, type UserDoc } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import confusables from './confusables.json' with { type: 'json' };

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

const letters = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** A new invitation code. Eight characters: four, as older products have them, run out. */
export function newAffCode(): string {
  return Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('');
}

/** For writes of accounts: what a unique index refused, in words. Others are thrown on. */
export function throwTaken(error: unknown): never {
  if ((['username', 'nameKey', 'nameSkeleton'] as const).some((field) => isDuplicate(error, field)))
    throw new AppError('username_taken', {}, { cause: error });
  if (isDuplicate(error, 'email')) throw new AppError('email_taken', {}, { cause: error });
  throw error;
}

const prototypes = new Map(Object.entries(confusables.prototypes).flatMap(([prototype, all]) => [...all].map((each) => [each, prototype])));

/**
 * What a user name looks like: two with the same skeleton cannot be told apart by eye. Case counts only once letters that look alike have become
 * one, as `I`, `l` and `1` do. https://www.unicode.org/reports/tr39/#def-skeleton
 */
function skeletonOf(username: string): string {
  return prototypesOf(prototypesOf(username.normalize('NFKC')).toLowerCase());
}

function prototypesOf(text: string): string {
  return [...text.normalize('NFD')]
    .map((each) => prototypes.get(each) ?? each)
    .join('')
    .normalize('NFC');
}

/** A user name, and all by which it is compared with others. */
export function nameFields(username: string): { username: string; nameKey: string; nameSkeleton: string } {
  return { username, nameKey: nameKeyOf(username), nameSkeleton: skeletonOf(username) };
}
