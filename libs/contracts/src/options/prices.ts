import { z } from 'zod';
import { priceSourceKinds } from '../catalog/price-sources.ts';
import { modelCatalog } from '../catalog/schema.ts';
import { defaultPrices } from '../default-prices.ts';
import { defaultUsageBound } from '../usage.ts';
import { flag, integer, json, number, tags } from './kinds.ts';

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
const priceSources = z
  .array(
    z.strictObject({
      name: z.string().regex(/^[\w.-]{1,40}$/),
      kind: z.enum(priceSourceKinds),
      url: z.url({ protocol: /^https?$/ }).max(500),
    }),
  )
  .max(10)
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, { error: 'a name stands there twice' });
const groupDescriptions = z.record(z.string().min(1).max(64), z.string().max(255));

/** Quotas, groups and prices: the rest of the tab "operation". */
export const priceOptions = {
  // Quota
  QuotaForNewUser: integer(
    {
      section: 'quota',
      label: { en: 'Initial balance of new users', zh: '新用户初始额度' },
      help: { en: 'Credited when an account is created.', zh: '创建账户时赠送的额度。' },
      unit: 'quota',
    },
    0,
    {
      min: 0,
    },
  ),
  PreConsumedQuota: integer(
    {
      section: 'quota',
      label: { en: 'Streaming pre-charge', zh: '请求预扣费额度' },
      help: {
        en: 'Output tokens held in advance each time a stream outgrows its hold. Raise it to reduce Redis traffic, lower it for small balances.',
        zh: '流式输出超出预扣部分后，每次追加预扣的输出 Token 数。调高可减少 Redis 请求，余额较小时可调低。',
      },
      unit: 'tokens',
    },
    500,
    { min: 0 },
  ),
  UnknownMaxOutputTokens: integer(
    {
      section: 'quota',
      label: { en: 'Default max output tokens', zh: '默认最大输出' },
      help: {
        en: 'Held for a call without a token limit whose model has no entry in Max output tokens.',
        zh: '调用未指定上限且模型不在“模型最大输出”表中时，按此预扣。',
      },
      unit: 'tokens',
    },
    16_384,
    { min: 1, max: defaultUsageBound },
  ),
  RunIdHeaders: tags(
    {
      section: 'quota',
      label: { en: 'Run ID headers', zh: '运行 ID 请求头' },
      help: {
        en: 'Request headers that name the run of a call that has neither X-Run-Id nor metadata.run_id, such as x-claude-code-session-id.',
        zh: '调用未带 X-Run-Id 或 metadata.run_id 时，从这些请求头读取运行 ID，例如 x-claude-code-session-id。',
      },
    },
    [],
  ),
  QuotaForInviter: integer(
    {
      section: 'quota',
      label: { en: 'Inviter bonus', zh: '邀请新用户奖励额度' },
      help: {
        en: 'Credited to a user for each new user they invite. 0 disables the bonus.',
        zh: '每邀请一名新用户，邀请人获得的额度；0 表示不奖励。',
      },
      unit: 'quota',
    },
    0,
    {
      min: 0,
    },
  ),
  QuotaForInvitee: integer(
    {
      section: 'quota',
      label: { en: 'Invitee bonus', zh: '新用户使用邀请码奖励额度' },
      help: {
        en: 'Credited to a new user who registers with an invite link. 0 disables the bonus.',
        zh: '通过邀请链接注册的新用户获得的额度；0 表示不奖励。',
      },
      unit: 'quota',
    },
    0,
    { min: 0 },
  ),
  MaxUsageTokens: integer(
    {
      section: 'quota',
      label: { en: 'Max tokens per call', zh: '单次请求的最大 tokens' },
      help: {
        en: "If a provider reports more tokens of one class than this, Tollgate's own count is charged instead.",
        zh: '上游上报的任一类 Token 数超过此值时，改按本站计数计费。',
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
      label: { en: 'Group ratios', zh: '分组倍率' },
      help: {
        en: 'A JSON object from group name to price multiplier: {"vip": 0.8} is 20% off. A group exists once it is listed here.',
        zh: 'JSON 对象，键为分组名称，值为价格倍率：{"vip": 0.8} 表示八折。列出后分组即存在。',
      },
    },
    ratios,
    defaultPrices.groupRatios,
  ),
  UserUsableGroups: json(
    {
      section: 'groups',
      label: { en: 'Groups users can choose', zh: '用户可选分组' },
      help: {
        en: 'A JSON object from group name to the description shown to users.',
        zh: 'JSON 对象，键为分组名称，值为向用户显示的描述。',
      },
    },
    groupDescriptions,
    Object.fromEntries(Object.entries(defaultPrices.userUsableGroups).map(([group, { zh }]) => [group, zh])),
  ),
  // Prices
  ModelPrice: json(
    {
      section: 'ratios',
      label: { en: 'Fixed prices', zh: '模型固定价格' },
      help: {
        en: 'A JSON object from model name to US dollars per call. Takes precedence over the model ratio. A name may end in *.',
        zh: 'JSON 对象，键为模型名称，值为每次调用的美元价格；优先于模型倍率。名称可以 * 结尾。',
      },
    },
    ratios,
    defaultPrices.modelPrices,
  ),
  ModelRatio: json(
    {
      section: 'ratios',
      label: { en: 'Model ratios', zh: '模型倍率' },
      help: {
        en: 'A JSON object from model name to input price: 1 is $2 per million input tokens.',
        zh: 'JSON 对象，键为模型名称，值为输入价格倍率：1 表示每百万输入 Token 2 美元。',
      },
    },
    ratios,
    defaultPrices.modelRatios,
  ),
  CompletionRatio: json(
    {
      section: 'ratios',
      label: { en: 'Completion ratios', zh: '模型补全倍率' },
      help: {
        en: 'Price of output tokens relative to input tokens. Applies to models without a built-in ratio.',
        zh: '输出价格相对输入价格的倍数，仅对没有内置倍率的模型有效。',
      },
    },
    ratios,
    defaultPrices.completionRatios,
  ),
  CacheRatio: json(
    {
      section: 'ratios',
      label: { en: 'Cached input ratios', zh: '缓存倍率' },
      help: {
        en: 'Price of tokens read from a cache relative to input tokens: 0.5 is half price.',
        zh: '缓存命中 Token 相对输入价格的倍数：0.5 表示半价。',
      },
    },
    ratios,
    defaultPrices.cacheRatios,
  ),
  AudioCacheRatio: json(
    {
      section: 'ratios',
      label: { en: 'Cached audio ratios', zh: '音频缓存倍率' },
      help: {
        en: 'Price of cached audio tokens relative to text input tokens. Without an entry, the cached input ratio applies.',
        zh: '缓存命中的音频 Token 相对文本输入价格的倍数；未填写时使用文本缓存倍率。',
      },
    },
    ratios,
    defaultPrices.audioCacheRatios,
  ),
  CreateCacheRatio: json(
    {
      section: 'ratios',
      label: { en: 'Cache write ratios', zh: '缓存创建倍率' },
      help: {
        en: 'Price of tokens written to a cache relative to input tokens: 1.25 costs 25% more.',
        zh: '创建缓存 Token 相对输入价格的倍数：1.25 表示高 25%。',
      },
    },
    ratios,
    defaultPrices.cacheCreationRatios,
  ),
  ModelMaxOutput: json(
    {
      section: 'ratios',
      label: { en: 'Max output tokens', zh: '模型最大输出' },
      help: {
        en: 'A JSON object from model name to the longest answer in tokens, reasoning included. Held when a caller sets no limit.',
        zh: 'JSON 对象，键为模型名称，值为最大输出 Token 数（包含推理）；调用方未指定上限时按此预扣。',
      },
    },
    tokenCounts,
    defaultPrices.maxOutputTokens,
  ),
  LongContextPrice: json(
    {
      section: 'ratios',
      label: { en: 'Long-context prices', zh: '长上下文价格' },
      help: {
        en: 'For models that cost more for long prompts: beyond "above" prompt tokens, input and output prices are multiplied by these factors.',
        zh: '提示词超过 above 个 Token 时，输入与输出价格分别乘以相应倍数。',
      },
    },
    longContextPrices,
    defaultPrices.longContextPrices,
  ),
  RequestFieldRatio: json(
    {
      section: 'ratios',
      label: { en: 'Request field ratios', zh: '请求字段倍率' },
      help: {
        en: 'Price multipliers for requests with a field, such as "service_tier=priority". Other values of a listed field are refused.',
        zh: '键为 field=value 或字段名，值为使用该字段时的价格倍数；同一字段的其他值会被拒绝。',
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
        en: 'A JSON overlay on the built-in catalog: model families and models with prices, limits and rules, each with its source. Price options take precedence.',
        zh: '以 JSON 覆盖内置模型目录的系列与模型（价格、上限与规则，均须注明来源）；价格选项优先。',
      },
    },
    modelCatalog,
    { version: 1, families: {}, models: [] },
  ),
  CatalogSources: json(
    {
      section: 'ratios',
      label: { en: 'Price sources', zh: '价格来源' },
      help: {
        en: 'Files that prices are read from, the first that lists a model decides: [{"name","kind","url"}] with kind catalog, models.dev, openrouter, litellm or pricing.',
        zh: '读取价格的文件，由第一个包含该模型的来源决定：[{"name","kind","url"}]，kind 为 catalog、models.dev、openrouter、litellm 或 pricing。',
      },
    },
    priceSources,
    [],
  ),
  CatalogPins: json(
    {
      section: 'ratios',
      label: { en: 'Price source by model', zh: '指定模型价格来源' },
      help: {
        en: 'The name of the source of a model; an empty name pins its price by hand. A model name may end in *.',
        zh: '为模型指定来源名称；留空表示由人工定价。模型名可以 * 结尾。',
      },
    },
    z.record(z.string().min(1).max(255), z.string().max(40)),
    {},
  ),
  CatalogSyncHours: integer(
    {
      section: 'ratios',
      label: { en: 'Price sync interval', zh: '价格同步间隔（小时）' },
      help: { en: 'Hours between two readings of the price sources; 0 is never.', zh: '两次读取价格来源之间的小时数，0 表示关闭。' },
    },
    0,
    { min: 0, max: 720 },
  ),
  CatalogQuietPercent: integer(
    {
      section: 'ratios',
      label: { en: 'Price change without approval', zh: '免审批的价格变动（%）' },
      help: {
        en: 'Percent by which a price of a source may rise or fall without approval.',
        zh: '来源中的价格涨跌不超过该百分比时无需审批。',
      },
    },
    10,
    { min: 0, max: 90 },
  ),
  ModelSyncHours: integer(
    {
      section: 'ratios',
      label: { en: 'Upstream model check', zh: '上游模型检查间隔（小时）' },
      help: {
        en: 'Hours between two comparisons of each channel’s models with its provider’s list; 0 is never. Changes are proposed, never made.',
        zh: '将各渠道的模型与上游列表比对的间隔小时数，0 表示关闭。只提出建议，不自动修改。',
      },
    },
    0,
    { min: 0, max: 720 },
  ),
  ImageRatio: json(
    {
      section: 'ratios',
      label: { en: 'Image input ratios', zh: '图片输入倍率' },
      help: { en: 'Price of image input tokens relative to text input tokens.', zh: '图片输入 Token 相对文本输入价格的倍数。' },
    },
    ratios,
    defaultPrices.imageRatios,
  ),
  ImageCompletionRatio: json(
    {
      section: 'ratios',
      label: { en: 'Image output ratios', zh: '图片输出倍率' },
      help: { en: 'Price of image output tokens relative to text input tokens.', zh: '图片输出 Token 相对文本输入价格的倍数。' },
    },
    ratios,
    defaultPrices.imageCompletionRatios,
  ),
  AudioRatio: json(
    {
      section: 'ratios',
      label: { en: 'Audio input ratios', zh: '音频输入倍率' },
      help: {
        en: 'Price of audio input tokens relative to text input tokens. Models without an entry follow the built-in rules.',
        zh: '音频输入 Token 相对文本输入价格的倍数；未填写的模型按内置规则。',
      },
    },
    ratios,
    defaultPrices.audioRatios,
  ),
  AudioCompletionRatio: json(
    {
      section: 'ratios',
      label: { en: 'Audio output ratios', zh: '音频输出倍率' },
      help: {
        en: 'Price of audio output tokens relative to audio input tokens. Models without an entry follow the built-in rules.',
        zh: '音频输出相对音频输入价格的倍数；未填写的模型按内置规则。',
      },
    },
    ratios,
    defaultPrices.audioCompletionRatios,
  ),
  PictureRatio: json(
    {
      section: 'ratios',
      label: { en: 'Image price ratios', zh: '图片价格倍率' },
      help: {
        en: 'Per model: price multipliers by "quality/size", size or quality of a generated image.',
        zh: '按模型填写：键为 quality/size、尺寸或质量，值为单张图片价格的倍数。',
      },
    },
    pictureRatios,
    defaultPrices.pictureRatios,
  ),
  PiecePrice: json(
    {
      section: 'ratios',
      label: { en: 'Unit prices', zh: '按量计价' },
      help: {
        en: 'US dollars per second, character, search or tool call, for models billed that way.',
        zh: '按秒、字符、搜索或工具调用计价的模型，单位为美元。',
      },
    },
    piecePrices,
    defaultPrices.piecePrices,
  ),
  SelfUseModeEnabled: flag(
    {
      section: 'ratios',
      label: { en: 'Allow unpriced models', zh: '允许调用未定价的模型' },
      help: {
        en: 'Serves models without a price at the ratio below. Off: such calls are refused.',
        zh: '允许调用没有价格的模型，按下方倍率计费；关闭时拒绝此类调用。',
      },
    },
    false,
  ),
  UnpricedModelRatio: number(
    {
      section: 'ratios',
      label: { en: 'Ratio of unpriced models', zh: '未定价模型的倍率' },
      help: {
        en: 'Model ratio charged for models without a price when they are allowed: 1 is $2 per million input tokens.',
        zh: '允许调用未定价模型时使用的模型倍率：1 表示每百万输入 Token 2 美元。',
      },
    },
    37.5,
    { min: 0 },
  ),
};
