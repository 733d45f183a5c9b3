import { AppError, askedBy, parsedJson } from '@tollgate/runtime';
import { isRefusal, reasonOfSilence } from '../features/channels/upstream.ts';
import type { Way } from './way.ts';
import { webhookForms } from './webhook-forms.ts';
import type { Notice } from './words.ts';

const longestMs = 5000;
const mostBytes = 64 << 10;

type Webhook = Pick<Extract<Way, { by: 'webhook' }>, 'url' | 'secret' | 'form'>;

/** Calls a webhook once. Throws `webhook_failed` with a reason that holds nothing of its address or answer. */
export async function callWebhook(by: Parameters<typeof askedBy>[0], webhook: Webhook, notice: Notice): Promise<void> {
  const { call: callOf, verdict } = webhookForms[webhook.form];
  const { url, body, headers } = callOf(webhook, notice);
  const call = {
    address: url,
    method: 'POST' as const,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
  const answer = await ask(by, call).catch((error) => {
    if (isRefusal(error)) throw error; // it says itself, in both languages, where we do not call
    throw new AppError('webhook_failed', { reason: reasonOfSilence(error) }, { cause: error });
  });
  if (answer.status < 200 || answer.status > 299)
    throw new AppError('webhook_failed', { reason: `it answered with status ${answer.status}` });
  if (verdict) refuseRefusal(answer.body.toString('utf8'), verdict);
}

async function ask(asking: Parameters<typeof askedBy>[0], call: Parameters<typeof askedBy>[1]) {
  const { by, address, ...question } = await askedBy(asking, call);
  return by.exchange(address, { ...question, timeoutMs: longestMs, maxBytes: mostBytes });
}

/** A response without these fields counts as success: its status was good. */
function refuseRefusal(answer: string, { fields, good }: { fields: readonly string[]; good: number | true }): void {
  const said = parsedJson(answer);
  if (typeof said !== 'object' || said === null) return;
  for (const field of fields) {
    const value = (said as Record<string, unknown>)[field];
    if (value === undefined || value === good || (typeof value !== 'number' && typeof value !== 'boolean')) continue;
    throw new AppError('webhook_failed', { reason: `it answered with ${field} ${value}` });
  }
}
