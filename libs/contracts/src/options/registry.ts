import { z } from 'zod';
import { defaultQuotaPerUnit } from '../constants.ts';
import { defaultPrices } from '../default-prices.ts';
import { defaultUsageBound } from '../usage.ts';
import { address, choice, flag, integer, json, list, number, type OptionDefinition, text } from './kinds.ts';

const ratios = z.record(z.string().min(1).max(255), z.number().nonnegative().max(1e9));
const tokenCounts = z.record(z.string().min(1).max(255), z.int().positive().max(defaultUsageBound));
const longContextPrices = z.record(
  z.string().min(1).max(255),
  z.strictObject({
    above: z.int().positive(),
    input: z.number().nonnegative().max(1000),
    output: z.number().nonnegative().max(1000),
  }),
);
const pictureRatios = z.record(z.string().min(1).max(255), ratios);
const dollars = z.number().nonnegative().max(1e6).optional();
const piecePrices = z.record(
  z.string().min(1).max(255),
  z.strictObject({ seconds: dollars, characters: dollars, toolCalls: dollars, searches: dollars }),
);
const groupDescriptions = z.record(z.string().min(1).max(64), z.string().max(255));
const chatLinks = z.array(z.record(z.string().min(1), z.string().min(1)));

const disableKeywords = [
  'Your credit balance is too low',
  'This organization has been disabled.',
  'You exceeded your current quota',
  'Permission denied',
  'The security token included in the request is invalid',
  'Operation not allowed',
  'Your account is not authorized',
];
const mailDomains = ['gmail.com', '163.com', '126.com', 'qq.com', 'outlook.com', 'hotmail.com', 'icloud.com', 'yahoo.com', 'foxmail.com'];
const defaultChats = [
  { NextChat: 'https://app.nextchat.dev/#/?settings={"key":"{key}","url":"{address}"}' },
  { LobeChat: 'https://chat-preview.lobehub.com/?settings={"keyVaults":{"openai":{"apiKey":"{key}","baseURL":"{address}/v1"}}}' },
  {
    'AI as Workspace':
      'https://aiaw.app/set-provider?provider={"type":"openai","settings":{"apiKey":"{key}","baseURL":"{address}/v1","compatibility":"strict"}}',
  },
  { AMA: 'ama://set-api-key?server={address}&key={key}' },
  { OpenCat: 'opencat://team/join?domain={address}&token={key}' },
];

/** Every setting that is changed while the product runs. The API, the caches, the settings pages and the docs come from here. */
export const optionRegistry = {
  // General
  TopUpLink: address({ section: 'general', access: 'public' }),
  ChatLink: address({ section: 'general', access: 'public' }),
  ChatLink2: address({ section: 'general', access: 'public' }),
  QuotaPerUnit: number({ section: 'general', access: 'public' }, defaultQuotaPerUnit, { min: 1 }),
  RetryTimes: integer({ section: 'general' }, 0, { min: 0, max: 10 }),
  DisplayInCurrencyEnabled: flag({ section: 'general', access: 'public' }, true),
  DisplayTokenStatEnabled: flag({ section: 'general' }, true),
  DefaultCollapseSidebar: flag({ section: 'general', access: 'public' }, false),
  DemoSiteEnabled: flag({ section: 'general', access: 'public' }, false),
  // Drawing and music
  DrawingEnabled: flag({ section: 'drawing', access: 'public' }, true),
  TaskEnabled: flag({ section: 'drawing', access: 'public' }, true),
  MjNotifyEnabled: flag({ section: 'drawing', access: 'public' }, false),
  MjAccountFilterEnabled: flag({ section: 'drawing' }, false),
  MjForwardUrlEnabled: flag({ section: 'drawing' }, true),
  MjModeClearEnabled: flag({ section: 'drawing' }, false),
  MjActionCheckSuccessEnabled: flag({ section: 'drawing' }, true),
  // Sensitive words
  CheckSensitiveEnabled: flag({ section: 'words' }, true),
  CheckSensitiveOnPromptEnabled: flag({ section: 'words' }, true),
  StopOnSensitiveEnabled: flag({ section: 'words' }, true),
  SensitiveWords: list({ section: 'words' }, ['test_sensitive']),
  // Log
  LogConsumeEnabled: flag({ section: 'log' }, true),
  /** 0 keeps logs for ever. */
  LogRetentionDays: integer({ section: 'log' }, 0, { min: 0, max: 36_500 }),
  // Dashboard
  DataExportEnabled: flag({ section: 'dashboard', access: 'public' }, true),
  DataExportInterval: integer({ section: 'dashboard' }, 5, { min: 1, max: 1440 }),
  DataExportDefaultTime: choice({ section: 'dashboard', access: 'public' }, ['hour', 'day', 'week'], 'hour'),
  // Monitoring
  /** Seconds; 0 is off. */
  ChannelDisableThreshold: number({ section: 'monitoring' }, 5, { min: 0, max: 3600 }),
  QuotaRemindThreshold: integer({ section: 'monitoring' }, 1000, { min: 0 }),
  AutomaticDisableChannelEnabled: flag({ section: 'monitoring' }, false),
  AutomaticEnableChannelEnabled: flag({ section: 'monitoring' }, false),
  AutomaticDisableKeywords: list({ section: 'monitoring' }, disableKeywords),
  // Quota
  QuotaForNewUser: integer({ section: 'quota' }, 0, { min: 0 }),
  /** Output tokens that are held ahead of a stream which has outgrown its hold. */
  PreConsumedQuota: integer({ section: 'quota' }, 500, { min: 0 }),
  /** The longest answer, in tokens, of a model that `ModelMaxOutput` does not know. */
  UnknownMaxOutputTokens: integer({ section: 'quota' }, 16_384, { min: 1, max: defaultUsageBound }),
  QuotaForInviter: integer({ section: 'quota' }, 0, { min: 0 }),
  QuotaForInvitee: integer({ section: 'quota' }, 0, { min: 0 }),
  /** Tokens of one class that one call cannot have used; beyond it the provider's count is not believed. */
  MaxUsageTokens: integer({ section: 'quota' }, defaultUsageBound, { min: 1 }),
  // Chat
  Chats: json({ section: 'chat', access: 'public' }, chatLinks, defaultChats as unknown as z.infer<typeof chatLinks>),
  // Groups
  GroupRatio: json({ section: 'groups' }, ratios, defaultPrices.groupRatios),
  UserUsableGroups: json({ section: 'groups' }, groupDescriptions, defaultPrices.userUsableGroups),
  // Prices
  ModelPrice: json({ section: 'ratios' }, ratios, defaultPrices.modelPrices),
  ModelRatio: json({ section: 'ratios' }, ratios, defaultPrices.modelRatios),
  CompletionRatio: json({ section: 'ratios' }, ratios, defaultPrices.completionRatios),
  CacheRatio: json({ section: 'ratios' }, ratios, defaultPrices.cacheRatios),
  CreateCacheRatio: json({ section: 'ratios' }, ratios, defaultPrices.cacheCreationRatios),
  /** How much dearer a token of a picture that is sent in, and of one that is drawn, is than one of text that is sent in. */
  ImageRatio: json({ section: 'ratios' }, ratios, defaultPrices.imageRatios),
  ImageCompletionRatio: json({ section: 'ratios' }, ratios, defaultPrices.imageCompletionRatios),
  /** The same of sound that is heard, and how much dearer than that spoken sound is; other models follow built-in rules. */
  AudioRatio: json({ section: 'ratios' }, ratios, defaultPrices.audioRatios),
  AudioCompletionRatio: json({ section: 'ratios' }, ratios, defaultPrices.audioCompletionRatios),
  /** Of a model's pictures: `quality/size`, a size, or a quality -> how many times its price one costs. */
  PictureRatio: json({ section: 'ratios' }, pictureRatios, defaultPrices.pictureRatios),
  /** US dollars a second, a character, a search or a call of a tool, of models that are paid so. */
  PiecePrice: json({ section: 'ratios' }, piecePrices, defaultPrices.piecePrices),
  /** The longest answer of each model, in tokens, hidden reasoning included: what is held when the caller names no limit. */
  ModelMaxOutput: json({ section: 'ratios' }, tokenCounts, defaultPrices.maxOutputTokens),
  /** Models whose price rises with the length of the prompt. */
  LongContextPrice: json({ section: 'ratios' }, longContextPrices, defaultPrices.longContextPrices),
  /** `field=value`, or a field alone, of requests -> how many times the price a call costs that asks for it. Others of their kind are refused. */
  RequestFieldRatio: json({ section: 'ratios' }, ratios, defaultPrices.requestFieldRatios),
  /** Unpriced models are refused unless this is on; then they cost `UnpricedModelRatio`. */
  SelfUseModeEnabled: flag({ section: 'ratios' }, false),
  UnpricedModelRatio: number({ section: 'ratios' }, 37.5, { min: 0 }),
  // Request limit
  ModelRequestRateLimitEnabled: flag({ section: 'ratelimit' }, false),
  ModelRequestRateLimitDurationMinutes: integer({ section: 'ratelimit' }, 1, { min: 0, max: 10_080 }),
  /** All requests in a period; 0 and below is no limit. */
  ModelRequestRateLimitCount: integer({ section: 'ratelimit' }, -1, { min: -1 }),
  ModelRequestRateLimitSuccessCount: integer({ section: 'ratelimit' }, 1000, { min: 1 }),
  // Server
  ServerAddress: address({ section: 'server', access: 'public' }),
  WorkerUrl: address({ section: 'server' }),
  WorkerValidKey: text({ section: 'server', access: 'secret' }),
  // Payment
  PayAddress: address({ section: 'payment' }),
  CustomCallbackAddress: address({ section: 'payment' }),
  EpayId: text({ section: 'payment' }),
  EpayKey: text({ section: 'payment', access: 'secret' }),
  Price: number({ section: 'payment', access: 'public' }, 7.3, { min: 0 }),
  MinTopUp: integer({ section: 'payment', access: 'public' }, 1, { min: 1 }),
  TopupGroupRatio: json({ section: 'payment' }, ratios, defaultPrices.topupGroupRatios),
  // Login
  PasswordLoginEnabled: flag({ section: 'login' }, true),
  PasswordRegisterEnabled: flag({ section: 'login' }, true),
  RegisterEnabled: flag({ section: 'login' }, true),
  EmailVerificationEnabled: flag({ section: 'login', access: 'public' }, false),
  GitHubOAuthEnabled: flag({ section: 'login', access: 'public' }, false),
  LinuxDOOAuthEnabled: flag({ section: 'login', access: 'public' }, false),
  WeChatAuthEnabled: flag({ section: 'login', access: 'public' }, false),
  TelegramOAuthEnabled: flag({ section: 'login', access: 'public' }, false),
  TurnstileCheckEnabled: flag({ section: 'login', access: 'public' }, false),
  // E-mail domains
  EmailDomainRestrictionEnabled: flag({ section: 'domains' }, false),
  EmailAliasRestrictionEnabled: flag({ section: 'domains' }, false),
  EmailDomainWhitelist: list({ section: 'domains' }, mailDomains, ','),
  // SMTP
  SMTPServer: text({ section: 'smtp' }),
  SMTPPort: integer({ section: 'smtp' }, 587, { min: 1, max: 65_535 }),
  SMTPAccount: text({ section: 'smtp' }),
  SMTPFrom: text({ section: 'smtp' }),
  SMTPToken: text({ section: 'smtp', access: 'secret' }),
  SMTPSSLEnabled: flag({ section: 'smtp' }, false),
  // OAuth and the human check
  /** Of GitHub itself, or of an own GitHub Enterprise Server. */
  GitHubAddress: address({ section: 'oauth' }, 'https://github.com'),
  GitHubClientId: text({ section: 'oauth', access: 'public' }),
  GitHubClientSecret: text({ section: 'oauth', access: 'secret' }),
  LinuxDOAddress: address({ section: 'oauth' }, 'https://connect.linux.do'),
  /** Of the community, that a new account needs. */
  LinuxDOMinimumTrustLevel: integer({ section: 'oauth' }, 0, { min: 0, max: 4 }),
  LinuxDOClientId: text({ section: 'oauth', access: 'public' }),
  LinuxDOClientSecret: text({ section: 'oauth', access: 'secret' }),
  WeChatServerAddress: address({ section: 'oauth' }),
  WeChatServerToken: text({ section: 'oauth', access: 'secret' }),
  WeChatAccountQRCodeImageURL: address({ section: 'oauth', access: 'public' }),
  TelegramBotToken: text({ section: 'oauth', access: 'secret' }),
  TelegramBotName: text({ section: 'oauth', access: 'public' }),
  TurnstileSiteKey: text({ section: 'oauth', access: 'public' }),
  TurnstileSecretKey: text({ section: 'oauth', access: 'secret' }),
  // Other
  Notice: text({ section: 'other', access: 'public' }),
  SystemName: text({ section: 'other', access: 'public' }, 'Tollgate'),
  Logo: text({ section: 'other', access: 'public' }),
  HomePageContent: text({ section: 'other', access: 'public' }),
  About: text({ section: 'other', access: 'public' }),
  Footer: text({ section: 'other', access: 'public' }),
} satisfies Record<string, OptionDefinition<never> | OptionDefinition>;

export type OptionKey = keyof typeof optionRegistry;
export type OptionValues = { [K in OptionKey]: z.output<(typeof optionRegistry)[K]['schema']> };

export const optionKeys = Object.keys(optionRegistry) as OptionKey[];

/** Names that older clients of the product family use for an option of ours. */
export const optionAliases: Record<string, OptionKey> = { ShouldPreConsumedQuota: 'PreConsumedQuota' };

export function isOptionKey(key: string): key is OptionKey {
  return Object.hasOwn(optionRegistry, key);
}

/** The value that a stored text stands for. Throws a ZodError when the text is none that the option can have. */
export function parseOption<K extends OptionKey>(key: K, text: string): OptionValues[K] {
  return optionRegistry[key].schema.parse(text) as OptionValues[K];
}

/** The value that a stored text stands for; the default when there is none, or one that no longer parses. */
export function optionValue<K extends OptionKey>(key: K, text: string | undefined): OptionValues[K] {
  const definition: OptionDefinition = optionRegistry[key];
  const parsed = text === undefined ? undefined : definition.schema.safeParse(text);
  return (parsed?.success ? parsed.data : definition.schema.parse(definition.defaultText)) as OptionValues[K];
}

/** All options with their values: the stored texts over the defaults. */
export function optionValues(stored: ReadonlyMap<string, string>): OptionValues {
  return Object.fromEntries(optionKeys.map((key) => [key, optionValue(key, stored.get(key))])) as OptionValues;
}
