import { User } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import { newRecoveryCodes, newSecret, sealSecret, secondFactorOf, stepOf, unsealSecret } from '../../auth/second-factor.ts';
import type { Context } from '../../context.ts';

const setupSeconds = 600;

export async function secondFactorStatus(caller: Caller): Promise<{ enabled: boolean; backup_codes_remaining: number }> {
  const totp = await secondFactorOf(caller.id);
  return { enabled: totp !== undefined, backup_codes_remaining: totp?.recovery.length ?? 0 };
}

/** A secret to put into an app. Redis keeps it sealed (`totp:<user>`) for ten minutes, until a code shows that the app has it. */
export async function setUpSecondFactor({ redis, options }: Context, caller: Caller): Promise<{ secret: string; qr_code_data: string }> {
  if (await secondFactorOf(caller.id)) throw new AppError('second_factor_on');
  const { secret, uri } = newSecret(options.values.SystemName, caller.username);
  await redis.set(keyOf(caller.id), sealSecret(caller.id, secret), 'EX', setupSeconds);
  return { secret, qr_code_data: uri };
}

export async function enableSecondFactor(
  { redis, limits, wallet }: Context,
  code: string,
  { caller, address }: { caller: Caller; address: string },
): Promise<{ backup_codes: string[] }> {
  const sealed = await redis.get(keyOf(caller.id));
  if (sealed === null) throw new AppError('second_factor_not_set_up');
  const attempt = { account: `second factor of ${caller.id}`, address };
  await limits.attempt(attempt);
  const lastStep = stepOf(unsealSecret(caller.id, sealed), code.replace(/\s/g, ''), await wallet.now());
  if (lastStep === undefined) throw new AppError('wrong_second_factor');
  await limits.succeeded(attempt);
  const { codes, digests } = newRecoveryCodes(caller.id);
  const written = await User.updateOne(
    { id: caller.id, totp: null },
    { $set: { totp: { secret: sealed, lastStep, recovery: digests, since: new Date() } } },
  );
  await redis.del(keyOf(caller.id));
  if (written.matchedCount === 0) throw new AppError('second_factor_on');
  return { backup_codes: codes };
}

export async function dropSecondFactor(caller: Caller): Promise<void> {
  const written = await User.updateOne({ id: caller.id, 'totp.secret': { $gt: '' } }, { $unset: { totp: 1 } });
  if (written.matchedCount === 0) throw new AppError('second_factor_off');
}

export async function renewRecoveryCodes(caller: Caller): Promise<{ backup_codes: string[] }> {
  const { codes, digests } = newRecoveryCodes(caller.id);
  const written = await User.updateOne({ id: caller.id, 'totp.secret': { $gt: '' } }, { $set: { 'totp.recovery': digests } });
  if (written.matchedCount === 0) throw new AppError('second_factor_off');
  return { backup_codes: codes };
}

function keyOf(userId: number): string {
  return `totp:${userId}`;
}
