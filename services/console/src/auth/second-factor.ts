import { randomBytes } from 'node:crypto';
import { seal, sealedDigest, sealedDigests, User, unseal } from '@tollgate/db';
import { Secret, TOTP } from 'otpauth';

const periodSeconds = 30;
const recoveryCodes = 10;
/** No letters that are taken for digits. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A new secret for an authenticator app, as text and as the address that apps read from a QR code. */
export function newSecret(issuer: string, account: string): { secret: string; uri: string } {
  const secret = new Secret({ size: 20 }).base32;
  return { secret, uri: totpOf(secret, issuer, account).toString() };
}

/** The step of time that a code stands for: the present one or one of its neighbours; undefined when it is none of them. */
export function stepOf(secret: string, code: string, nowMs: number): number | undefined {
  const delta = totpOf(secret).validate({ token: code, timestamp: nowMs, window: 1 });
  return delta === null ? undefined : Math.floor(nowMs / 1000 / periodSeconds) + delta;
}

/**
 * Uses up a code of the app, or a recovery code, in one conditional write: neither is good a second time, however many send it at
 * once, and no code older than the last one.
 */
export async function takeSecondFactor(userId: number, code: string, nowMs: number): Promise<boolean> {
  const totp = await secondFactorOf(userId);
  if (!totp) return false;
  const typed = code.replace(/[\s-]/g, '').toLowerCase();
  if (!/^\d{6}$/.test(typed)) return takeRecoveryCode(userId, typed);
  const step = stepOf(unseal(totp.secret, placeOfSecondFactor(userId)), typed, nowMs);
  if (step === undefined) return false;
  const used = await User.updateOne(
    { id: userId, 'totp.secret': totp.secret, 'totp.lastStep': { $lt: step } },
    { $set: { 'totp.lastStep': step } },
  );
  return used.matchedCount === 1;
}

export async function secondFactorOf(userId: number) {
  return (await User.findOne({ id: userId }).select('+totp').lean())?.totp ?? undefined;
}

export function sealSecret(userId: number, secret: string): string {
  return seal(secret, placeOfSecondFactor(userId));
}

export function unsealSecret(userId: number, sealed: string): string {
  return unseal(sealed, placeOfSecondFactor(userId));
}

/** Ten codes to write down, and the digests by which they are known again. */
export function newRecoveryCodes(userId: number): { codes: string[]; digests: string[] } {
  const codes = Array.from({ length: recoveryCodes }, () => {
    const text = Array.from(randomBytes(10), (byte) => letters[byte % letters.length]).join('');
    return `${text.slice(0, 5)}-${text.slice(5)}`;
  });
  return { codes, digests: codes.map((code) => sealedDigest(code.replace('-', ''), purposeOf(userId))) };
}

async function takeRecoveryCode(userId: number, typed: string): Promise<boolean> {
  const digests = { $in: sealedDigests(typed, purposeOf(userId)) };
  const used = await User.updateOne({ id: userId, 'totp.recovery': digests }, { $pull: { 'totp.recovery': digests } });
  return used.matchedCount === 1;
}

function purposeOf(userId: number): string {
  return `recovery:${userId}`;
}

export function placeOfSecondFactor(userId: number): string {
  return `user:${userId}:totp`;
}

function totpOf(secret: string, issuer?: string, label?: string): TOTP {
  return new TOTP({ secret, algorithm: 'SHA1', digits: 6, period: periodSeconds, ...(issuer && { issuer }), ...(label && { label }) });
}
