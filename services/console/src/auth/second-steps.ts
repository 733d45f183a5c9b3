import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';

export const secondStepCookie = 'second_step';
export const secondStepSeconds = 300;
const attempts = 5;

const step = z.object({ userId: z.number(), stamp: z.string(), way: z.string() });
/** Who has proved a first factor, how, and under which password (see `credentialStamp`). */
export type SecondStep = z.infer<typeof step>;

/** Sign-ins that wait for their second factor: five minutes, five attempts, once. */
export interface SecondSteps {
  begin(step: SecondStep): Promise<string>;
  /** The sign-in that a ticket stands for, with one attempt counted; undefined when it is over. */
  attempt(ticket: string | undefined): Promise<SecondStep | undefined>;
  /** Whether it had not been ended by another one at the same time. */
  end(ticket: string): Promise<boolean>;
}

/** Redis holds `second-step:<digest of the ticket>`, and the count of attempts beside it. */
export function secondSteps(redis: Redis): SecondSteps {
  const keyOf = (ticket: string): string => `second-step:${createHash('sha256').update(ticket).digest('base64url')}`;
  return {
    async begin(begun) {
      const ticket = randomBytes(24).toString('base64url');
      await redis.set(keyOf(ticket), JSON.stringify(begun), 'EX', secondStepSeconds);
      return ticket;
    },
    async attempt(ticket) {
      if (!ticket) return undefined;
      const key = keyOf(ticket);
      const stored = await redis.get(key);
      if (stored === null) return undefined;
      const count = await redis.incr(`${key}:attempts`);
      await redis.expire(`${key}:attempts`, secondStepSeconds);
      if (count <= attempts) return step.parse(JSON.parse(stored));
      await redis.del(key);
      return undefined;
    },
    async end(ticket) {
      return (await redis.del(keyOf(ticket))) === 1;
    },
  };
}
