import { channelStatus } from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import { UpstreamError } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Context } from '../../context.ts';
import { disableChannel } from './automatic-status.ts';
import { isRefusal, reasonOfSilence, upstreamOf } from './upstream.ts';

/** Asks a channel's provider what the account has left, and notes it. In US dollars; yuan are converted by the option `Price`. */
export async function updateBalance(context: Context, channelId: number): Promise<number> {
  const { provider, target, proxy } = await upstreamOf(channelId);
  if (!provider?.balance) throw unknown('this channel type does not tell');
  const asked = { ...target, model: '' };
  const today = new Date().toISOString().slice(0, 10);
  const bodies: unknown[] = [];
  for (const url of provider.balance.urls(asked, today)) {
    const answer = await context.egress.exchange(url, { headers: provider.headers(asked), proxy }).catch((error) => {
      throw isRefusal(error) ? error : unknown(reasonOfSilence(error), error);
    });
    const text = answer.body.toString('utf8');
    if (answer.status !== 200) throw unknown(provider.error({ status: answer.status, body: text }, asked.key).message);
    bodies.push(readJson(text));
  }
  const balance = inDollars(decoded(provider.balance, bodies), context.options.values.Price);
  await Channel.updateOne({ id: channelId }, { $set: { balance, balanceUpdatedAt: new Date() } });
  return balance;
}

/** Updates the balances of all enabled channels; those that do not tell are passed over, empty ones switched off as rules permit. Returns how many told. */
export async function updateBalances(context: Context, signal?: AbortSignal): Promise<number> {
  const channels = await Channel.find({ status: channelStatus.enabled }).sort({ id: 1 }).select({ id: 1 }).lean();
  let updated = 0;
  for (const { id } of channels) {
    signal?.throwIfAborted();
    try {
      const balance = await updateBalance(context, id);
      updated += 1;
      if (balance <= 0 && context.options.values.AutomaticDisableChannelEnabled)
        await disableChannel(context, id, 'The balance is used up');
    } catch (error) {
      context.log.info({ channelId: id, reason: error instanceof Error ? error.message : 'unknown' }, 'a balance is not to be had');
    }
  }
  return updated;
}

type Query = NonNullable<NonNullable<Awaited<ReturnType<typeof upstreamOf>>['provider']>['balance']>;

function decoded(query: Query, bodies: unknown[]): ReturnType<Query['decode']> {
  const told = attempted(query, bodies);
  if (!Number.isFinite(told.amount)) throw unknown('its answer tells no amount');
  return told;
}

function attempted(query: Query, bodies: unknown[]): ReturnType<Query['decode']> {
  try {
    return query.decode(bodies);
  } catch (error) {
    if (error instanceof UpstreamError) throw unknown(error.message, error);
    // JSON, and no object where one belongs.
    if (error instanceof TypeError) throw unknown('its answer cannot be read', error);
    throw error;
  }
}

function inDollars({ amount, currency }: ReturnType<Query['decode']>, yuanPerDollar: number): number {
  return currency === 'CNY' && yuanPerDollar > 0 ? amount / yuanPerDollar : amount;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unknown('its answer cannot be read', cause);
  }
}

function unknown(reason: string, cause?: unknown): AppError {
  return new AppError('upstream_balance_unknown', { reason }, { cause });
}
