import { type Provider, providerOf, type Target } from '@tollgate/providers';
import { AppError, type Egress } from '@tollgate/runtime';
import { keyedRow, keyText } from './key-rows.ts';
import { proxyOf } from './proxies.ts';
import type { ChannelRow } from './views.ts';

/** A channel with all that its provider is asked with. Never leaves the service: the key is in it. */
export interface Upstream {
  channel: ChannelRow;
  /** Undefined for a type that is not spoken yet. */
  provider: Provider | undefined;
  target: Omit<Target, 'model'>;
  /** The proxy that its calls go through. */
  proxy: string | undefined;
}

/** `keyId`: with which of several keys; without it the first one that is enabled. Throws: AppError `record_not_found`. */
export async function upstreamOf(channelId: number, keyId?: number): Promise<Upstream> {
  const channel = await keyedRow(channelId);
  const provider = providerOf(channel.type);
  const target = {
    key: keyText(channel, keyId),
    baseUrl: channel.baseUrl || (provider?.baseUrl ?? ''),
    other: channel.other,
    organization: channel.organization,
  };
  return { channel, provider, target, proxy: proxyOf(channel.setting) };
}

/** One question to a provider, ready but for what proves our key. */
interface Question {
  url: string;
  headers: Record<string, string>;
  body?: Buffer;
}

interface Asked {
  provider: Provider;
  proxy: string | undefined;
}

/** What the channel's key is good for now, where that is another word than the key. Throws: UpstreamError when it is not taken. */
export async function withToken(egress: Egress, { provider, proxy }: Asked, asked: Target): Promise<Target> {
  const target = asked.baseUrl === '' ? { ...asked, baseUrl: provider.baseUrlOf?.(asked) ?? '' } : asked;
  if (provider.token === undefined) return target;
  const { url, headers, body } = await provider.token.ask(target, Date.now());
  const answer = await egress.exchange(url, { method: 'POST', headers, body, proxy });
  const { token } = provider.token.read({ status: answer.status, body: answer.body.toString('utf8') }, target.key);
  return { ...target, token };
}

/** A question with its signature, where the provider wants one. Throws: UpstreamError when the key has not the form for it. */
export async function signed(provider: Provider, target: Target, { url, headers, body }: Question): Promise<Question> {
  const parts = await provider.sign?.({ url, target, body: body ?? Buffer.alloc(0), atMs: Date.now() });
  return { url: parts?.url ?? url, headers: { ...headers, ...parts?.headers }, body };
}

/** What speaks against an address that somebody typed, which he is told as it stands. */
export function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && error.status < 500;
}

/** Why a provider did not answer, in words that are safe to show. */
export function reasonOfSilence(error: unknown): string {
  if (error instanceof AppError) return 'its answer cannot be read'; // there is too much of it
  if (error instanceof Error && error.name === 'TimeoutError') return 'it did not answer in time';
  return 'it cannot be reached';
}
