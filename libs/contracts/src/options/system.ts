import { z } from 'zod';
import { defaultPrices } from '../default-prices.ts';
import { address, exactAddress, flag, integer, json, number, tags, text } from './kinds.ts';
import { ratios } from './prices.ts';

const oidcScopes = 'openid profile email';
const mailDomains = ['gmail.com', '163.com', '126.com', 'qq.com', 'outlook.com', 'hotmail.com', 'icloud.com', 'yahoo.com', 'foxmail.com'];

/** The tab "system". */
export const systemOptions = {
  // Server
  ServerAddress: address({
    section: 'server',
    access: 'public',
    label: { en: 'Server address', zh: '服务器地址' },
    help: { en: 'Where people reach this site, such as https://ai.example.com.', zh: '例如：https://yourdomain.com' },
  }),
  FormerServerAddress: address({
    section: 'server',
    label: { en: 'Former server address', zh: '原服务器地址' },
    help: {
      en: 'The console still answers under this name, so that a mistyped server address locks nobody out. It is emptied once root opens the settings under the new one.',
      zh: '控制台仍响应该地址，避免服务器地址填错后无法访问；root 通过新地址打开设置页后会自动清空。',
    },
  }),
  WorkerUrl: address({
    section: 'server',
    label: { en: 'Worker address', zh: 'Worker 地址' },
    help: { en: 'Fetches pictures and sends webhooks in the place of this server.', zh: '代替本服务器下载图片并发送 Webhook' },
  }),
  WorkerValidKey: text({ section: 'server', access: 'secret', label: { en: 'Worker key', zh: 'Worker 密钥' } }),
  // Payment
  PayAddress: address({
    section: 'payment',
    label: { en: 'Payment address', zh: '支付地址' },
    help: {
      en: 'Of the epay service; without it, merchant id and key there is no online top-up.',
      zh: '不填写支付地址、商户 ID 和密钥则不启用在线支付',
    },
    needs: ['ServerAddress'],
  }),
  CustomCallbackAddress: address({
    section: 'payment',
    label: { en: 'Callback address', zh: '回调地址' },
    help: { en: 'The server address when it is empty.', zh: '不填写则使用上方服务器地址作为回调地址' },
  }),
  EpayId: text({ section: 'payment', label: { en: 'Merchant id', zh: '易支付商户 ID' }, needs: ['ServerAddress'] }),
  EpayKey: text({ section: 'payment', access: 'secret', label: { en: 'Merchant key', zh: '易支付商户密钥' }, needs: ['ServerAddress'] }),
  StripeSecretKey: text({
    section: 'payment',
    access: 'secret',
    label: { en: 'Stripe secret key', zh: 'Stripe 密钥' },
    help: {
      en: 'sk_… or rk_…; without it and the webhook secret nobody can pay by Stripe.',
      zh: 'sk_… 或 rk_…；不填写密钥和 Webhook 密钥则不启用 Stripe 支付',
    },
    needs: ['ServerAddress'],
  }),
  StripeWebhookSecret: text({
    section: 'payment',
    access: 'secret',
    label: { en: 'Stripe webhook secret', zh: 'Stripe Webhook 密钥' },
    help: {
      en: 'whsec_…, of an endpoint at /api/user/stripe/webhook with checkout.session, refund and charge.dispute.funds events.',
      zh: 'whsec_…，对应地址为 /api/user/stripe/webhook、订阅 checkout.session、refund 与 charge.dispute.funds 事件的端点',
    },
  }),
  StripePrice: number(
    {
      section: 'payment',
      label: { en: 'Price of a dollar by Stripe', zh: 'Stripe 充值价格（美元/美金）' },
      help: { en: 'US dollars that one US dollar of quota costs.', zh: '每 1 美金额度收取的美元数' },
    },
    1,
    { min: 0 },
  ),
  Price: number(
    {
      section: 'payment',
      access: 'public',
      label: { en: 'Price of a dollar', zh: '充值价格（x 元/美金）' },
      help: { en: 'Yuan that one US dollar of quota costs.', zh: '例如：7，即 7 元/美金' },
    },
    7.3,
    { min: 0 },
  ),
  MinTopUp: integer(
    { section: 'payment', access: 'public', label: { en: 'Smallest top-up', zh: '最低充值美元数量' }, unit: 'dollars' },
    1,
    { min: 1 },
  ),
  TopupGroupRatio: json(
    {
      section: 'payment',
      label: { en: 'Top-up ratio of groups', zh: '充值分组倍率' },
      help: { en: 'Each group and how many times the price it pays for quota.', zh: '键为组名称，值为倍率' },
    },
    ratios,
    defaultPrices.topupGroupRatios,
  ),
  // Login
  PasswordLoginEnabled: flag({ section: 'login', label: { en: 'Sign-in by password', zh: '允许通过密码进行登录' } }, true),
  PasswordRegisterEnabled: flag({ section: 'login', label: { en: 'Registration by password', zh: '允许通过密码进行注册' } }, true),
  RegisterEnabled: flag({ section: 'login', label: { en: 'New users may register', zh: '允许新用户注册' } }, true),
  EmailVerificationEnabled: flag(
    {
      section: 'login',
      access: 'public',
      label: { en: 'Registration by password needs a verified e-mail', zh: '通过密码注册时需要进行邮箱验证' },
      needs: ['SMTPServer', 'SMTPAccount'],
    },
    false,
  ),
  GitHubOAuthEnabled: flag(
    {
      section: 'login',
      access: 'public',
      label: { en: 'Sign-in by GitHub', zh: '允许通过 GitHub 账户登录和注册' },
      needs: ['GitHubClientId', 'GitHubClientSecret'],
    },
    false,
  ),
  LinuxDOOAuthEnabled: flag(
    {
      section: 'login',
      access: 'public',
      label: { en: 'Sign-in by LinuxDO', zh: '允许通过 LinuxDO 账户登录和注册' },
      needs: ['LinuxDOClientId', 'LinuxDOClientSecret'],
    },
    false,
  ),
  WeChatAuthEnabled: flag(
    {
      section: 'login',
      access: 'public',
      label: { en: 'Sign-in by WeChat', zh: '允许通过微信登录和注册' },
      needs: ['WeChatServerAddress', 'WeChatServerToken'],
    },
    false,
  ),
  TelegramOAuthEnabled: flag(
    {
      section: 'login',
      access: 'public',
      label: { en: 'Sign-in by Telegram', zh: '允许通过 Telegram 进行登录' },
      needs: ['TelegramBotToken', 'TelegramBotName'],
    },
    false,
  ),
  OIDCEnabled: flag(
    {
      section: 'login',
      access: 'public',
      label: { en: 'Sign-in by OpenID Connect', zh: '允许通过 OIDC 登录和注册' },
      needs: ['OIDCIssuer', 'OIDCClientId', 'OIDCClientSecret'],
    },
    false,
  ),
  TurnstileCheckEnabled: flag(
    {
      section: 'login',
      access: 'public',
      label: { en: 'Human check (Turnstile)', zh: '启用 Turnstile 用户校验' },
      needs: ['TurnstileSiteKey', 'TurnstileSecretKey'],
    },
    false,
  ),
  // E-mail domains
  EmailDomainRestrictionEnabled: flag(
    { section: 'domains', label: { en: 'Only the domains below', zh: '启用邮箱域名白名单' }, needs: ['EmailDomainWhitelist'] },
    false,
  ),
  EmailAliasRestrictionEnabled: flag(
    {
      section: 'domains',
      label: { en: 'No aliases', zh: '启用邮箱别名限制' },
      help: { en: 'Refuses addresses with + or a further dot before the @.', zh: '拒绝 @ 之前包含 + 或多余 . 的地址' },
    },
    false,
  ),
  EmailDomainWhitelist: tags({ section: 'domains', label: { en: 'Allowed domains', zh: '允许的邮箱域名' } }, mailDomains),
  // SMTP
  SMTPServer: text({ section: 'smtp', label: { en: 'SMTP server', zh: 'SMTP 服务器地址' } }),
  SMTPPort: integer({ section: 'smtp', label: { en: 'SMTP port', zh: 'SMTP 端口' } }, 587, { min: 1, max: 65_535 }),
  SMTPAccount: text({ section: 'smtp', label: { en: 'SMTP account', zh: 'SMTP 账户' } }),
  SMTPFrom: text({
    section: 'smtp',
    label: { en: 'Sender address', zh: 'SMTP 发送者邮箱' },
    help: { en: 'The account when it is empty.', zh: '不填写则使用 SMTP 账户' },
  }),
  SMTPToken: text({ section: 'smtp', access: 'secret', label: { en: 'SMTP password', zh: 'SMTP 访问凭证' } }),
  SMTPSSLEnabled: flag(
    {
      section: 'smtp',
      label: { en: 'TLS from the first byte', zh: '启用 SMTP SSL' },
      help: { en: 'Always on for port 465.', zh: '465 端口强制开启' },
    },
    false,
  ),
  // OAuth and the human check
  GitHubAddress: address(
    {
      section: 'oauth',
      label: { en: 'GitHub address', zh: 'GitHub 地址' },
      help: {
        en: 'Of GitHub itself, or of an own GitHub Enterprise Server.',
        zh: 'GitHub 官方地址，或自建 GitHub Enterprise Server 的地址',
      },
    },
    'https://github.com',
  ),
  GitHubClientId: text({ section: 'oauth', access: 'public', label: { en: 'GitHub client id', zh: 'GitHub Client ID' } }),
  GitHubClientSecret: text({ section: 'oauth', access: 'secret', label: { en: 'GitHub client secret', zh: 'GitHub Client Secret' } }),
  LinuxDOAddress: address({ section: 'oauth', label: { en: 'LinuxDO address', zh: 'LinuxDO 地址' } }, 'https://connect.linux.do'),
  LinuxDOMinimumTrustLevel: integer(
    {
      section: 'oauth',
      label: { en: 'Lowest LinuxDO trust level', zh: 'LinuxDO 最低信任等级' },
      help: { en: 'Of the community, that a new account needs.', zh: '新用户注册所需的社区信任等级' },
    },
    0,
    { min: 0, max: 4 },
  ),
  LinuxDOClientId: text({ section: 'oauth', access: 'public', label: { en: 'LinuxDO client id', zh: 'LinuxDO Client ID' } }),
  LinuxDOClientSecret: text({ section: 'oauth', access: 'secret', label: { en: 'LinuxDO client secret', zh: 'LinuxDO Client Secret' } }),
  WeChatServerAddress: address({ section: 'oauth', label: { en: 'WeChat server address', zh: 'WeChat Server 服务器地址' } }),
  WeChatServerToken: text({ section: 'oauth', access: 'secret', label: { en: 'WeChat server token', zh: 'WeChat Server 访问凭证' } }),
  WeChatAccountQRCodeImageURL: address({
    section: 'oauth',
    access: 'public',
    label: { en: 'WeChat QR code picture', zh: '微信公众号二维码图片链接' },
  }),
  TelegramBotToken: text({ section: 'oauth', access: 'secret', label: { en: 'Telegram bot token', zh: 'Telegram Bot Token' } }),
  TelegramBotName: text({ section: 'oauth', access: 'public', label: { en: 'Telegram bot name', zh: 'Telegram Bot 名称' } }),
  OIDCIssuer: exactAddress({
    section: 'oauth',
    label: { en: 'OIDC issuer', zh: 'OIDC 颁发者地址' },
    help: {
      en: 'Of any provider that speaks OpenID Connect, as it calls itself: a slash at the end included.',
      zh: '支持 OpenID Connect 的服务的 Issuer，须与其自身声明一致（包括末尾的斜杠）',
    },
  }),
  OIDCClientId: text({ section: 'oauth', label: { en: 'OIDC client id', zh: 'OIDC Client ID' } }),
  OIDCClientSecret: text({ section: 'oauth', access: 'secret', label: { en: 'OIDC client secret', zh: 'OIDC Client Secret' } }),
  OIDCName: text({ section: 'oauth', access: 'public', label: { en: 'Name on the OIDC button', zh: 'OIDC 登录按钮名称' } }, 'OIDC'),
  OIDCScopes: text({ section: 'oauth', label: { en: 'OIDC scopes', zh: 'OIDC 授权范围' } }, oidcScopes),
  OIDCGroupClaim: text({
    section: 'oauth',
    label: { en: 'OIDC group claim', zh: 'OIDC 分组声明' },
    help: {
      en: 'The claim that says in which groups somebody is there. Empty: groups stay as they are.',
      zh: '表示用户所属分组的声明名称，留空则不同步分组',
    },
  }),
  OIDCGroupMap: json(
    {
      section: 'oauth',
      label: { en: 'Groups by OIDC group', zh: 'OIDC 分组映射' },
      help: {
        en: 'Group there -> group here; the first one that fits counts, at each sign-in.',
        zh: '对方分组到本站分组的映射，每次登录时取第一个匹配项',
      },
    },
    z.record(z.string().min(1).max(255), z.string().min(1).max(64)),
    {},
  ),
  TurnstileSiteKey: text({ section: 'oauth', access: 'public', label: { en: 'Turnstile site key', zh: 'Turnstile Site Key' } }),
  TurnstileSecretKey: text({ section: 'oauth', access: 'secret', label: { en: 'Turnstile secret key', zh: 'Turnstile Secret Key' } }),
};
