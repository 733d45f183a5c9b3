import { unseal } from '@tollgate/db';
import { UnrecoverableError } from 'bullmq';
import { z } from 'zod';
import type { Letter } from '../mail/letters.ts';
import { job } from './job.ts';

export const placeOfMail = (id: string): string => `mail:${id}`;

/** Sends a letter that waits sealed (`postLetter`). One whose code is no longer good goes to nobody. */
export const sendMail = job({
  name: 'send-mail',
  data: z.strictObject({ id: z.uuid(), sealed: z.string(), goodUntil: z.int() }),
  alone: false,
  attempts: 8,
  firstPauseMs: 5000,
  async handle({ mailer }, { id, sealed, goodUntil }) {
    if (Date.now() > goodUntil) throw new UnrecoverableError('what it says is no longer good');
    const { to, letter } = JSON.parse(unseal(sealed, placeOfMail(id))) as { to: string; letter: Letter };
    await mailer.send(to, letter);
  },
});
