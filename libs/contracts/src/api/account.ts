import { z } from 'zod';
import { line } from './common.ts';
import { route } from './route.ts';
import { password, username } from './user.ts';

/** An e-mail address, in small letters: no two accounts differ by their case alone. */
export const mailAddress = z.string().trim().toLowerCase().max(50).pipe(z.email());
/** A code that was mailed; what else it may be is not said. */
const code = z.string().trim().min(1).max(64);
const solved = { turnstile: z.string().max(2048).default('') };

export const mailAddressQuery = z.object({ email: mailAddress, ...solved });

/** Body of POST /api/user/register. `email` and `verification_code` count only where addresses are verified. */
export const registerBody = z
  .object({
    username,
    password,
    /** Clients that have compared the two already leave it out. */
    password2: z.string().max(128).optional(),
    email: z.union([mailAddress, z.literal('')]).default(''),
    verification_code: z.string().trim().max(64).default(''),
    /** Of whoever invited them; an unknown one counts as none. */
    aff_code: line.max(32).default(''),
  })
  .refine((body) => body.password2 === undefined || body.password2 === body.password, {
    path: ['password2'],
    message: 'the two passwords differ',
  });
export type RegisterBody = z.infer<typeof registerBody>;

export const resetPasswordBody = z.object({ email: mailAddress, token: code });
export type ResetPasswordBody = z.infer<typeof resetPasswordBody>;

export const bindEmailQuery = z.object({ email: mailAddress, code });
export type BindEmailQuery = z.infer<typeof bindEmailQuery>;

export const affTransferBody = z.object({ quota: z.int().positive().max(1e15) });

export const testMailBody = z.object({ email: mailAddress });

/** Ways in for people who are not signed in, and what belongs to them. */
export const accountRoutes = {
  'GET /api/verification': route({
    summary: 'Mails a code that proves an address: good once, for 10 minutes',
    access: 'visitor',
    limiter: 'critical',
    turnstile: true,
    query: mailAddressQuery,
    needs: 'a mail server',
    example: { query: { email: 'grace@example.com' } },
  }),
  'POST /api/user/register': route({
    summary: 'Makes an account',
    access: 'anyone',
    limiter: 'critical',
    turnstile: true,
    query: z.object(solved),
    body: registerBody,
    example: { body: { username: 'grace', password: 'hopper-1906', password2: 'hopper-1906' } },
  }),
  'GET /api/reset_password': route({
    summary: 'Mails a link to a new password: good once, for 10 minutes',
    access: 'anyone',
    limiter: 'critical',
    turnstile: true,
    query: mailAddressQuery,
    needs: 'a mail server',
    example: { query: { email: 'grace@example.com' } },
  }),
  'POST /api/user/reset': route({
    summary: 'Makes a new password in place of a forgotten one, and ends all sessions; it is shown this once',
    access: 'anyone',
    limiter: 'critical',
    body: resetPasswordBody,
    answer: z.string(),
    needs: 'a token out of a mail',
    example: { body: { email: 'grace@example.com', token: '0123456789abcdef0123456789abcdef' } },
  }),
  'GET /api/oauth/email/bind': route({
    summary: 'Makes an address one’s own, by the code that was mailed to it',
    access: 'session',
    limiter: 'critical',
    query: bindEmailQuery,
    needs: 'a code out of a mail',
    example: { query: { email: 'grace@example.com', code: '123456' } },
  }),
  'POST /api/user/aff_transfer': route({
    summary: 'Moves what invitations have earned to the own quota',
    access: 'user',
    body: affTransferBody,
    needs: 'earnings',
    example: { body: { quota: 500_000 } },
  }),
  'POST /api/option/test_mail': route({
    summary: 'Sends a mail by the stored settings, and says what the mail server said',
    access: 'root',
    body: testMailBody,
    unaudited: 'it changes nothing',
    needs: 'a mail server',
    example: { body: { email: 'root@example.com' } },
  }),
};
