import { Channel, sealedDigest, sealedDigests, unseal } from '@tollgate/db';
import { AppError, type Logger } from '@tollgate/runtime';
import type { Context } from '../../context.ts';
import { changeRow } from '../../row-change.ts';
import type { ChannelRow } from './views.ts';

export async function channelRow(id: number): Promise<ChannelRow> {
  const channel = await Channel.findOne({ id }).lean();
  if (!channel) throw new AppError('record_not_found');
  return channel;
}

/** Changes a channel for a rule, or together with others; returns whether anything is different now. One that is gone is passed over. */
export async function changeChannel(id: number, fields: (channel: ChannelRow) => Partial<ChannelRow>): Promise<boolean> {
  try {
    const { changed } = await changeRow<ChannelRow>(Channel, { read: () => channelRow(id), fields });
    return changed.length > 0;
  } catch (error) {
    if (error instanceof AppError && error.code === 'record_not_found') return false;
    throw error;
  }
}

/** More than these are read quicker all together than by their ids. */
const mostTold = 1_000;

/** Tells of channels that were changed together in one notice. */
export async function announceChannels(context: Context, ids: readonly number[] | 'all'): Promise<void> {
  if (ids === 'all' || ids.length > mostTold) await context.announce('channel', 0);
  else if (ids.length > 0) await context.announce('channel', ids.join(','));
}

const purpose = 'channel key';

export function keyDigest(key: string): string {
  return sealedDigest(key, purpose);
}

/** Under each master key that is set. */
export function keyDigests(key: string): string[] {
  return sealedDigests(key, purpose);
}

/** Gives channels from before there were digests theirs. A key that cannot be read is none of this one's business. */
export async function digestOlderKeys(log: Logger): Promise<void> {
  for (const { id, keySealed } of await Channel.find({ keyDigest: null }).select('id +keySealed').lean()) {
    try {
      await Channel.updateOne({ id, keySealed }, { $set: { keyDigest: keyDigest(unseal(keySealed, `channel:${id}:key`)) } });
    } catch (error) {
      log.warn({ err: error, channelId: id }, 'a channel will not be found by its key');
    }
  }
}
