import { createHmac } from 'node:crypto';
import { derivedKeys } from './derived-key.ts';
import { isOneOf } from './same-bytes.ts';

/**
 * The endpoint at which the front proxy (the relay on one machine) asks the console for the playground's user, with the cookie of the call.
 * It answers 204 with the pass in `playgroundHeader`, or an error in the console's format. The front proxy does not forward this path.
 */
export const playgroundPassPath = '/internal/playground-pass';
/** The header that carries the playground's user to the relay. */
export const playgroundHeader = 'x-tollgate-user';

const lifeMs = 30_000;

/** Both sides pass Redis's time, because their own clocks may differ by minutes. */
export interface PlaygroundPasses {
  sign(userId: number, nowMs: number): string;
  /** The user, or undefined when the pass is forged or older than 30 s. */
  verify(pass: string, nowMs: number): number | undefined;
}

export function playgroundPasses(masterKey: Buffer, also: readonly Buffer[] = []): PlaygroundPasses {
  const keys = derivedKeys(masterKey, also, 'tollgate:playground:v1');
  const mac = (text: string, key: Buffer): Buffer => createHmac('sha256', key).update(text).digest();
  return {
    sign(userId, nowMs) {
      const text = `${userId}:${nowMs + lifeMs}`;
      return `${text}:${mac(text, keys[0]).toString('base64url')}`;
    },
    verify(pass, nowMs) {
      const [userId = '', expiresAt = '', signature = ''] = pass.split(':');
      const given = Buffer.from(signature, 'base64url');
      const wanted = keys.map((key) => mac(`${userId}:${expiresAt}`, key));
      if (!isOneOf(given, wanted)) return undefined;
      return Number(expiresAt) > nowMs ? Number(userId) : undefined;
    },
  };
}
