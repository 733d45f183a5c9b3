import { z } from 'zod';
import { modelCatalog } from '../catalog/schema.ts';
import { defaultPrices } from '../default-prices.ts';
import { defaultUsageBound } from '../usage.ts';
import { flag, integer, json, number } from './kinds.ts';

export const ratios = z.record(z.string().min(1).max(255), z.number().nonnegative().max(1e9));
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

/** Quotas, groups and prices: the rest of the tab "operation". */
export const priceOptions = {
  // Quota
  QuotaForNewUser: integer({ section: 'quota', label: { en: 'Initial quota of new users', zh: '新用户初始额度' }, unit: 'quota' }, 0, {
    min: 0,
  }),
  PreConsumedQuota: integer(
    {
      section: 'quota',
      label: { en: 'Held ahead of a long stream', zh: '请求预扣费额度' },
      help: {
        en: 'Output tokens that are held ahead of a stream which has outgrown its hold.',
        zh: '流式输出超出预扣部分后，每次追加预扣的输出 tokens',
      },
      unit: 'tokens',
    },
    500,
    { min: 0 },
  ),
  UnknownMaxOutputTokens: integer(
    {
      section: 'quota',
      label: { en: 'Longest answer of other models', zh: '未知模型的最大输出' },
      help: {
        en: 'What is held for a model that the table of longest answers does not know.',
        zh: '最大输出表中没有的模型按此预扣',
      },
      unit: 'tokens',
    },
    16_384,
    { min: 1, max: defaultUsageBound },
  ),
  QuotaForInviter: integer({ section: 'quota', label: { en: 'Bonus for inviting', zh: '邀请新用户奖励额度' }, unit: 'quota' }, 0, {
    min: 0,
  }),
  QuotaForInvitee: integer(
    { section: 'quota', label: { en: 'Bonus for being invited', zh: '新用户使用邀请码奖励额度' }, unit: 'quota' },
    0,
    { min: 0 },
  ),
  MaxUsageTokens: integer(
    {
      section: 'quota',
      label: { en: 'Most tokens of one call', zh: '单次请求的最大 tokens' },
      help: {
        en: 'Beyond this, of one class, the count of the provider is not believed and ours is charged.',
        zh: '任一类用量超过此值时不采信上游用量，改用本地统计',
      },
      unit: 'tokens',
    },
    defaultUsageBound,
    { min: 1 },
  ),
  // Groups
  GroupRatio: json(
    {
      section: 'groups',
      label: { en: 'Group ratio', zh: '分组倍率' },
      help: { en: 'Each group and how many times the price its users pay.', zh: '键为分组名称，值为倍率' },
    },
    ratios,
    defaultPrices.groupRatios,
  ),
  UserUsableGroups: json(
    {
      section: 'groups',
      label: { en: 'Groups that users may choose', zh: '用户可选分组' },
      help: { en: 'Each group and what it is called.', zh: '键为分组名称，值为分组描述' },
    },
    groupDescriptions,
    defaultPrices.userUsableGroups,
  ),
  // Prices
  ModelPrice: json(
    {
      section: 'ratios',
      label: { en: 'Fixed price', zh: '模型固定价格' },
      help: {
        en: 'US dollars a call; comes before the ratio. A name may end in *.',
        zh: '一次调用消耗多少美元，优先于模型倍率；名称可以 * 结尾',
      },
    },
    ratios,
    defaultPrices.modelPrices,
  ),
  ModelRatio: json(
    {
      section: 'ratios',
      label: { en: 'Model ratio', zh: '模型倍率' },
      help: { en: '1 is 2 US dollars for a million input tokens.', zh: '倍率 1 表示每百万输入 tokens 2 美元' },
    },
    ratios,
    defaultPrices.modelRatios,
  ),
  CompletionRatio: json(
    {
      section: 'ratios',
      label: { en: 'Completion ratio', zh: '模型补全倍率' },
      help: {
        en: 'How many times an input token an output token costs; for models whose ratio we do not know.',
        zh: '输出价格相对输入价格的倍数，仅对自定义模型有效',
      },
    },
    ratios,
    defaultPrices.completionRatios,
  ),
  CacheRatio: json(
    {
      section: 'ratios',
      label: { en: 'Cached input ratio', zh: '缓存倍率' },
      help: { en: 'What a token read from a cache costs, against an input token.', zh: '缓存命中 tokens 相对输入价格的倍数' },
    },
    ratios,
    defaultPrices.cacheRatios,
  ),
  AudioCacheRatio: json(
    {
      section: 'ratios',
      label: { en: 'Cached sound ratio', zh: '音频缓存倍率' },
      help: {
        en: 'What a token of sound read from a cache costs, against an input token of text; without an entry, what cached text costs.',
        zh: '缓存命中的音频 tokens 相对文本输入价格的倍数；未填写时与文本缓存倍率相同',
      },
    },
    ratios,
    defaultPrices.audioCacheRatios,
  ),
  CreateCacheRatio: json(
    {
      section: 'ratios',
      label: { en: 'Cache write ratio', zh: '缓存创建倍率' },
      help: { en: 'What a token written to a cache costs, against an input token.', zh: '创建缓存 tokens 相对输入价格的倍数' },
    },
    ratios,
    defaultPrices.cacheCreationRatios,
  ),
  ModelMaxOutput: json(
    {
      section: 'ratios',
      label: { en: 'Longest answers', zh: '模型最大输出' },
      help: {
        en: 'Tokens, hidden reasoning included: what is held when the caller names no limit.',
        zh: 'tokens 数（包含推理），调用方未指定上限时按此预扣',
      },
    },
    tokenCounts,
    defaultPrices.maxOutputTokens,
  ),
  LongContextPrice: json(
    {
      section: 'ratios',
      label: { en: 'Prices of long prompts', zh: '长上下文价格' },
      help: {
        en: 'Models whose price rises when a prompt is longer than `above` tokens: how many times the ordinary one.',
        zh: '提示超过 above 个 tokens 时，输入与输出价格的倍数',
      },
    },
    longContextPrices,
    defaultPrices.longContextPrices,
  ),
  RequestFieldRatio: json(
    {
      section: 'ratios',
      label: { en: 'Prices of request fields', zh: '请求字段倍率' },
      help: {
        en: '`field=value`, or a field alone, and how many times the price a call costs that asks for it. Others of their kind are refused.',
        zh: '键为 field=value 或字段名，值为使用该字段的请求价格倍数；同类的其他值会被拒绝',
      },
    },
    ratios,
    defaultPrices.requestFieldRatios,
  ),
  ModelCatalog: json(
    {
      section: 'ratios',
      label: { en: 'Model catalog', zh: '模型目录' },
      help: {
        en: 'Families and models that are laid over the built-in catalog, as JSON: prices, limits and rules, each with its source. Price options come first.',
        zh: '以 JSON 覆盖内置模型目录的系列与模型（价格、上限与规则，均须注明来源）；价格选项优先',
      },
    },
    modelCatalog,
    { version: 1, families: {}, models: [] },
  ),
  ImageRatio: json(
    {
      section: 'ratios',
      label: { en: 'Picture input ratio', zh: '图片输入倍率' },
      help: { en: 'What a token of a picture that is sent in costs, against one of text.', zh: '图片输入 tokens 相对文本输入价格的倍数' },
    },
    ratios,
    defaultPrices.imageRatios,
  ),
  ImageCompletionRatio: json(
    {
      section: 'ratios',
      label: { en: 'Picture output ratio', zh: '图片输出倍率' },
      help: {
        en: 'What a token of a picture that is drawn costs, against one of text that is sent in.',
        zh: '图片输出 tokens 相对文本输入价格的倍数',
      },
    },
    ratios,
    defaultPrices.imageCompletionRatios,
  ),
  AudioRatio: json(
    {
      section: 'ratios',
      label: { en: 'Sound input ratio', zh: '音频输入倍率' },
      help: {
        en: 'What a token of sound that is heard costs, against one of text; other models follow built-in rules.',
        zh: '音频输入 tokens 相对文本输入价格的倍数；其他模型按内置规则',
      },
    },
    ratios,
    defaultPrices.audioRatios,
  ),
  AudioCompletionRatio: json(
    {
      section: 'ratios',
      label: { en: 'Sound output ratio', zh: '音频输出倍率' },
      help: {
        en: 'How much dearer than sound that is heard sound is that is spoken; other models follow built-in rules.',
        zh: '音频输出相对音频输入价格的倍数；其他模型按内置规则',
      },
    },
    ratios,
    defaultPrices.audioCompletionRatios,
  ),
  PictureRatio: json(
    {
      section: 'ratios',
      label: { en: 'Prices of pictures', zh: '图片价格倍率' },
      help: {
        en: 'By model: `quality/size`, a size, or a quality, and how many times its price one costs.',
        zh: '按模型：键为 quality/size、尺寸或质量，值为单张价格的倍数',
      },
    },
    pictureRatios,
    defaultPrices.pictureRatios,
  ),
  PiecePrice: json(
    {
      section: 'ratios',
      label: { en: 'Prices of pieces', zh: '按量计价' },
      help: {
        en: 'US dollars a second, a character, a search or a call of a tool, of models that are paid so.',
        zh: '按秒、字符、搜索或工具调用计价的模型，单位为美元',
      },
    },
    piecePrices,
    defaultPrices.piecePrices,
  ),
  SelfUseModeEnabled: flag(
    {
      section: 'ratios',
      label: { en: 'Allow unpriced models', zh: '允许调用未定价的模型' },
      help: { en: 'Otherwise they are refused.', zh: '关闭时，未定价的模型会被拒绝' },
    },
    false,
  ),
  UnpricedModelRatio: number(
    {
      section: 'ratios',
      label: { en: 'Ratio of unpriced models', zh: '未定价模型的倍率' },
      help: { en: 'What they cost where they are allowed.', zh: '允许调用时按此倍率计费' },
    },
    37.5,
    { min: 0 },
  ),
};
