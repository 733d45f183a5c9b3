import type { z } from 'zod';
import type { OptionDefinition } from './definition.ts';
import { markup, text } from './kinds.ts';
import { operationOptions } from './operation.ts';
import { priceOptions } from './prices.ts';
import { rateLimitOptions } from './rate-limit.ts';
import { storedResponseOptions } from './stored-responses.ts';
import { systemOptions } from './system.ts';

const orAddress = {
  en: 'Markdown, HTML, or an https URL that is shown in a frame. Leave empty for the default.',
  zh: '支持 Markdown 与 HTML，也可以填写 https 链接，将以 iframe 方式嵌入；留空则使用默认内容。',
};

/** The tab "other". */
export const otherOptions = {
  Notice: markup({
    section: 'other',
    access: 'public',
    label: { en: 'Notice', zh: '公告' },
    help: {
      en: 'Shown to users when they open the console. Markdown or HTML; leave empty for none.',
      zh: '用户打开控制台时显示，支持 Markdown 与 HTML，留空则不显示。',
    },
  }),
  SystemName: text(
    {
      section: 'other',
      access: 'public',
      label: { en: 'System name', zh: '系统名称' },
      help: { en: 'The name of this site in titles, emails and authenticator apps.', zh: '本站名称，用于标题、邮件与身份验证器。' },
    },
    'Tollgate',
  ),
  Logo: text({
    section: 'other',
    access: 'public',
    label: { en: 'Logo URL', zh: 'Logo 图片地址' },
    help: { en: 'URL of the logo image. Leave empty for the default.', zh: 'Logo 图片的地址，留空则使用默认 Logo。' },
  }),
  HomePageContent: markup({ section: 'other', access: 'public', label: { en: 'Home page', zh: '首页内容' }, help: orAddress }),
  About: markup({ section: 'other', access: 'public', label: { en: 'About', zh: '关于' }, help: orAddress }),
  Footer: markup({
    section: 'other',
    access: 'public',
    label: { en: 'Footer', zh: '页脚' },
    help: {
      en: 'HTML shown at the bottom of each page. Leave empty for the default.',
      zh: '显示在每个页面底部，支持 HTML，留空则使用默认页脚。',
    },
  }),
};

/** Every setting that is changed while the product runs. The API, the caches, the settings pages and the docs come from here. */
export const optionRegistry = {
  ...operationOptions,
  ...storedResponseOptions,
  ...priceOptions,
  ...rateLimitOptions,
  ...systemOptions,
  ...otherOptions,
} satisfies Record<string, OptionDefinition<never> | OptionDefinition>;

export type OptionKey = keyof typeof optionRegistry;
export type OptionValues = { [K in OptionKey]: z.output<(typeof optionRegistry)[K]['schema']> };

export const optionKeys = Object.keys(optionRegistry) as OptionKey[];

/** Names that older clients of the product family use for an option of ours. */
export const optionAliases: Record<string, OptionKey> = { ShouldPreConsumedQuota: 'PreConsumedQuota' };

export function isOptionKey(key: string): key is OptionKey {
  return Object.hasOwn(optionRegistry, key);
}

/** What an option says of itself, whatever its value is. */
export function optionAbout(key: OptionKey): OptionDefinition {
  return optionRegistry[key];
}

/** The value that a stored text stands for. Throws a ZodError when the text is none that the option can have. */
export function parseOption<K extends OptionKey>(key: K, text: string): OptionValues[K] {
  return optionRegistry[key].schema.parse(text) as OptionValues[K];
}

/** The value that a stored text stands for; the default when there is none, or one that no longer parses. */
export function optionValue<K extends OptionKey>(key: K, text: string | undefined): OptionValues[K] {
  const definition = optionAbout(key);
  const parsed = text === undefined ? undefined : definition.schema.safeParse(text);
  return (parsed?.success ? parsed.data : definition.schema.parse(definition.defaultText)) as OptionValues[K];
}

/** All options with their values: the stored texts over the defaults. */
export function optionValues(stored: ReadonlyMap<string, string>): OptionValues {
  return Object.fromEntries(optionKeys.map((key) => [key, optionValue(key, stored.get(key))])) as OptionValues;
}
