import type { RegisterBody, ResetPasswordBody } from '@tollgate/contracts/api/account';
import type { CredentialBody } from '@tollgate/contracts/api/own-account';
import type { TelegramQuery } from '@tollgate/contracts/api/third-party';
import type { LoginAnswer } from '@tollgate/contracts/api/user';
import { api } from '../../shared/api.ts';
import { type ApiCall, call, calls } from '../../shared/call.ts';

/** With a solved challenge, where the site asks for one. */
interface Solved {
  query: { turnstile?: string };
}

/** Calls of all ways in but the password, and of the pages around it: they come with these, not with the first load. */
export const {
  useRegisterMutation,
  useSendVerificationMutation,
  useSendResetMutation,
  useResetPasswordMutation,
  useSecondStepMutation,
  useBeginAtProviderMutation,
  useFinishAtProviderMutation,
  useWechatLoginMutation,
  useTelegramLoginMutation,
  useBeginPasskeySignInMutation,
  useFinishPasskeySignInMutation,
} = api.injectEndpoints({
  endpoints: (build) => ({
    register: build.mutation(calls(({ body, query }: Solved & { body: RegisterBody }) => call('POST /api/user/register', { body, query }))),
    sendVerification: build.mutation(
      calls(({ email, query }: Solved & { email: string }) => call('GET /api/verification', { query: { email, ...query } })),
    ),
    sendReset: build.mutation(
      calls(({ email, query }: Solved & { email: string }) => call('GET /api/reset_password', { query: { email, ...query } })),
    ),
    resetPassword: build.mutation(calls((body: ResetPasswordBody) => call('POST /api/user/reset', { body }))),
    secondStep: build.mutation(calls((code: string) => call('POST /api/user/login/2fa', { body: { code } }))),
    beginAtProvider: build.mutation(
      calls((query: { provider: 'github' | 'linuxdo' | 'oidc'; aff: string }) => call('GET /api/oauth/start', { query })),
    ),
    // Nothing where it was bound to whoever is signed in.
    finishAtProvider: build.mutation(
      calls(
        ({ provider, query }: { provider: 'github' | 'linuxdo' | 'oidc'; query: Record<string, string> }): ApiCall<LoginAnswer | null> =>
          call(`GET /api/oauth/${provider}` as 'GET /api/oauth/oidc', { query }),
      ),
    ),
    wechatLogin: build.mutation(calls((query: { code: string; aff: string }) => call('GET /api/oauth/wechat', { query }))),
    telegramLogin: build.mutation(calls((query: TelegramQuery) => call('GET /api/oauth/telegram/login', { query }))),
    beginPasskeySignIn: build.mutation(calls(() => call('POST /api/user/passkey/login/begin'))),
    finishPasskeySignIn: build.mutation(
      calls((body: { response: CredentialBody }) => call('POST /api/user/passkey/login/finish', { body })),
    ),
  }),
});
