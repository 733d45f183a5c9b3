import { callLimits, limitsByName, noLimits } from '../limits.ts';
import { flag, integer, json } from './kinds.ts';

/** The tab "rate limit". */
export const rateLimitOptions = {
  ModelRequestRateLimitEnabled: flag(
    {
      section: 'ratelimit',
      label: { en: 'Limit requests per user', zh: '启用用户模型请求速率限制' },
      help: {
        en: 'Limits how many model requests each user may make per period. Checked together with the hold, without extra latency.',
        zh: '限制每个用户在一个周期内的模型请求数；与预扣一并检查，不增加延迟。',
      },
    },
    false,
  ),
  ModelRequestRateLimitDurationMinutes: integer(
    {
      section: 'ratelimit',
      label: { en: 'Limit period', zh: '限制周期' },
      help: {
        en: 'The length of the period that both limits below count in. 0 means no limit.',
        zh: '下方两项限制的统计周期；0 表示不限制。',
      },
      unit: 'minutes',
    },
    1,
    { min: 0, max: 10_080 },
  ),
  ModelRequestRateLimitCount: integer(
    {
      section: 'ratelimit',
      label: { en: 'Max requests per period', zh: '用户每周期最多请求次数' },
      help: {
        en: 'Per user, including failed requests. 0 or less means no limit.',
        zh: '每个用户的请求数，包括失败的请求；0 及以下表示不限制。',
      },
      unit: 'requests',
    },
    -1,
    { min: -1 },
  ),
  ModelRequestRateLimitSuccessCount: integer(
    {
      section: 'ratelimit',
      label: { en: 'Max successful requests per period', zh: '用户每周期最多请求完成次数' },
      help: { en: 'Per user, counting only successful requests.', zh: '每个用户的请求数，只统计成功的请求。' },
      unit: 'requests',
    },
    1000,
    { min: 1 },
  ),
  UserLimits: json(
    {
      section: 'limits',
      label: { en: 'Limits per user', zh: '每个用户的限制' },
      help: {
        en: 'Requests and tokens per minute and per 24 hours, and concurrent requests, of each user. Tokens are prompt plus completion; 0 means no limit.',
        zh: '每个用户任意一分钟与任意 24 小时内的请求数和 Token 数（输入加输出），以及并发数；0 表示不限制。',
      },
    },
    callLimits,
    noLimits,
  ),
  GroupLimits: json(
    {
      section: 'limits',
      label: { en: 'Limits per group', zh: '分组限制' },
      help: {
        en: 'Group name and the limits of all its calls together, with the same fields as above. A name may end in *: each matching group has its own limit.',
        zh: '键为分组名称，值为该分组全部调用合计的限制，字段同上；名称可以 * 结尾，各分组分别计数。',
      },
    },
    limitsByName,
    {},
  ),
  ModelLimits: json(
    {
      section: 'limits',
      label: { en: 'Limits per model', zh: '模型限制' },
      help: {
        en: 'Model name and the limits of all its calls together, with the same fields as above. A name may end in *: each matching model has its own limit.',
        zh: '键为模型名称，值为该模型全部调用合计的限制，字段同上；名称可以 * 结尾，各模型分别计数。',
      },
    },
    limitsByName,
    {},
  ),
  LimitShadowEnabled: flag(
    {
      section: 'limits',
      label: { en: 'Dry-run limits', zh: '限制仅观察' },
      help: {
        en: 'Counts all limits but refuses no calls. Use it to try limits out: the metric relay_limits_reached_total shows what they would refuse.',
        zh: '所有限制只计数而不拒绝请求，可用于试运行；指标 relay_limits_reached_total 显示本应拒绝的次数。',
      },
    },
    false,
  ),
};
