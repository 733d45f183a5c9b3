import { z } from 'zod';
import { route } from './route.ts';

/** What everyone may know of the site: GET /api/status. */
export const statusView = z.object({
  version: z.string(),
  /** Unix seconds. */
  start_time: z.number(),
  system_name: z.string(),
  logo: z.string(),
  footer_html: z.string(),
  server_address: z.string(),
  email_verification: z.boolean(),
  github_oauth: z.boolean(),
  github_client_id: z.string(),
  linuxdo_oauth: z.boolean(),
  linuxdo_client_id: z.string(),
  telegram_oauth: z.boolean(),
  telegram_bot_name: z.string(),
  /** The number of the bot, which its own page for signing in asks for; 0 while it is off. */
  telegram_bot_id: z.number(),
  wechat_login: z.boolean(),
  wechat_qrcode: z.string(),
  oidc_oauth: z.boolean(),
  /** What stands on its button. */
  oidc_name: z.string(),
  turnstile_check: z.boolean(),
  turnstile_site_key: z.string(),
  top_up_link: z.string(),
  chat_link: z.string(),
  chat_link2: z.string(),
  chats: z.array(z.record(z.string(), z.string())),
  price: z.number(),
  min_topup: z.number(),
  enable_online_topup: z.boolean(),
  enable_stripe_topup: z.boolean(),
  quota_per_unit: z.number(),
  display_in_currency: z.boolean(),
  enable_drawing: z.boolean(),
  enable_task: z.boolean(),
  enable_data_export: z.boolean(),
  enable_batch_update: z.boolean(),
  data_export_default_time: z.string(),
  default_collapse_sidebar: z.boolean(),
  mj_notify_enabled: z.boolean(),
  demo_site_enabled: z.boolean(),
  password_login: z.boolean(),
  register_enabled: z.boolean(),
});
export type StatusView = z.infer<typeof statusView>;

export const statusRoutes = {
  'GET /api/status': route({
    summary: 'What everyone may know of the site',
    access: 'anyone',
    csrfExempt: true,
    anyHost: true,
    answer: statusView,
  }),
  'GET /api/status/test': route({ summary: 'Whether the database answers', access: 'admin' }),
  'GET /api/notice': route({ summary: 'The notice of the day', access: 'anyone', csrfExempt: true, answer: z.string() }),
  'GET /api/about': route({ summary: 'The page about the site, or its address', access: 'anyone', csrfExempt: true, answer: z.string() }),
  'GET /api/home_page_content': route({ summary: 'The home page, or its address', access: 'anyone', csrfExempt: true, answer: z.string() }),
};
