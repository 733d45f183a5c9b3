import { callLimits, limitsByName, noLimits } from '../limits.ts';
import { flag, integer, json } from './kinds.ts';

/** The tab "rate limit". */
export const rateLimitOptions = {
  ModelRequestRateLimitEnabled: flag(
    {
      section: 'ratelimit',
      label: { en: 'Limit model requests of a user', zh: '启用用户模型请求速率限制' },
      help: { en: 'Asked where quota is held: no further question to Redis.', zh: '与预扣额度一并检查，不增加 Redis 往返' },
    },
    false,
  ),
  ModelRequestRateLimitDurationMinutes: integer(
    {
      section: 'ratelimit',
      label: { en: 'Limit period', zh: '限制周期' },
      help: { en: '0 is no limit.', zh: '0 代表不限制' },
      unit: 'minutes',
    },
    1,
    { min: 0, max: 10_080 },
  ),
  ModelRequestRateLimitCount: integer(
    {
      section: 'ratelimit',
      label: { en: 'Most requests a period', zh: '用户每周期最多请求次数' },
      help: { en: 'Failed ones count; 0 and below is no limit.', zh: '包括失败请求的次数，0 及以下代表不限制' },
      unit: 'requests',
    },
    -1,
    { min: -1 },
  ),
  ModelRequestRateLimitSuccessCount: integer(
    {
      section: 'ratelimit',
      label: { en: 'Most successful requests a period', zh: '用户每周期最多请求完成次数' },
      help: { en: 'Only successful ones count.', zh: '只包括请求成功的次数' },
      unit: 'requests',
    },
    1000,
    { min: 1 },
  ),
  UserLimits: json(
    {
      section: 'limits',
      label: { en: 'Limits of each user', zh: '每个用户的限制' },
      help: {
        en: 'Requests and tokens in any minute and any 24 hours, and calls at once; 0 is no limit. Tokens are prompt and answer together.',
        zh: '任意一分钟与任意 24 小时内的请求数和 tokens（输入加输出），以及并发数；0 代表不限制',
      },
    },
    callLimits,
    noLimits,
  ),
  GroupLimits: json(
    {
      section: 'limits',
      label: { en: 'Limits of groups', zh: '分组限制' },
      help: {
        en: 'The name of a group and what all its calls together may do, as for a user. A name may end in *: each group then has its own.',
        zh: '键为分组名称，值为该分组全部调用合计的限制，字段同上；名称可以 * 结尾，各分组分别计数',
      },
    },
    limitsByName,
    {},
  ),
  ModelLimits: json(
    {
      section: 'limits',
      label: { en: 'Limits of models', zh: '模型限制' },
      help: {
        en: 'The name of a model and what all calls of it together may do. A name may end in *: each model then has its own.',
        zh: '键为模型名称，值为该模型全部调用合计的限制；名称可以 * 结尾，各模型分别计数',
      },
    },
    limitsByName,
    {},
  ),
  LimitShadowEnabled: flag(
    {
      section: 'limits',
      label: { en: 'Only watch limits', zh: '限制仅观察' },
      help: {
        en: 'All limits count, and none refuses a call: the metric relay_limits_reached_total tells what they would refuse.',
        zh: '所有限制只计数而不拒绝请求，可由指标 relay_limits_reached_total 查看本应拒绝的次数',
      },
    },
    false,
  ),
};
