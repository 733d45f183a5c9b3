import type { Page, pageQuery, SignInView } from '@tollgate/contracts';
import { SignIn } from '@tollgate/db';
import type { z } from 'zod';
import type { Caller } from '../../auth/caller.ts';
import type { Visit } from '../../auth/visit.ts';
import { exactly, pageOf, sliceOf } from '../../http/page.ts';

/** Of good and of failed ones each, of one account: many failures do not push out what came well. */
const kept = 100;

export interface SignInNote {
  userId: number;
  way: string;
  visit: Visit;
  isGood: boolean;
}

/** Notes a sign-in, or a try, for the owner of the account to see. */
export async function noteSignIn({ userId, way, visit, isGood }: SignInNote): Promise<void> {
  await SignIn.create({ userId, at: new Date(), way, isGood, ...visit });
  const [oldest] = await SignIn.find({ userId, isGood }).sort({ at: -1 }).skip(kept).limit(1).select('at').lean();
  if (oldest) await SignIn.deleteMany({ userId, isGood, at: { $lte: oldest.at } });
}

export async function listSignIns(query: z.output<typeof pageQuery>, caller: Caller): Promise<Page<SignInView>> {
  const slice = sliceOf(query);
  const [rows, total] = await Promise.all([
    SignIn.find({ userId: caller.id }).sort({ at: -1 }).skip(slice.skip).limit(slice.size).lean(),
    SignIn.countDocuments({ userId: caller.id }),
  ]);
  const items = rows.map(({ at, way, isGood, address, agent }) => ({
    at: Math.floor(at.getTime() / 1000),
    way,
    good: isGood,
    address,
    agent,
  }));
  return pageOf(slice, items, exactly(total));
}
