import { createHash } from 'node:crypto';
import type { SessionView } from '@tollgate/contracts';
import { User } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import { credentialStamp, type Session } from '../../auth/sessions.ts';
import type { Context } from '../../context.ts';

/** Where the caller is signed in, the newest session first. */
export async function listSessions(context: Context, caller: Caller): Promise<SessionView[]> {
  return (await living(context, caller)).map((session) => ({
    id: handleOf(session),
    opened_time: session.openedAt,
    seen_time: session.seenAt,
    address: session.address,
    agent: session.agent,
    way: session.way,
    current: session.id === caller.session,
  }));
}

export async function endSession(context: Context, handle: string, caller: Caller): Promise<void> {
  const session = (await context.sessions.list(caller.id)).find((each) => handleOf(each) === handle);
  if (!session) throw new AppError('record_not_found');
  await context.sessions.end(session);
}

export async function endOtherSessions({ sessions }: Context, caller: Caller): Promise<void> {
  await sessions.endAll(caller.id, caller.session);
}

/** A session that was opened under an older password is over, though its record is still there. */
async function living({ sessions }: Context, caller: Caller): Promise<Session[]> {
  const user = await User.findOne({ id: caller.id }).select('+passwordHash').lean();
  const stamp = credentialStamp(user?.passwordHash);
  return (await sessions.list(caller.id)).filter((session) => session.stamp === stamp);
}

/** By which its owner names a session: its id stays between the cookie and us. */
function handleOf({ id }: Session): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, 22);
}
