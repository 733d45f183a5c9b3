import { flag, integer } from './kinds.ts';

/** The tab "rate limit". */
export const rateLimitOptions = {
  ModelRequestRateLimitEnabled: flag(
    {
      section: 'ratelimit',
      label: { en: 'Limit model requests of a user', zh: '启用用户模型请求速率限制' },
      help: { en: 'May slow calls a little.', zh: '可能会影响高并发性能' },
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
      help: { en: 'Failed ones count; 0 and below is no limit.', zh: '包括失败请求的次数，0 代表不限制' },
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
};
