import { logType, mostQuota, type RedeemBody, redemptionStatus } from '@tollgate/contracts';
import { Redemption, type RedemptionDoc } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { codeDigests } from './service.ts';

type Money = Pick<Context, 'wallet'>;

/**
 * Gives the caller what a code is worth; answers how much. One write decides who redeems: the update of the row from unused to used,
 * which also notes that its quota is owed. The ledger then takes it under the code's id, once however often it is said; a process that
 * dies in between leaves the note, which the job `pay-owed` brings to the same end. What does not fit into the balance leaves the code unused.
 */
export async function redeem(money: Money, { key }: RedeemBody, caller: Caller): Promise<number> {
  const code = { keyDigest: { $in: codeDigests(key) }, deletedAt: null };
  const row = await Redemption.findOneAndUpdate(
    { ...code, status: redemptionStatus.unused },
    {
      $set: { status: redemptionStatus.used, usedUserId: caller.id, usedUsername: caller.username, redeemedAt: new Date(), isOwed: true },
      $inc: { version: 1 },
    },
    { returnDocument: 'after' },
  ).lean();
  if (!row) throw await refusalOf(code);
  if (await creditCode(money, row)) return row.quota;
  throw new AppError('invalid_parameter', { reason: `the balance would be more than ${mostQuota}` });
}

/** What a process took and left uncredited because it died. */
export function owedCodes(): AsyncIterable<RedemptionDoc> {
  return Redemption.find({ isOwed: true }).lean().cursor();
}

/** The one place that turns a used code into money. False: the ledger refused it for good, and the code may be redeemed again, as another entry. */
export async function creditCode(
  { wallet }: Money,
  { id, quota, usedUserId, usedUsername, refusals = null }: RedemptionDoc,
): Promise<boolean> {
  const text = { code: 'code_redeemed', values: { quota, id } } as const;
  const log = { type: logType.topUp, username: usedUsername, text, quota };
  const entry = refusals ? `redeem:${id}:${refusals}` : `redeem:${id}`;
  const { state } = await wallet.post({ id: entry, userId: usedUserId, amount: quota, most: mostQuota, reason: 'redeem', log });
  if (state === 'applied') {
    await Redemption.updateOne({ id }, { $unset: { isOwed: 1 } });
    return true;
  }
  const unused = { status: redemptionStatus.unused, usedUserId: 0, usedUsername: '', redeemedAt: null };
  await Redemption.updateOne({ id, isOwed: true, refusals }, { $set: unused, $unset: { isOwed: 1 }, $inc: { refusals: 1, version: 1 } });
  return false;
}

async function refusalOf(code: { keyDigest: { $in: string[] }; deletedAt: null }): Promise<AppError> {
  const isUsed = await Redemption.exists({ ...code, status: redemptionStatus.used });
  return new AppError(isUsed ? 'redemption_code_used' : 'invalid_redemption_code');
}
