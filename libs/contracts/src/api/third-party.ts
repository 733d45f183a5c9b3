import { z } from 'zod';
import { line } from './common.ts';
import { route } from './route.ts';
import { loginAnswer } from './user.ts';

/** Who may vouch for somebody. */
export const thirdParties = ['github', 'linuxdo', 'oidc', 'wechat', 'telegram'] as const;
export type ThirdParty = (typeof thirdParties)[number];

/** What of an account can be given up: an identity elsewhere, or its address. */
export const bound = z.enum([...thirdParties, 'email']);
export type Bound = z.infer<typeof bound>;

/** Of whoever invited them; an unknown one counts as none. */
const aff = line.max(32).default('');
const code = z.string().trim().min(1).max(64);

/** What a provider leads back with: a code, or what went wrong there, and the state that it was led to with. */
export const callbackQuery = z.object({
  state: z.string().max(200).default(''),
  code: z.string().max(2048).default(''),
  error: z.string().max(2048).default(''),
});

const short = z.string().max(1024);
/** The fields that Telegram signs, and its signature. `lang` may come along, signed or not. */
export const telegramQuery = z.object({
  id: z.string().regex(/^\d{1,20}$/),
  first_name: short.optional(),
  last_name: short.optional(),
  username: short.optional(),
  photo_url: short.optional(),
  auth_date: z.string().regex(/^\d{1,12}$/),
  hash: z.string().regex(/^[0-9a-fA-F]{64}$/),
  lang: short.optional(),
  /** Ours, for a navigation; Telegram does not sign it. */
  state: z.string().max(200).optional(),
});
export type TelegramQuery = z.infer<typeof telegramQuery>;

const telegramExample = { id: '7', first_name: 'Grace', auth_date: '1700000000', hash: '0'.repeat(64) };

/** What a test of the OpenID Connect settings found. */
export const oidcTest = z.object({
  issuer: z.string(),
  client_authentication: z.enum(['none', 'client_secret_post', 'client_secret_basic', 'client_secret_jwt']),
  /** Whether claims that the ID token lacks can be read from a UserInfo endpoint. */
  userinfo: z.boolean(),
  /** Scopes of ours that the provider does not list. */
  unsupported_scopes: z.array(z.string()),
  /** The address to register at the provider. */
  redirect_uri: z.string(),
});
export type OidcTest = z.infer<typeof oidcTest>;

/** Ways in through somebody else, and what binds an account to them. */
export const thirdPartyRoutes = {
  'GET /api/oauth/state': route({
    summary: 'A state to send along to a provider: good once, for ten minutes, in this browser',
    access: 'visitor',
    limiter: 'critical',
    query: z.object({ aff }),
    answer: z.string(),
    example: { query: { aff: '' } },
  }),
  'GET /api/oauth/start': route({
    summary: 'The page of a provider where somebody agrees to be known here, with a state of its own',
    access: 'visitor',
    limiter: 'critical',
    query: z.object({ provider: z.enum(['github', 'linuxdo', 'oidc']), aff }),
    answer: z.object({ url: z.string() }),
    needs: 'a provider switched on',
    example: { query: { provider: 'oidc' } },
  }),
  'GET /api/oauth/github': route({
    summary: 'Signs in, registers or binds by what GitHub led back with',
    access: 'visitor',
    limiter: 'critical',
    query: callbackQuery,
    answer: loginAnswer.nullable(),
    needs: 'a code and a state',
    example: { query: { code: 'c', state: 's' } },
  }),
  'GET /api/oauth/linuxdo': route({
    summary: 'Signs in, registers or binds by what LinuxDO led back with',
    access: 'visitor',
    limiter: 'critical',
    query: callbackQuery,
    answer: loginAnswer.nullable(),
    needs: 'a code and a state',
    example: { query: { code: 'c', state: 's' } },
  }),
  'GET /api/oauth/oidc': route({
    summary: 'Signs in, registers or binds by what the OpenID Connect provider led back with',
    access: 'visitor',
    limiter: 'critical',
    query: callbackQuery.extend({ iss: z.string().max(2048).optional() }),
    answer: loginAnswer.nullable(),
    needs: 'a code and a state',
    example: { query: { code: 'c', state: 's' } },
  }),
  'GET /api/oauth/wechat': route({
    summary: 'Signs in or registers by a code that the official account told',
    access: 'anyone',
    limiter: 'critical',
    query: z.object({ code, aff }),
    answer: loginAnswer,
    needs: 'WeChat switched on',
    example: { query: { code: '123456' } },
  }),
  'GET /api/oauth/wechat/bind': route({
    summary: 'Binds the WeChat account that the code stands for',
    access: 'session',
    limiter: 'critical',
    query: z.object({ code }),
    needs: 'WeChat switched on',
    example: { query: { code: '123456' } },
  }),
  'GET /api/oauth/telegram/login': route({
    summary: 'Signs in by what Telegram has signed',
    access: 'anyone',
    limiter: 'critical',
    query: telegramQuery,
    answer: loginAnswer,
    needs: 'Telegram switched on',
    example: { query: telegramExample },
  }),
  'GET /api/oauth/telegram/bind': route({
    summary: 'Binds the Telegram account that has signed',
    access: 'session',
    navigableByState: true,
    limiter: 'critical',
    query: telegramQuery,
    needs: 'Telegram switched on',
    example: { query: telegramExample },
  }),
  'DELETE /api/oauth/:provider': route({
    summary: 'Gives up a way in, or the own address; never the last way',
    access: 'user',
    params: z.object({ provider: bound }),
    example: { params: { provider: 'email' } },
  }),
  'POST /api/option/test_oidc': route({
    summary: 'Tests the saved OpenID Connect settings: discovery, and whether the provider accepts the client',
    access: 'root',
    answer: oidcTest,
    unaudited: 'it changes nothing',
    needs: 'an OpenID provider',
  }),
};
