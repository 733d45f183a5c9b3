import { createHmac } from 'node:crypto';
import { AppError, askedBy } from '@tollgate/runtime';
import { isRefusal, reasonOfSilence } from '../features/channels/upstream.ts';
import type { Way } from './way.ts';
import { filled, type Notice } from './words.ts';

const longestMs = 5000;
const mostBytes = 64 << 10;

type Webhook = Pick<Extract<Way, { by: 'webhook' }>, 'url' | 'secret' | 'form'>;
interface Call {
  url: string;
  body: object;
  headers?: Record<string, string>;
}

/** Calls a webhook once. Throws `webhook_failed` with a reason that holds nothing of its address or answer. */
export async function callWebhook(by: Parameters<typeof askedBy>[0], webhook: Webhook, notice: Notice): Promise<void> {
  const { url, body, headers } = callOf(webhook, notice);
  const text = JSON.stringify(body);
  const call = {
    address: url,
    method: 'POST' as const,
    headers: { 'content-type': 'application/json', ...headers, ...signatureOf(webhook, text) },
    body: text,
  };
  const answer = await ask(by, call).catch((error) => {
    if (isRefusal(error)) throw error; // it says itself, in both languages, where we do not call
    throw new AppError('webhook_failed', { reason: reasonOfSilence(error) }, { cause: error });
  });
  if (answer.status < 200 || answer.status > 299)
    throw new AppError('webhook_failed', { reason: `it answered with status ${answer.status}` });
  if (webhook.form !== 'json') refuseRefusal(answer.body.toString('utf8'));
}

async function ask(asking: Parameters<typeof askedBy>[0], call: Parameters<typeof askedBy>[1]) {
  const { by, address, ...question } = await askedBy(asking, call);
  return by.exchange(address, { ...question, timeoutMs: longestMs, maxBytes: mostBytes });
}

function callOf({ url, secret, form }: Webhook, notice: Notice): Call {
  const { type, title, content, values } = notice;
  if (form === 'json') return { url, body: { type, title, content, values, timestamp: Math.floor(Date.now() / 1000) } };
  // Both robots read the same: https://developer.work.weixin.qq.com/document/path/91770, https://open.dingtalk.com/document/robots/custom-robot-access
  const body = { msgtype: 'text', text: { content: `${title}\n${filled(notice)}` } };
  return { url: form === 'dingtalk' && secret !== '' ? signedForDingTalk(url, secret) : url, body };
}

/** Of the plain form only: a robot's secret is not for its wire. */
function signatureOf({ secret, form }: Webhook, text: string): Record<string, string> {
  if (secret === '' || form !== 'json') return {};
  const signature = createHmac('sha256', secret).update(text).digest('hex');
  return { 'x-webhook-signature': signature, authorization: `Bearer ${secret}` };
}

/** https://open.dingtalk.com/document/robots/customize-robot-security-settings */
function signedForDingTalk(address: string, secret: string): string {
  const timestamp = String(Date.now());
  const url = new URL(address);
  url.searchParams.set('timestamp', timestamp);
  url.searchParams.set('sign', createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64'));
  return url.href;
}

/** Robots answer 200 to what they refuse, and say so by a number. */
function refuseRefusal(answer: string): void {
  const code = errcodeIn(answer);
  if (code !== undefined && code !== 0) throw new AppError('webhook_failed', { reason: `it answered with errcode ${code}` });
}

function errcodeIn(answer: string): number | undefined {
  try {
    const { errcode } = JSON.parse(answer) as { errcode?: unknown };
    return Number.isSafeInteger(errcode) ? (errcode as number) : undefined;
  } catch {
    return undefined; // no answer of a robot: its status was good
  }
}
