/** What everyone may know of the site: GET /api/status. */
export interface StatusView {
  version: string;
  /** Unix seconds. */
  start_time: number;
  system_name: string;
  logo: string;
  footer_html: string;
  server_address: string;
  email_verification: boolean;
  github_oauth: boolean;
  github_client_id: string;
  linuxdo_oauth: boolean;
  linuxdo_client_id: string;
  telegram_oauth: boolean;
  telegram_bot_name: string;
  wechat_login: boolean;
  wechat_qrcode: string;
  turnstile_check: boolean;
  turnstile_site_key: string;
  top_up_link: string;
  chat_link: string;
  chat_link2: string;
  chats: Record<string, string>[];
  price: number;
  min_topup: number;
  enable_online_topup: boolean;
  quota_per_unit: number;
  display_in_currency: boolean;
  enable_drawing: boolean;
  enable_task: boolean;
  enable_data_export: boolean;
  enable_batch_update: boolean;
  data_export_default_time: string;
  default_collapse_sidebar: boolean;
  mj_notify_enabled: boolean;
  demo_site_enabled: boolean;
  password_login: boolean;
  register_enabled: boolean;
}
