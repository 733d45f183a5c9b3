import type { CredentialBody, ProofBody } from '@tollgate/contracts/api/own-account';
import type { Bound, TelegramQuery } from '@tollgate/contracts/api/third-party';
import type { TestWebhookBody, UpdateSelfBody, UserSettingBody } from '@tollgate/contracts/api/user';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

export const {
  useChangeSelfMutation,
  useLeaveMutation,
  useRenewAccessTokenMutation,
  useSaveNoticesMutation,
  useTestWebhookMutation,
  useTransferMutation,
  useSendCodeMutation,
  useBindEmailMutation,
  useBindWechatMutation,
  useBindTelegramMutation,
  useUnbindMutation,
  useBeginBindingMutation,
  useConfirmOwnerMutation,
  useListSessionsQuery,
  useEndSessionMutation,
  useEndOtherSessionsMutation,
  useListSignInsQuery,
  useListPasskeysQuery,
  useBeginPasskeyMutation,
  useFinishPasskeyMutation,
  useForgetPasskeyMutation,
  useTwoFactorStatusQuery,
  useSetUpTwoFactorMutation,
  useEnableTwoFactorMutation,
  useDisableTwoFactorMutation,
  useRenewCodesMutation,
} = api.injectEndpoints({
  endpoints: (build) => ({
    changeSelf: build.mutation({
      ...calls((body: UpdateSelfBody) => call('PUT /api/user/self', { body })),
      invalidatesTags: ['Self', 'Session'],
    }),
    leave: build.mutation(calls(() => call('DELETE /api/user/self'))),
    renewAccessToken: build.mutation(calls(() => call('GET /api/user/token'))),
    saveNotices: build.mutation({
      ...calls((body: UserSettingBody) => call('PUT /api/user/setting', { body })),
      invalidatesTags: ['Self'],
    }),
    testWebhook: build.mutation({
      ...calls((body: TestWebhookBody) => call('POST /api/user/setting/test', { body })),
      extraOptions: { patient: true },
    }),
    transfer: build.mutation({
      ...calls((quota: number) => call('POST /api/user/aff_transfer', { body: { quota } })),
      invalidatesTags: ['Self', 'Log'],
    }),
    sendCode: build.mutation(calls((query: { email: string; turnstile?: string }) => call('GET /api/verification', { query }))),
    bindEmail: build.mutation({
      ...calls((query: { email: string; code: string }) => call('GET /api/oauth/email/bind', { query })),
      invalidatesTags: ['Self'],
    }),
    bindWechat: build.mutation({
      ...calls((code: string) => call('GET /api/oauth/wechat/bind', { query: { code } })),
      invalidatesTags: ['Self'],
    }),
    bindTelegram: build.mutation({
      ...calls((query: TelegramQuery) => call('GET /api/oauth/telegram/bind', { query })),
      invalidatesTags: ['Self'],
    }),
    unbind: build.mutation({
      ...calls((provider: Bound) => call('DELETE /api/oauth/:provider', { params: { provider } })),
      invalidatesTags: ['Self'],
    }),
    beginBinding: build.mutation(calls((provider: 'github' | 'linuxdo' | 'oidc') => call('GET /api/oauth/start', { query: { provider } }))),
    confirmOwner: build.mutation(calls((body: ProofBody) => call('POST /api/user/confirm', { body }))),
    listSessions: build.query({ ...calls(() => call('GET /api/user/sessions')), providesTags: ['Session'] }),
    endSession: build.mutation({
      ...calls((id: string) => call('DELETE /api/user/sessions/:id', { params: { id } })),
      invalidatesTags: ['Session'],
    }),
    endOtherSessions: build.mutation({ ...calls(() => call('DELETE /api/user/sessions')), invalidatesTags: ['Session'] }),
    listSignIns: build.query({
      ...calls((p: number) => call('GET /api/user/sign_ins', { query: { p, page_size: 10 } })),
      providesTags: ['Session'],
    }),
    listPasskeys: build.query({ ...calls(() => call('GET /api/user/passkey')), providesTags: ['Passkey'] }),
    beginPasskey: build.mutation(calls((body: ProofBody) => call('POST /api/user/passkey/register/begin', { body }))),
    finishPasskey: build.mutation({
      ...calls((body: { name: string; response: CredentialBody }) => call('POST /api/user/passkey/register/finish', { body })),
      invalidatesTags: ['Passkey'],
    }),
    forgetPasskey: build.mutation({
      ...calls((id: string) => call('DELETE /api/user/passkey/:id', { params: { id } })),
      invalidatesTags: ['Passkey'],
    }),
    twoFactorStatus: build.query({ ...calls(() => call('GET /api/user/2fa/status')), providesTags: ['TwoFactor'] }),
    setUpTwoFactor: build.mutation(calls((body: ProofBody) => call('POST /api/user/2fa/setup', { body }))),
    enableTwoFactor: build.mutation({
      ...calls((code: string) => call('POST /api/user/2fa/enable', { body: { code } })),
      invalidatesTags: ['TwoFactor'],
    }),
    disableTwoFactor: build.mutation({
      ...calls((body: ProofBody) => call('POST /api/user/2fa/disable', { body })),
      invalidatesTags: ['TwoFactor'],
    }),
    renewCodes: build.mutation({
      ...calls((body: ProofBody) => call('POST /api/user/2fa/backup_codes', { body })),
      invalidatesTags: ['TwoFactor'],
    }),
  }),
});
