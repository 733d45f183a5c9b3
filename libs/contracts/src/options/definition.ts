import type { z } from 'zod';
import type { Language } from '../errors/catalogue.ts';

export type Words = Readonly<Record<Language, string>>;

/** Who may read an option: everyone (it is in `/api/status`), root only, or nobody (written, never answered). */
export type OptionAccess = 'public' | 'root' | 'secret';

/** The tabs of the settings that show options; a fifth one is everybody's own. */
export const optionTabs = {
  operation: { en: 'Operation', zh: '运营设置' },
  ratelimit: { en: 'Rate limits', zh: '速率限制设置' },
  system: { en: 'System', zh: '系统设置' },
  other: { en: 'Other', zh: '其他设置' },
} as const satisfies Record<string, Words>;
export type OptionTab = keyof typeof optionTabs;

/** The cards of the tabs, in the order of the page. */
export const optionSections = {
  general: { tab: 'operation', en: 'General', zh: '通用设置' },
  drawing: { tab: 'operation', en: 'Images and music', zh: '绘图与音乐设置' },
  words: { tab: 'operation', en: 'Blocked words', zh: '屏蔽词过滤设置' },
  log: { tab: 'operation', en: 'Log', zh: '日志设置' },
  dashboard: { tab: 'operation', en: 'Dashboard', zh: '数据看板设置' },
  monitoring: { tab: 'operation', en: 'Monitoring', zh: '监控设置' },
  quota: { tab: 'operation', en: 'Quota', zh: '额度设置' },
  responses: { tab: 'operation', en: 'Stored responses', zh: '存储的响应' },
  chat: { tab: 'operation', en: 'Chat', zh: '聊天设置' },
  groups: { tab: 'operation', en: 'Groups', zh: '分组设置' },
  ratios: { tab: 'operation', en: 'Model prices', zh: '模型价格设置' },
  ratelimit: { tab: 'ratelimit', en: 'Model request rate limit', zh: '模型请求速率限制' },
  limits: { tab: 'ratelimit', en: 'User, group and model limits', zh: '用户、分组与模型限制' },
  server: { tab: 'system', en: 'Server', zh: '通用设置' },
  payment: { tab: 'system', en: 'Payment', zh: '支付设置' },
  login: { tab: 'system', en: 'Sign-in and registration', zh: '登录与注册设置' },
  domains: { tab: 'system', en: 'Email domains', zh: '邮箱域名白名单' },
  smtp: { tab: 'system', en: 'Email (SMTP)', zh: '邮件设置（SMTP）' },
  oauth: { tab: 'system', en: 'Third-party sign-in', zh: '第三方登录设置' },
  other: { tab: 'other', en: 'Content', zh: '个性化设置' },
} as const satisfies Record<string, Words & { tab: OptionTab }>;
export type OptionSection = keyof typeof optionSections;

export const optionUnits = {
  quota: { en: 'quota', zh: '额度' },
  tokens: { en: 'tokens', zh: 'tokens' },
  seconds: { en: 'seconds', zh: '秒' },
  minutes: { en: 'minutes', zh: '分钟' },
  days: { en: 'days', zh: '天' },
  requests: { en: 'requests', zh: '次' },
  megabytes: { en: 'MB', zh: 'MB' },
  dollars: { en: 'US dollars', zh: '美元' },
} as const satisfies Record<string, Words>;
export type OptionUnit = keyof typeof optionUnits;

/** `list` has one entry a line or, as `tags`, some with commas between them; `json` is a JSON text, `markup` Markdown or HTML. */
export type OptionKind = 'flag' | 'number' | 'integer' | 'text' | 'markup' | 'address' | 'choice' | 'list' | 'tags' | 'json';

/** What everybody who adds an option says of it. */
export interface About {
  section: OptionSection;
  /** `root` when nothing is said. */
  access?: OptionAccess;
  label: Words;
  help?: Words;
  unit?: OptionUnit;
  /** Options that must have a value before this one may be switched on or given one. */
  needs?: readonly string[];
}

export interface OptionDefinition<T = unknown> extends About {
  kind: OptionKind;
  access: OptionAccess;
  /** Of numbers. */
  min?: number;
  max?: number;
  /** What a choice may be, with its words. */
  choices?: Readonly<Record<string, Words>>;
  /** Reads the stored text; throws a ZodError that says what is wrong with it. */
  schema: z.ZodType<T, string>;
  /** The text that holds when nobody has set the option. */
  defaultText: string;
}
