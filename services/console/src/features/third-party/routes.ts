import type { Bound, thirdPartyRoutes } from '@tollgate/contracts';
import { Passkey } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Request, Response } from 'express';
import { randomNonce, randomPKCECodeVerifier } from 'openid-client';
import type { Caller } from '../../auth/caller.ts';
import { refuseUnconfirmed } from '../../auth/confirm-owner.ts';
import { visitOf } from '../../auth/visit.ts';
import type { Context } from '../../context.ts';
import { type Said, said } from '../../http/answer.ts';
import type { Handlers } from '../../http/handlers.ts';
import { answerEntered } from '../sign-in/enter.ts';
import { changedProof } from '../users/identities.ts';
import { changeOwnRow } from '../users/self.ts';
import { bind, completeOauth } from './come-in.ts';
import { githubIdentity, githubPage } from './github.ts';
import { linuxDoIdentity, linuxDoPage } from './linux-do.ts';
import { boundFields, type Identity } from './provider.ts';
import { type Beginning, browserOf, markBrowser } from './states.ts';
import { telegramIdentity } from './telegram.ts';
import { wechatIdentity } from './wechat.ts';
import { canSignIn, valueIn } from './working-ways.ts';

interface Asked {
  caller: Caller | undefined;
  address: string;
  req: Request;
  res: Response;
}

export function thirdPartyHandlers(context: Context): Handlers<typeof thirdPartyRoutes> {
  const { states } = context;
  const begin = (req: Request, res: Response, kept: Beginning): Promise<string> => states.begin(markBrowser(req, res), kept);

  /** What began in this browser, and leads back to it now. */
  async function begun(req: Request, state: string, provider: string): Promise<Beginning> {
    const kept = await states.take(browserOf(req), state);
    if (!kept || (kept.provider !== undefined && kept.provider !== provider)) throw new AppError('oauth_state_invalid');
    return kept;
  }

  /** Signs in, or binds where somebody is signed in already: the answer then says so, as clients of the product family expect. */
  async function welcome(identity: Identity, affCode: string, asked: Asked) {
    if (!asked.caller) return answerEntered(asked, await completeOauth(context, identity, { affCode, visit: visitOf(asked) }));
    await bind(context, identity, asked.caller);
    return said(null, 'bind') as Said<null>;
  }

  function refuseDenied({ error }: { error: string }, provider: string): void {
    if (error !== '') throw new AppError('provider_denied', { provider });
  }

  return {
    'GET /api/oauth/state': ({ query, req, res }) => begin(req, res, { affCode: query.aff }),
    'GET /api/oauth/start': async ({ query: { provider, aff: affCode }, caller, req, res }) => {
      if (caller) await refuseUnconfirmed(context, caller); // rather than when he is back
      const redirectUri = pageOf(provider, req, context);
      if (provider === 'oidc') {
        const [verifier, nonce] = [randomPKCECodeVerifier(), randomNonce()];
        const state = await begin(req, res, { provider, affCode, verifier, nonce });
        return { url: await context.oidc.page({ state, verifier, nonce, redirectUri }) };
      }
      const state = await begin(req, res, { provider, affCode });
      return { url: provider === 'github' ? githubPage(context, state) : linuxDoPage(context, state, redirectUri) };
    },
    'GET /api/oauth/github': async ({ query, ...asked }) => {
      const { affCode } = await begun(asked.req, query.state, 'github');
      refuseDenied(query, 'GitHub');
      return welcome(await githubIdentity(context, query.code), affCode, asked);
    },
    'GET /api/oauth/linuxdo': async ({ query, ...asked }) => {
      const { affCode } = await begun(asked.req, query.state, 'linuxdo');
      refuseDenied(query, 'LinuxDO');
      return welcome(await linuxDoIdentity(context, query.code, pageOf('linuxdo', asked.req, context)), affCode, asked);
    },
    'GET /api/oauth/oidc': async ({ query, ...asked }) => {
      const { affCode, verifier, nonce } = await begun(asked.req, query.state, 'oidc');
      refuseDenied(query, context.options.values.OIDCName);
      // One that was begun for any provider has neither.
      if (verifier === undefined || nonce === undefined) throw new AppError('oauth_state_invalid');
      const address = new URL(`${pageOf('oidc', asked.req, context)}?${new URLSearchParams(asked.req.query as Record<string, string>)}`);
      return welcome(await context.oidc.identity(address, { state: query.state, verifier, nonce }), affCode, asked);
    },
    'POST /api/option/test_oidc': ({ req }) => context.oidc.test(pageOf('oidc', req, context)),
    'GET /api/oauth/wechat': async ({ query, ...asked }) => {
      const identity = await wechatIdentity(context, query.code, asked.address);
      return answerEntered(asked, await completeOauth(context, identity, { affCode: query.aff, visit: visitOf(asked) }));
    },
    'GET /api/oauth/wechat/bind': async ({ query, caller, address }) => {
      await refuseUnconfirmed(context, caller); // before the code is used up
      await bind(context, await wechatIdentity(context, query.code, address), caller);
    },
    'GET /api/oauth/telegram/login': async ({ query, ...asked }) => {
      const identity = await telegramIdentity(context, query);
      return answerEntered(asked, await completeOauth(context, identity, { affCode: '', visit: visitOf(asked) }));
    },
    'GET /api/oauth/telegram/bind': async ({ query, caller, req, res }) => {
      await refuseUnconfirmed(context, caller);
      await bind(context, await telegramIdentity(context, query), caller);
      // Telegram's widget may lead the browser itself here; pages of ours ask for JSON.
      if (req.accepts('json', 'html') === 'html') res.redirect(302, '/setting');
    },
    'DELETE /api/oauth/:provider': ({ params, caller }) => unbind(context, params.provider, caller),
  };
}

/** The page of ours that a provider leads back to. */
function pageOf(provider: string, req: Request, { options }: Context): string {
  return `${options.values.ServerAddress || `${req.protocol}://${req.host}`}/oauth/${provider}`;
}

/** Removes a binding, never the last way to sign in. */
async function unbind(context: Context, provider: Bound, caller: Caller): Promise<void> {
  const field = boundFields[provider];
  const hasPasskey = (await Passkey.exists({ userId: caller.id })) !== null;
  await changeOwnRow(caller, {
    fields(row) {
      const isLast = !canSignIn({ ...row, [field]: '', hasPasskey }, valueIn(context.options.values));
      if (provider !== 'email' && isLast) throw new AppError('last_way_in');
      return changedProof(row, field, '');
    },
  });
  await context.announce('user', caller.id);
}
