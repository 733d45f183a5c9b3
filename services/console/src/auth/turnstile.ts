import type { OptionValues } from '@tollgate/contracts';
import { AppError, type Egress } from '@tollgate/runtime';
import { z } from 'zod';

/** https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ */
export const turnstileAddress = 'https://challenges.cloudflare.com/turnstile/v0/siteverify';
const retryAfterSeconds = 2;
const verdict = z.object({ success: z.boolean() });

type TurnstileOptions = Pick<OptionValues, 'TurnstileCheckEnabled' | 'TurnstileSecretKey'>;

/**
 * Asks Cloudflare whether a visitor has solved the site's Turnstile; while the option is off nobody has to. Throws `turnstile_failed`, or
 * `service_unavailable` where Cloudflare does not say.
 */
export function turnstile(egress: Pick<Egress, 'exchange'>, options: () => TurnstileOptions, address = turnstileAddress) {
  return async (solved: unknown, visitor: string): Promise<void> => {
    const { TurnstileCheckEnabled, TurnstileSecretKey } = options();
    if (!TurnstileCheckEnabled) return;
    if (typeof solved !== 'string' || solved === '' || solved.length > 2048) throw new AppError('turnstile_failed');
    const question = { secret: TurnstileSecretKey, response: solved, remoteip: visitor };
    const { success } = await ask(egress, address, question).catch((cause) => {
      throw new AppError('service_unavailable', {}, { cause, retryAfterSeconds });
    });
    if (!success) throw new AppError('turnstile_failed');
  };
}

async function ask(egress: Pick<Egress, 'exchange'>, address: string, question: object): Promise<z.infer<typeof verdict>> {
  const headers = { 'content-type': 'application/json' };
  const answer = await egress.exchange(address, { method: 'POST', headers, body: JSON.stringify(question), timeoutMs: 10_000 });
  return verdict.parse(JSON.parse(answer.body.toString('utf8')));
}
