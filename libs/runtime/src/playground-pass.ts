import { createHmac, timingSafeEqual } from 'node:crypto';
import { derivedKey } from './derived-key.ts';

/** The header in which the console tells the relay who is in the playground. The console drops it from what comes from outside. */
export const playgroundHeader = 'x-tollgate-user';

const lifeMs = 30_000;

export interface PlaygroundPasses {
  sign(userId: number, now?: number): string;
  /** The user, or undefined when the pass is forged or older than 30 s. */
  verify(pass: string, now?: number): number | undefined;
}

export function playgroundPasses(masterKey: Buffer): PlaygroundPasses {
  const key = derivedKey(masterKey, 'tollgate:playground:v1');
  const mac = (text: string): Buffer => createHmac('sha256', key).update(text).digest();
  return {
    sign(userId, now = Date.now()) {
      const text = `${userId}:${now + lifeMs}`;
      return `${text}:${mac(text).toString('base64url')}`;
    },
    verify(pass, now = Date.now()) {
      const [userId = '', expiresAt = '', signature = ''] = pass.split(':');
      const given = Buffer.from(signature, 'base64url');
      const wanted = mac(`${userId}:${expiresAt}`);
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
      return Number(expiresAt) > now ? Number(userId) : undefined;
    },
  };
}
