import { createHash } from 'node:crypto';
import { AppError } from '@tollgate/runtime';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { z } from 'zod';
import { within } from '../../auth/limits.ts';
import type { Context } from '../../context.ts';
import { networkOf } from '../../http/known-hosts.ts';
import { askProvider, type Identity } from './provider.ts';

/** https://github.com/songquanpeng/wechat-server: an official account that tells its followers codes, and us whose they are. */
const id = z
  .string()
  .max(255)
  .regex(/^\P{Cc}*$/u);
const answer = z.object({ success: z.boolean(), data: id.nullish() });
const provider = 'WeChat';
const codeLifeSeconds = 180;
const attempts = 3;

/**
 * Whom a typed code stands for. A code is good once; whoever types three wrong ones waits until what they might have guessed has
 * expired. Throws `wrong_verification_code` or `too_many_requests`.
 */
export async function wechatIdentity(
  { egressByOrigin: { services: egress }, options, redis }: Context,
  code: string,
  address: string,
): Promise<Identity> {
  const { WeChatAuthEnabled, WeChatServerAddress, WeChatServerToken } = options.values;
  if (!WeChatAuthEnabled) throw new AppError('provider_disabled', { provider });
  const limiter = new RateLimiterRedis({ storeClient: redis, keyPrefix: 'limit:wechat', points: attempts, duration: codeLifeSeconds });
  const network = networkOf(address);
  await within(limiter.consume(network));
  const { success, data } = await askProvider(egress, `${WeChatServerAddress}/api/wechat/user?${new URLSearchParams({ code })}`, {
    provider,
    schema: answer,
    headers: { authorization: WeChatServerToken },
  });
  if (!success || !data || !(await isFirstUse(redis, code))) throw new AppError('wrong_verification_code');
  await limiter.delete(network);
  return { provider: 'wechat', id: data, name: '' };
}

async function isFirstUse(redis: Context['redis'], code: string): Promise<boolean> {
  const digest = createHash('sha256').update(code).digest('base64url');
  return (await redis.set(`code:wechat:${digest}`, '1', 'EX', codeLifeSeconds, 'NX')) === 'OK';
}
