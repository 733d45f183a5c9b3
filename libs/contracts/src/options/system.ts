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
    help: {
      en: 'The public https URL of this site, such as https://ai.example.com. Used in emails, payment callbacks and OAuth.',
      zh: '本站的公开地址，例如 https://ai.example.com；用于邮件、支付回调与第三方登录。',
    },
  }),
  FormerServerAddress: address({
    section: 'server',
    label: { en: 'Former server address', zh: '原服务器地址' },
    help: {
      en: 'The console still responds at this address in case the new server address is mistyped. Cleared once root opens the settings at the new address.',
      zh: '控制台仍响应该地址，避免服务器地址填错后无法访问；root 通过新地址打开设置页后自动清空。',
    },
  }),
  WorkerUrl: address({
    section: 'server',
    label: { en: 'Worker address', zh: 'Worker 地址' },
    help: {
      en: 'A worker that downloads images and sends webhooks instead of this server, to hide its address.',
      zh: '代替本服务器下载图片并发送 Webhook，以隐藏服务器地址。',
    },
  }),
  WorkerValidKey: text({
    section: 'server',
    access: 'secret',
    label: { en: 'Worker key', zh: 'Worker 密钥' },
    help: { en: 'Sent to the worker to authenticate requests.', zh: '用于向 Worker 验证请求的密钥。' },
  }),
  // Payment
  PayAddress: address({
    section: 'payment',
    label: { en: 'Payment address', zh: '支付地址' },
    help: {
      en: 'URL of the epay service. Online top-up requires this, the merchant ID and the merchant key.',
      zh: '易支付服务的地址；同时填写支付地址、商户 ID 和密钥后才会启用在线支付。',
    },
    needs: ['ServerAddress'],
  }),
  CustomCallbackAddress: address({
    section: 'payment',
    label: { en: 'Callback address', zh: '回调地址' },
    help: { en: 'Base URL for payment callbacks. Leave empty to use the server address.', zh: '支付回调的地址，留空则使用服务器地址。' },
  }),
  EpayId: text({
    section: 'payment',
    label: { en: 'Merchant ID', zh: '易支付商户 ID' },
    help: { en: 'From your epay account.', zh: '易支付账户中的商户 ID。' },
    needs: ['ServerAddress'],
  }),
  EpayKey: text({
    section: 'payment',
    access: 'secret',
    label: { en: 'Merchant key', zh: '易支付商户密钥' },
    help: { en: 'From your epay account. Signs orders and callbacks.', zh: '易支付账户中的密钥，用于订单与回调签名。' },
    needs: ['ServerAddress'],
  }),
  StripeSecretKey: text({
    section: 'payment',
    access: 'secret',
    label: { en: 'Stripe secret key', zh: 'Stripe 密钥' },
    help: {
      en: 'Starts with sk_ or rk_. Stripe payments require this and the webhook secret.',
      zh: '以 sk_ 或 rk_ 开头；同时填写 Webhook 密钥后才会启用 Stripe 支付。',
    },
    needs: ['ServerAddress'],
  }),
  StripeWebhookSecret: text({
    section: 'payment',
    access: 'secret',
    label: { en: 'Stripe webhook secret', zh: 'Stripe Webhook 密钥' },
    help: {
      en: 'Starts with whsec_. Create the endpoint /api/user/stripe/webhook with the checkout.session, refund and charge.dispute.funds events.',
      zh: '以 whsec_ 开头；端点地址为 /api/user/stripe/webhook，订阅 checkout.session、refund 与 charge.dispute.funds 事件。',
    },
  }),
  StripePrice: number(
    {
      section: 'payment',
      label: { en: 'Stripe price per $1', zh: 'Stripe 充值价格（美元/美金）' },
      help: { en: 'US dollars charged for $1 of balance. Raise it to cover fees.', zh: '每 1 美金余额收取的美元数，可调高以覆盖手续费。' },
    },
    1,
    { min: 0 },
  ),
  Price: number(
    {
      section: 'payment',
      access: 'public',
      label: { en: 'Price per $1', zh: '充值价格（x 元/美金）' },
      help: { en: 'Chinese yuan charged for $1 of balance.', zh: '每 1 美金余额收取的人民币，例如 7 即 7 元/美金。' },
    },
    7.3,
    { min: 0 },
  ),
  MinTopUp: integer(
    {
      section: 'payment',
      access: 'public',
      label: { en: 'Minimum top-up', zh: '最低充值美元数量' },
      help: { en: 'The smallest amount of an online top-up.', zh: '单次在线充值的最低金额。' },
      unit: 'dollars',
    },
    1,
    { min: 1 },
  ),
  TopupGroupRatio: json(
    {
      section: 'payment',
      label: { en: 'Top-up ratios', zh: '充值分组倍率' },
      help: {
        en: 'A JSON object from group name to the multiplier of the top-up price: {"vip": 0.9} is 10% off.',
        zh: 'JSON 对象，键为分组名称，值为充值价格的倍率：{"vip": 0.9} 表示九折。',
      },
    },
    ratios,
    defaultPrices.topupGroupRatios,
  ),
  // Login
  PasswordLoginEnabled: flag(
    {
      section: 'login',
      label: { en: 'Password sign-in', zh: '允许通过密码进行登录' },
      help: {
        en: 'Lets users sign in with username and password. First make sure that administrators have another method.',
        zh: '允许使用用户名和密码登录。关闭前请确认管理员有其他登录方式。',
      },
    },
    true,
  ),
  PasswordRegisterEnabled: flag(
    {
      section: 'login',
      label: { en: 'Password registration', zh: '允许通过密码进行注册' },
      help: { en: 'Lets visitors create an account with a username and password.', zh: '允许访客使用用户名和密码注册。' },
    },
    true,
  ),
  RegisterEnabled: flag(
    {
      section: 'login',
      label: { en: 'Registration', zh: '允许新用户注册' },
      help: {
        en: 'Lets visitors create accounts by any method. Off: only administrators create users.',
        zh: '允许访客通过任意方式注册；关闭后只能由管理员创建用户。',
      },
    },
    true,
  ),
  EmailVerificationEnabled: flag(
    {
      section: 'login',
      access: 'public',
      label: { en: 'Email verification', zh: '通过密码注册时需要进行邮箱验证' },
      help: { en: 'Password registration requires a code sent by email.', zh: '通过密码注册时，需要填写邮件中的验证码。' },
      needs: ['SMTPServer', 'SMTPAccount'],
    },
    false,
  ),
  GitHubOAuthEnabled: flag(
    {
      section: 'login',
      access: 'public',
      label: { en: 'GitHub sign-in', zh: '允许通过 GitHub 账户登录和注册' },
      help: { en: 'Lets users sign in and register with GitHub.', zh: '允许使用 GitHub 账户登录和注册。' },
      needs: ['GitHubClientId', 'GitHubClientSecret'],
    },
    false,
  ),
  LinuxDOOAuthEnabled: flag(
    {
      section: 'login',
      access: 'public',
      label: { en: 'LINUX DO sign-in', zh: '允许通过 LinuxDO 账户登录和注册' },
      help: { en: 'Lets users sign in and register with LINUX DO.', zh: '允许使用 LINUX DO 账户登录和注册。' },
      needs: ['LinuxDOClientId', 'LinuxDOClientSecret'],
    },
    false,
  ),
  WeChatAuthEnabled: flag(
    {
      section: 'login',
      access: 'public',
      label: { en: 'WeChat sign-in', zh: '允许通过微信登录和注册' },
      help: {
        en: 'Lets users sign in and register with a code from a WeChat official account.',
        zh: '允许通过微信公众号的验证码登录和注册。',
      },
      needs: ['WeChatServerAddress', 'WeChatServerToken'],
    },
    false,
  ),
  TelegramOAuthEnabled: flag(
    {
      section: 'login',
      access: 'public',
      label: { en: 'Telegram sign-in', zh: '允许通过 Telegram 进行登录' },
      help: { en: 'Lets users with a linked Telegram account sign in with it.', zh: '允许已绑定 Telegram 的用户登录。' },
      needs: ['TelegramBotToken', 'TelegramBotName'],
    },
    false,
  ),
  OIDCEnabled: flag(
    {
      section: 'login',
      access: 'public',
      label: { en: 'OpenID Connect sign-in', zh: '允许通过 OIDC 登录和注册' },
      help: { en: 'Lets users sign in and register with your identity provider.', zh: '允许使用您的身份提供商登录和注册。' },
      needs: ['OIDCIssuer', 'OIDCClientId', 'OIDCClientSecret'],
    },
    false,
  ),
  TurnstileCheckEnabled: flag(
    {
      section: 'login',
      access: 'public',
      label: { en: 'Turnstile check', zh: '启用 Turnstile 用户校验' },
      help: {
        en: 'Requires a Cloudflare Turnstile check at sign-in, registration and password reset.',
        zh: '登录、注册与重置密码时需要通过 Cloudflare Turnstile 校验。',
      },
      needs: ['TurnstileSiteKey', 'TurnstileSecretKey'],
    },
    false,
  ),
  // E-mail domains
  EmailDomainRestrictionEnabled: flag(
    {
      section: 'domains',
      label: { en: 'Restrict email domains', zh: '启用邮箱域名白名单' },
      help: { en: 'Accepts only email addresses of the domains below.', zh: '只接受下方域名的邮箱地址。' },
      needs: ['EmailDomainWhitelist'],
    },
    false,
  ),
  EmailAliasRestrictionEnabled: flag(
    {
      section: 'domains',
      label: { en: 'Refuse email aliases', zh: '启用邮箱别名限制' },
      help: {
        en: 'Refuses addresses with + or . before the @, which often lead to the same mailbox.',
        zh: '拒绝 @ 之前包含 + 或 . 的地址，它们往往指向同一邮箱。',
      },
    },
    false,
  ),
  EmailDomainWhitelist: tags(
    {
      section: 'domains',
      label: { en: 'Allowed domains', zh: '允许的邮箱域名' },
      help: { en: 'Separate domains with commas.', zh: '多个域名以逗号分隔。' },
    },
    mailDomains,
  ),
  // SMTP
  SMTPServer: text({
    section: 'smtp',
    label: { en: 'SMTP server', zh: 'SMTP 服务器地址' },
    help: {
      en: 'Host name of the mail server, such as smtp.example.com. Required to send emails.',
      zh: '邮件服务器的主机名，例如 smtp.example.com；发送邮件必须填写。',
    },
  }),
  SMTPPort: integer(
    {
      section: 'smtp',
      label: { en: 'SMTP port', zh: 'SMTP 端口' },
      help: { en: 'Usually 587 (STARTTLS) or 465 (implicit TLS).', zh: '通常为 587（STARTTLS）或 465（SSL）。' },
    },
    587,
    { min: 1, max: 65_535 },
  ),
  SMTPAccount: text({
    section: 'smtp',
    label: { en: 'SMTP account', zh: 'SMTP 账户' },
    help: { en: 'User name at the mail server, often an email address.', zh: '邮件服务器的用户名，通常是邮箱地址。' },
  }),
  SMTPFrom: text({
    section: 'smtp',
    label: { en: 'Sender address', zh: 'SMTP 发送者邮箱' },
    help: { en: 'The From address of emails. Leave empty to use the SMTP account.', zh: '邮件的发件人地址，留空则使用 SMTP 账户。' },
  }),
  SMTPToken: text({
    section: 'smtp',
    access: 'secret',
    label: { en: 'SMTP password', zh: 'SMTP 访问凭证' },
    help: { en: 'Password or app password of the SMTP account.', zh: 'SMTP 账户的密码或授权码。' },
  }),
  SMTPSSLEnabled: flag(
    {
      section: 'smtp',
      label: { en: 'Implicit TLS', zh: '启用 SMTP SSL' },
      help: {
        en: 'Connects with TLS from the start instead of STARTTLS. Always on for port 465.',
        zh: '连接时直接使用 TLS，而非 STARTTLS；465 端口强制开启。',
      },
    },
    false,
  ),
  // OAuth and the human check
  GitHubAddress: address(
    {
      section: 'oauth',
      label: { en: 'GitHub address', zh: 'GitHub 地址' },
      help: {
        en: 'https://github.com, or the URL of your GitHub Enterprise Server.',
        zh: 'https://github.com，或自建 GitHub Enterprise Server 的地址。',
      },
    },
    'https://github.com',
  ),
  GitHubClientId: text({
    section: 'oauth',
    access: 'public',
    label: { en: 'GitHub client ID', zh: 'GitHub Client ID' },
    help: { en: 'From the OAuth app in your GitHub settings.', zh: '来自 GitHub 设置中的 OAuth App。' },
  }),
  GitHubClientSecret: text({
    section: 'oauth',
    access: 'secret',
    label: { en: 'GitHub client secret', zh: 'GitHub Client Secret' },
    help: { en: 'From the same OAuth app.', zh: '来自同一 OAuth App。' },
  }),
  LinuxDOAddress: address(
    {
      section: 'oauth',
      label: { en: 'LINUX DO address', zh: 'LINUX DO 地址' },
      help: { en: 'Change it only to use a mirror.', zh: '仅在使用镜像时修改。' },
    },
    'https://connect.linux.do',
  ),
  LinuxDOMinimumTrustLevel: integer(
    {
      section: 'oauth',
      label: { en: 'Minimum LINUX DO trust level', zh: 'LINUX DO 最低信任等级' },
      help: { en: 'Community trust level, 0 to 4, that a new account needs to register.', zh: '新用户注册所需的社区信任等级，0 到 4。' },
    },
    0,
    { min: 0, max: 4 },
  ),
  LinuxDOClientId: text({
    section: 'oauth',
    access: 'public',
    label: { en: 'LINUX DO client ID', zh: 'LINUX DO Client ID' },
    help: { en: 'From your application at connect.linux.do.', zh: '来自 connect.linux.do 中的应用。' },
  }),
  LinuxDOClientSecret: text({
    section: 'oauth',
    access: 'secret',
    label: { en: 'LINUX DO client secret', zh: 'LINUX DO Client Secret' },
    help: { en: 'From the same application.', zh: '来自同一应用。' },
  }),
  WeChatServerAddress: address({
    section: 'oauth',
    label: { en: 'WeChat server address', zh: 'WeChat Server 服务器地址' },
    help: {
      en: 'URL of the server that answers messages of your WeChat official account with sign-in codes.',
      zh: '为微信公众号消息返回登录验证码的服务器地址。',
    },
  }),
  WeChatServerToken: text({
    section: 'oauth',
    access: 'secret',
    label: { en: 'WeChat server token', zh: 'WeChat Server 访问凭证' },
    help: { en: 'Sent to the WeChat server to authenticate requests.', zh: '用于向 WeChat Server 验证请求的凭证。' },
  }),
  WeChatAccountQRCodeImageURL: address({
    section: 'oauth',
    access: 'public',
    label: { en: 'WeChat QR code image', zh: '微信公众号二维码图片链接' },
    help: { en: 'URL of the QR code of your official account, shown at sign-in.', zh: '公众号二维码的图片地址，登录时显示。' },
  }),
  TelegramBotToken: text({
    section: 'oauth',
    access: 'secret',
    label: { en: 'Telegram bot token', zh: 'Telegram Bot Token' },
    help: { en: 'From BotFather.', zh: '由 BotFather 提供。' },
  }),
  TelegramBotName: text({
    section: 'oauth',
    access: 'public',
    label: { en: 'Telegram bot name', zh: 'Telegram Bot 名称' },
    help: { en: 'Username of the bot, without the @.', zh: 'Bot 的用户名，不含 @。' },
  }),
  OIDCIssuer: exactAddress({
    section: 'oauth',
    label: { en: 'OIDC issuer', zh: 'OIDC 颁发者地址' },
    help: {
      en: 'Issuer URL as the identity provider publishes it. A missing or extra trailing slash does no harm.',
      zh: '身份提供商声明的 Issuer 地址；末尾有无斜杠均可。',
    },
  }),
  OIDCClientId: text({
    section: 'oauth',
    label: { en: 'OIDC client ID', zh: 'OIDC Client ID' },
    help: { en: 'From the application at your identity provider.', zh: '来自身份提供商中的应用。' },
  }),
  OIDCClientSecret: text({
    section: 'oauth',
    access: 'secret',
    label: { en: 'OIDC client secret', zh: 'OIDC Client Secret' },
    help: { en: 'From the same application.', zh: '来自同一应用。' },
  }),
  OIDCName: text(
    {
      section: 'oauth',
      access: 'public',
      label: { en: 'OIDC button label', zh: 'OIDC 登录按钮名称' },
      help: { en: 'Label of the sign-in button, such as your company name.', zh: '登录按钮上的名称，例如公司名称。' },
    },
    'OIDC',
  ),
  OIDCScopes: text(
    {
      section: 'oauth',
      label: { en: 'OIDC scopes', zh: 'OIDC 授权范围' },
      help: {
        en: 'Scopes requested at sign-in, separated by spaces. Must include openid.',
        zh: '登录时请求的授权范围，以空格分隔，须包含 openid。',
      },
    },
    oidcScopes,
  ),
  OIDCGroupClaim: text({
    section: 'oauth',
    label: { en: 'OIDC group claim', zh: 'OIDC 分组声明' },
    help: {
      en: "Name of the claim that lists the user's groups. Leave empty to keep groups unchanged.",
      zh: '表示用户所属分组的声明名称，留空则不同步分组。',
    },
  }),
  OIDCGroupMap: json(
    {
      section: 'oauth',
      label: { en: 'OIDC group mapping', zh: 'OIDC 分组映射' },
      help: {
        en: 'A JSON object from provider group to Tollgate group. The first match applies at each sign-in.',
        zh: 'JSON 对象，将身份提供商的分组映射到本站分组；每次登录时取第一个匹配项。',
      },
    },
    z.record(z.string().min(1).max(255), z.string().min(1).max(64)),
    {},
  ),
  TurnstileSiteKey: text({
    section: 'oauth',
    access: 'public',
    label: { en: 'Turnstile site key', zh: 'Turnstile Site Key' },
    help: { en: 'From the Cloudflare dashboard.', zh: '来自 Cloudflare 控制台。' },
  }),
  TurnstileSecretKey: text({
    section: 'oauth',
    access: 'secret',
    label: { en: 'Turnstile secret key', zh: 'Turnstile Secret Key' },
    help: { en: 'From the Cloudflare dashboard.', zh: '来自 Cloudflare 控制台。' },
  }),
};
