import { scrypt, timingSafeEqual } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { verify as verifyBcrypt } from '@node-rs/bcrypt';
import { AppError } from '@tollgate/runtime';

export const factoryPassword = '123456';

/** argon2id as OWASP asks for at least; a hash takes about 12 ms and 19 MB. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** scrypt as LiteLLM stores it: a salt of 16 bytes and a key of 32, in base64. */
const litellmHash = /^scrypt:[A-Za-z0-9+/]{64}$/;

/**
 * Whether a hash came from another gateway: bcrypt of the one-api family (cost 10; beyond 14 takes seconds), or scrypt of LiteLLM. It is
 * replaced when its owner signs in.
 */
export function isImportedHash(passwordHash: string | null | undefined): boolean {
  return litellmHash.test(passwordHash ?? '') || /^\$2[aby]\$(?:0[4-9]|1[0-4])\$[./0-9A-Za-z]{53}$/.test(passwordHash ?? '');
}

async function verifyBy(password: string, against: string): Promise<boolean> {
  if (litellmHash.test(against)) return verifyScrypt(password, Buffer.from(against.slice('scrypt:'.length), 'base64'));
  return isImportedHash(against) ? verifyBcrypt(password, against) : verify(against, password);
}

/** https://github.com/BerriAI/litellm/blob/main/litellm/proxy/utils.py (`hash_password`) */
async function verifyScrypt(password: string, stored: Buffer): Promise<boolean> {
  const key = await new Promise<Buffer>((resolve, reject) =>
    scrypt(password, stored.subarray(0, 16), 32, { N: 16_384, r: 8, p: 1 }, (error, derived) => (error ? reject(error) : resolve(derived))),
  );
  return timingSafeEqual(key, stored.subarray(16));
}

export interface Passwords {
  hash(password: string): Promise<string>;
  /** False for an account without a password too, and it takes as long. */
  matches(password: string, passwordHash: string | null | undefined): Promise<boolean>;
}

/**
 * Hashing shares libuv's four threads with files and DNS: only `concurrency` at a time, and what would wait
 * behind `maxWaiting` others is refused.
 */
export function createPasswords({ concurrency = 2, maxWaiting = 100 } = {}): Passwords {
  const waiting: (() => void)[] = [];
  let running = 0;
  const hashOfNobody = hash('nobody has this password', parameters);

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= concurrency) {
      if (waiting.length >= maxWaiting) throw new AppError('service_unavailable', {}, { retryAfterSeconds: 5 });
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  }

  return {
    hash: (password) => inTurn(() => hash(password, parameters)),
    async matches(password, passwordHash) {
      const against = passwordHash || (await hashOfNobody);
      const same = await inTurn(() => verifyBy(password, against));
      return same && Boolean(passwordHash);
    },
  };
}
