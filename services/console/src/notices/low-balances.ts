import { chargedBalancesKey } from '@tollgate/contracts';
import { User, type UserDoc } from '@tollgate/db';
import type { Context } from '../context.ts';
import { notify } from './notify.ts';
import { settingOf } from './way.ts';

/** Where a run moves the noted balances that it works on; a run that died left them there. */
const takenKey = `${chargedBalancesKey}:taken`;
const usersAtOnce = 500;
const silenceSeconds = 2 * 3600;

/**
 * Looks at the wallets that were charged since the last time, and warns whose balance is below his threshold, or gone; of each at most once in
 * two hours. Safe to repeat: what a dead console had taken is looked at first.
 */
export async function warnOfLowBalances(context: Context, signal: AbortSignal): Promise<void> {
  const { redis } = context;
  await redis.renamenx(chargedBalancesKey, takenKey).catch((error: Error) => {
    if (!error.message.includes('no such key')) throw error;
  });
  const balances = new Map(Object.entries(await redis.hgetall(takenKey)).map(([id, balance]) => [Number(id), Number(balance)]));
  const ids = [...balances.keys()];
  for (let from = 0; from < ids.length; from += usersAtOnce) {
    signal.throwIfAborted();
    const users = await User.find({ id: { $in: ids.slice(from, from + usersAtOnce) }, deletedAt: null })
      .select('id email setting')
      .lean();
    const low = users.filter((user) => (balances.get(user.id) ?? 0) < thresholdOf(context, user));
    if (low.length > 0) await warn(context, low);
  }
  await redis.del(takenKey);
}

function thresholdOf({ options }: Context, user: Pick<UserDoc, 'setting'>): number {
  return settingOf(user).quota_warning_threshold ?? options.values.QuotaRemindThreshold;
}

async function warn(context: Context, users: Pick<UserDoc, 'id' | 'email' | 'setting'>[]): Promise<void> {
  const remaining = await context.wallet.remaining(users.map(({ id }) => id)); // somebody may have topped up since
  for (const user of users) {
    const left = remaining.get(user.id) ?? 0;
    if (left >= thresholdOf(context, user)) continue;
    const code = left > 0 ? 'quota_low' : 'quota_gone';
    const isFirst = await context.redis.set(`warned:${user.id}:${code}`, 1, 'EX', silenceSeconds, 'NX');
    if (isFirst) await notify(context, user, { code, values: { remaining: moneyText(context, left), link: topUpAddress(context) } });
  }
}

export function moneyText({ options }: Pick<Context, 'options'>, quota: number): string {
  const { DisplayInCurrencyEnabled, QuotaPerUnit } = options.values;
  return DisplayInCurrencyEnabled ? `$${(quota / QuotaPerUnit).toFixed(6)}` : String(quota);
}

function topUpAddress({ options }: Context): string {
  return options.values.ServerAddress && `${options.values.ServerAddress}/topup`;
}
