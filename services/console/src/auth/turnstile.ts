import type { OptionValues } from '@tollgate/contracts';
import { AppError, type Egress } from '@tollgate/runtime';
import { z } from 'zod';

/** https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ */
export const turnstileAddress = 'https://challenges.cloudflare.com/turnstile/v0/siteverify';
const verdict = z.object({ success: z.boolean() });

type TurnstileOptions = Pick<OptionValues, 'TurnstileCheckEnabled' | 'TurnstileSecretKey'>;

/** Asks Cloudflare whether a visitor has solved the site's Turnstile; while the option is off nobody has to. Throws `turnstile_failed`. */
export function turnstile(egress: Pick<Egress, 'exchange'>, options: () => TurnstileOptions, address = turnstileAddress) {
  return async (solved: unknown, visitor: string): Promise<void> => {
    const { TurnstileCheckEnabled, TurnstileSecretKey } = options();
    if (!TurnstileCheckEnabled) return;
    if (typeof solved !== 'string' || solved === '' || solved.length > 2048) throw new AppError('turnstile_failed');
    const answer = await egress.exchange(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret: TurnstileSecretKey, response: solved, remoteip: visitor }),
      timeoutMs: 10_000,
    });
    if (!verdict.parse(JSON.parse(answer.body.toString('utf8'))).success) throw new AppError('turnstile_failed');
  };
}
