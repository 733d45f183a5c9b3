import type { OptionValues, StatusView } from '@tollgate/contracts';
import { gatewayOf } from '../orders/epay.ts';
import { stripeAccountOf } from '../orders/stripe.ts';

export const version = '0.1.0';

/** What everyone may know of the site. */
export function statusView(values: OptionValues, startedAt: number): StatusView {
  return {
    version,
    start_time: startedAt,
    system_name: values.SystemName,
    logo: values.Logo,
    footer_html: values.Footer,
    server_address: values.ServerAddress,
    email_verification: values.EmailVerificationEnabled,
    github_oauth: values.GitHubOAuthEnabled,
    github_client_id: values.GitHubClientId,
    linuxdo_oauth: values.LinuxDOOAuthEnabled,
    linuxdo_client_id: values.LinuxDOClientId,
    telegram_oauth: values.TelegramOAuthEnabled,
    telegram_bot_name: values.TelegramBotName,
    telegram_bot_id: values.TelegramOAuthEnabled ? Number.parseInt(values.TelegramBotToken, 10) || 0 : 0,
    wechat_login: values.WeChatAuthEnabled,
    wechat_qrcode: values.WeChatAccountQRCodeImageURL,
    oidc_oauth: values.OIDCEnabled,
    oidc_name: values.OIDCName,
    turnstile_check: values.TurnstileCheckEnabled,
    turnstile_site_key: values.TurnstileSiteKey,
    top_up_link: values.TopUpLink,
    chat_link: values.ChatLink,
    chat_link2: values.ChatLink2,
    chats: values.Chats,
    price: values.Price,
    min_topup: values.MinTopUp,
    enable_online_topup: gatewayOf(values) !== undefined,
    enable_stripe_topup: stripeAccountOf(values) !== undefined,
    quota_per_unit: values.QuotaPerUnit,
    display_in_currency: values.DisplayInCurrencyEnabled,
    enable_drawing: values.DrawingEnabled,
    enable_task: values.TaskEnabled,
    enable_data_export: values.DataExportEnabled,
    enable_batch_update: false,
    data_export_default_time: values.DataExportDefaultTime,
    default_collapse_sidebar: values.DefaultCollapseSidebar,
    mj_notify_enabled: values.MjNotifyEnabled,
    demo_site_enabled: values.DemoSiteEnabled,
    password_login: values.PasswordLoginEnabled,
    register_enabled: values.RegisterEnabled,
  };
}
