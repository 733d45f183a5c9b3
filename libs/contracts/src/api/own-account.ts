import { z } from 'zod';
import { line, pageQuery, pageView, pathNumber } from './common.ts';
import { route } from './route.ts';
import { bound } from './third-party.ts';
import { loginView } from './user.ts';

const code = z.string().trim().max(64);
/** That it is the owner who asks: the password, or a code of the app. Neither is needed a moment after signing in with a second factor. */
export const proofBody = z.object({ password: z.string().max(128).optional(), code: code.optional() });
const proofExample = { password: 'ada-for-tests' };
export type ProofBody = z.infer<typeof proofBody>;

export const sessionView = z.object({
  id: z.string(),
  /** Unix seconds. */
  opened_time: z.number(),
  seen_time: z.number(),
  address: z.string(),
  agent: z.string(),
  way: z.string(),
  /** The one that asks. */
  current: z.boolean(),
});
export type SessionView = z.infer<typeof sessionView>;

export const signInView = z.object({
  /** Unix seconds. */
  at: z.number(),
  way: z.string(),
  good: z.boolean(),
  address: z.string(),
  agent: z.string(),
});
export type SignInView = z.infer<typeof signInView>;

export const passkeyView = z.object({
  id: z.string(),
  name: z.string(),
  /** Unix seconds; 0 is never. */
  created_time: z.number(),
  used_time: z.number(),
});
export type PasskeyView = z.infer<typeof passkeyView>;

/** What an administrator sees of how somebody signs in; what is bound stands in the view of the user. */
export const waysInView = z.object({ second_factor: z.boolean(), passkeys: z.array(passkeyView.omit({ id: true })) });
export type WaysInView = z.infer<typeof waysInView>;

const base64url = z.string().max(20_000);
/** What a browser's authenticator answers; its fields are looked into where they are verified. */
const credential = z.looseObject({
  id: z.string().min(1).max(2048),
  rawId: z.string().max(2048),
  type: z.literal('public-key'),
  response: z.looseObject({ clientDataJSON: base64url }),
  clientExtensionResults: z.looseObject({}).default({}),
});
export type CredentialBody = z.infer<typeof credential>;
const credentialExample = { id: 'x', rawId: 'x', type: 'public-key' as const, response: { clientDataJSON: 'e30' } };
/** Options as https://www.w3.org/TR/webauthn-3/ has them, for a browser. */
const ceremony = z.looseObject({ challenge: z.string() });

/** The browsers and keys that lead into one's own account. */
export const ownAccountRoutes = {
  'POST /api/user/login/2fa': route({
    summary: 'The second step of signing in: a code of the app, or a recovery code',
    access: 'anyone',
    body: z.object({ code: code.min(1) }),
    answer: loginView,
    needs: 'a first step',
    example: { body: { code: '123456' } },
  }),
  'POST /api/user/passkey/login/begin': route({
    summary: 'A challenge to sign in by a passkey',
    access: 'anyone',
    answer: ceremony,
    needs: 'a host with a name: passkeys belong to one',
  }),
  'POST /api/user/passkey/login/finish': route({
    summary: 'Signs in by a passkey',
    access: 'anyone',
    body: z.object({ response: credential }),
    answer: loginView,
    needs: 'a challenge',
    example: { body: { response: credentialExample } },
  }),
  'GET /api/user/passkey': route({ summary: 'The own passkeys', access: 'user', answer: z.array(passkeyView) }),
  'POST /api/user/passkey/register/begin': route({
    summary: 'A challenge to make a passkey',
    access: 'user',
    body: proofBody,
    answer: ceremony,
    needs: 'a host with a name: passkeys belong to one',
    example: { body: proofExample },
  }),
  'POST /api/user/passkey/register/finish': route({
    summary: 'Keeps a new passkey',
    access: 'user',
    body: z.object({ name: line.min(1).max(50), response: credential }),
    needs: 'a challenge',
    example: { body: { name: 'Phone', response: credentialExample } },
  }),
  'DELETE /api/user/passkey/:id': route({
    summary: 'Forgets a passkey; never the last way in',
    access: 'user',
    params: z.object({ id: z.string().max(2048) }),
    needs: 'a passkey',
    example: { params: { id: 'x' } },
  }),
  'POST /api/user/confirm': route({
    summary: 'Says that it is the owner who uses the session: for ten minutes something can be bound',
    access: 'user',
    body: proofBody,
    example: { body: proofExample },
  }),
  'GET /api/user/2fa/status': route({
    summary: 'Whether signing in needs a second step',
    access: 'user',
    answer: z.object({ enabled: z.boolean(), backup_codes_remaining: z.number() }),
  }),
  'POST /api/user/2fa/setup': route({
    summary: 'A secret for an authenticator app, as text and as what a QR code holds; it counts once it is confirmed by a code',
    access: 'user',
    body: proofBody,
    answer: z.object({ secret: z.string(), qr_code_data: z.string() }),
    example: { body: proofExample },
  }),
  'POST /api/user/2fa/enable': route({
    summary: 'Has sign-ins ask for a second step from now on; the recovery codes are shown this once',
    access: 'user',
    body: z.object({ code: code.min(1) }),
    answer: z.object({ backup_codes: z.array(z.string()) }),
    needs: 'a secret',
    example: { body: { code: '123456' } },
  }),
  'POST /api/user/2fa/disable': route({
    summary: 'Gives up the second step',
    access: 'user',
    body: proofBody,
    needs: 'a second step',
    example: { body: proofExample },
  }),
  'POST /api/user/2fa/backup_codes': route({
    summary: 'New recovery codes in place of the old ones; they are shown this once',
    access: 'user',
    body: proofBody,
    answer: z.object({ backup_codes: z.array(z.string()) }),
    needs: 'a second step',
    example: { body: proofExample },
  }),
  'GET /api/user/:id/ways_in': route({
    summary: 'How somebody signs in besides a password: the second step and the passkeys',
    access: 'admin',
    answer: waysInView,
    example: { params: { id: 2 } },
  }),
  'DELETE /api/user/:id/2fa': route({
    summary: 'Takes the second step off somebody who has lost their device',
    access: 'admin',
    example: { params: { id: 2 } },
  }),
  'DELETE /api/user/:id/reset_passkey': route({
    summary: 'Takes all passkeys off somebody, and ends the sessions that they opened',
    access: 'admin',
    example: { params: { id: 2 } },
  }),
  'DELETE /api/user/:id/bindings/:provider': route({
    summary: 'Takes an account elsewhere, or the address, off somebody, and ends the sessions that it opened',
    access: 'admin',
    params: z.object({ id: pathNumber, provider: bound }),
    example: { params: { id: 2, provider: 'email' } },
  }),
  'GET /api/user/sessions': route({ summary: 'Where one is signed in', access: 'user', answer: z.array(sessionView) }),
  'DELETE /api/user/sessions': route({ summary: 'Ends all other sessions', access: 'user' }),
  'DELETE /api/user/sessions/:id': route({
    summary: 'Ends one of the own sessions',
    access: 'user',
    params: z.object({ id: z.string().max(100) }),
    needs: 'another session',
    example: { params: { id: 'x' } },
  }),
  'GET /api/user/sign_ins': route({
    summary: 'The own sign-ins and failed tries, the newest first',
    access: 'user',
    query: pageQuery,
    answer: pageView(signInView),
  }),
};
