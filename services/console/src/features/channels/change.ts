import { Channel } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
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
