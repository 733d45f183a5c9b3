import { User } from '@tollgate/db';
import { z } from 'zod';
import { originOf, refuseInsecure } from '../auth/request-origin.ts';
import { noticeLetter } from '../mail/letters.ts';
import { settingOf, wayTo } from '../notices/way.ts';
import { callWebhook } from '../notices/webhook.ts';
import { type NoticeCode, noticeKinds, noticeOf } from '../notices/words.ts';
import { job } from './job.ts';

const codes = Object.keys(noticeKinds) as [NoticeCode, ...NoticeCode[]];

/** Tells somebody of something, by the way and in the language of his settings as they are by then. */
export const sendNotice = job({
  name: 'send-notice',
  data: z.strictObject({ userId: z.int(), code: z.enum(codes), values: z.record(z.string(), z.string()) }),
  alone: false,
  attempts: 8,
  firstPauseMs: 5000,
  async handle({ egressByOrigin, mailer, options }, { userId, code, values }) {
    const user = await User.findOne({ id: userId, deletedAt: null }).select('id email setting role').lean();
    const way = user && wayTo(user);
    if (!way) return; // closed, or has taken back how to be reached
    const notice = noticeOf(code, values, settingOf(user).language);
    if (way.by === 'mail') return mailer.send(way.address, noticeLetter(notice, { site: options.values.SystemName }));
    refuseInsecure(way.url, user, egressByOrigin);
    await callWebhook({ egress: egressByOrigin, origin: originOf(user), worker: options.values }, way, notice);
  },
});
