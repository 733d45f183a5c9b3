import { randomUUID } from 'node:crypto';
import { seal } from '@tollgate/db';
import type { Context } from '../context.ts';
import { placeOfMail, sendMail } from '../jobs/send-mail.ts';
import type { Letter } from './letters.ts';

/**
 * Has a letter sent by the jobs, who try again while the mail server is away, for as long as the letter is worth it. It may hold a code that
 * proves something: it is sealed on its way. Throws `mail_not_set_up`.
 */
export async function postLetter(
  { jobs, mailer }: Pick<Context, 'jobs' | 'mailer'>,
  to: string,
  { letter, goodForMs }: { letter: Letter; goodForMs: number },
): Promise<void> {
  mailer.check();
  const id = randomUUID();
  await jobs.start(sendMail, { id, sealed: seal(JSON.stringify({ to, letter }), placeOfMail(id)), goodUntil: Date.now() + goodForMs });
}
