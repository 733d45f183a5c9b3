import { role } from '@tollgate/contracts';
import { User, type UserDoc } from '@tollgate/db';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Context } from '../context.ts';
import { sendNotice } from '../jobs/send-notice.ts';
import { wayTo } from './way.ts';
import { type NoticeCode, noticeKinds } from './words.ts';

type Reader = Pick<UserDoc, 'id' | 'email' | 'setting'>;
type Notified = Pick<Context, 'jobs' | 'redis' | 'noticeLimits'>;

/** Has somebody told of something, unless he was told of its kind often enough lately, or has named no way to reach him. */
export async function notify(
  { jobs, redis, noticeLimits: { count, minutes } }: Notified,
  reader: Reader,
  { code, values }: { code: NoticeCode; values: Record<string, string> },
): Promise<void> {
  if (!wayTo(reader)) return;
  const limit = new RateLimiterRedis({ storeClient: redis, keyPrefix: 'limit:notices', points: count, duration: minutes * 60 });
  try {
    await limit.consume(`${reader.id}:${noticeKinds[code].type}`);
  } catch (error) {
    if (error instanceof RateLimiterRes) return;
    throw error;
  }
  await jobs.start(sendNotice, { userId: reader.id, code, values });
}

/** Tells every root. What it is told of has happened: a failure is logged and stops nothing. */
export async function notifyRoots(
  context: Notified & Pick<Context, 'log'>,
  notice: { code: NoticeCode; values: Record<string, string> },
): Promise<void> {
  try {
    const roots = await User.find({ role: role.root, deletedAt: null }).select('id email setting').lean();
    for (const root of roots) await notify(context, root, notice);
  } catch (error) {
    context.log.error({ err: error, notice: notice.code }, 'root could not be told');
  }
}
