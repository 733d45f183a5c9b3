import type { Language } from '@tollgate/contracts';

type Values = Record<string, string>;
interface Words {
  title: string;
  /** Holds a `{{value}}` for each of the notice's values, in order. */
  content: string;
}

interface NoticeKind {
  /** What receivers of webhooks tell notices apart by. */
  type: 'quota_exceed' | 'budget' | 'channel_update' | 'channel_test' | 'test';
  /** The values that the content holds, in order. */
  shows: readonly string[];
  en: Words;
  zh: Words;
}

/** Everything that people are told without having asked. */
export const noticeKinds = {
  quota_low: {
    type: 'quota_exceed',
    shows: ['remaining', 'link'],
    en: {
      title: 'Your quota is almost depleted',
      content: 'What is left of your quota: {{value}}. Top up in time, so that your calls are answered: {{value}}',
    },
    zh: { title: '您的额度即将用尽', content: '您的剩余额度为 {{value}}，为避免影响使用，请及时充值：{{value}}' },
  },
  quota_gone: {
    type: 'quota_exceed',
    shows: ['remaining', 'link'],
    en: {
      title: 'Your quota is depleted',
      content: 'What is left of your quota: {{value}}. Your calls are refused until you top up: {{value}}',
    },
    zh: { title: '您的额度已用尽', content: '您的剩余额度为 {{value}}，充值后方可继续调用：{{value}}' },
  },
  budget_near: {
    type: 'budget',
    shows: ['budget', 'percent', 'used', 'amount'],
    en: { title: 'A budget is filling up', content: 'Budget {{value}}: {{value}} % used ({{value}} of {{value}}).' },
    zh: { title: '预算提醒', content: '预算“{{value}}”已使用 {{value}}%（{{value}} / {{value}}）。' },
  },
  budget_reached: {
    type: 'budget',
    shows: ['budget', 'percent', 'used', 'amount'],
    en: { title: 'A budget is used up', content: 'Budget {{value}}: {{value}} % used ({{value}} of {{value}}).' },
    zh: { title: '预算已用尽', content: '预算“{{value}}”已使用 {{value}}%（{{value}} / {{value}}）。' },
  },
  channel_off: {
    type: 'channel_update',
    shows: ['channel', 'reason'],
    en: { title: 'A channel was switched off', content: 'Channel {{value}} was switched off. The reason: {{value}}' },
    zh: { title: '通道已被禁用', content: '通道 {{value}} 已被禁用，原因：{{value}}' },
  },
  channel_failing: {
    type: 'channel_update',
    shows: ['channel', 'errors'],
    en: {
      title: 'A channel is failing',
      content: 'Channel {{value}} is enabled, and {{value}} attempts of the last 10 minutes failed.',
    },
    zh: { title: '渠道持续失败', content: '渠道 {{value}} 已启用，最近 10 分钟内 {{value}} 次请求失败。' },
  },
  channel_on: {
    type: 'channel_update',
    shows: ['channel'],
    en: { title: 'A channel was switched on again', content: 'Channel {{value}} works again and was switched on.' },
    zh: { title: '通道已被启用', content: '通道 {{value}} 已恢复并重新启用。' },
  },
  channels_tested: {
    type: 'channel_test',
    shows: ['tested', 'failed'],
    en: { title: 'The test of all channels has ended', content: 'Channels tested: {{value}}. Of these failed: {{value}}.' },
    zh: { title: '全部通道测试完成', content: '已测试通道：{{value}}，其中失败：{{value}}。' },
  },
  test: {
    type: 'test',
    shows: ['site'],
    en: { title: 'A test notice', content: 'The notices of {{value}} arrive here.' },
    zh: { title: '测试通知', content: '{{value}} 的通知可以送达此处。' },
  },
} as const satisfies Record<string, NoticeKind>;

export type NoticeCode = keyof typeof noticeKinds;

/** A notice as it is sent, in words. */
export interface Notice extends Words {
  type: NoticeKind['type'];
  values: string[];
}

/** In the language that its reader has chosen, or in both. */
export function noticeOf(code: NoticeCode, values: Values, language: Language | undefined): Notice {
  const { type, shows, en, zh }: NoticeKind = noticeKinds[code];
  const own = shows.map((name) => values[name] ?? '');
  const words = { en, zh };
  if (language) return { type, ...words[language], values: own };
  return { type, title: `${en.title} · ${zh.title}`, content: `${en.content}\n${zh.content}`, values: [...own, ...own] };
}

/** The content with its values in their places. */
export function filled({ content, values }: Pick<Notice, 'content' | 'values'>): string {
  const left = [...values];
  return content.replace(/\{\{value\}\}/g, () => left.shift() ?? '');
}
