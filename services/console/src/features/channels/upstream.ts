import { Channel, unseal } from '@tollgate/db';
import { type Provider, providerOf, type Target } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { ChannelRow } from './views.ts';

/** A channel with all that its provider is asked with. Never leaves the service: the key is in it. */
export interface Upstream {
  channel: ChannelRow;
  /** Undefined for a type that is not spoken yet. */
  provider: Provider | undefined;
  target: Omit<Target, 'model'>;
}

export async function upstreamOf(channelId: number): Promise<Upstream> {
  const stored = await Channel.findOne({ id: channelId }).select('+keySealed').lean();
  if (!stored) throw new AppError('record_not_found');
  const { keySealed, ...channel } = stored;
  const provider = providerOf(channel.type);
  const target = {
    key: unseal(keySealed, `channel:${channelId}:key`),
    baseUrl: channel.baseUrl || (provider?.baseUrl ?? ''),
    other: channel.other,
    organization: channel.organization,
  };
  return { channel, provider, target };
}

/** Why a provider did not answer, in words that are safe to show. */
export function reasonOfSilence(error: unknown): string {
  if (error instanceof AppError) return error.message;
  if (error instanceof Error && error.name === 'TimeoutError') return 'it did not answer in time';
  return 'it cannot be reached';
}
