import { hash, verify } from '@node-rs/argon2';
import { verify as verifyBcrypt } from '@node-rs/bcrypt';
import { AppError } from '@tollgate/runtime';

export const factoryPassword = '123456';

/** argon2id as OWASP asks for at least; a hash takes about 12 ms and 19 MB. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Whether a hash came from another gateway, which make bcrypt of cost 10; it is replaced when its owner signs in. Costs beyond 14 take seconds. */
export function isImportedHash(passwordHash: string | null | undefined): boolean {
  return /^\$2[aby]\$(?:0[4-9]|1[0-4])\$[./0-9A-Za-z]{53}$/.test(passwordHash ?? '');
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
      const same = await inTurn(() => (isImportedHash(against) ? verifyBcrypt(password, against) : verify(against, password)));
      return same && Boolean(passwordHash);
    },
  };
}
