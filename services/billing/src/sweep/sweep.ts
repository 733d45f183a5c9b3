import { type Bus, topics } from '@tollgate/bus';
import type { Logger } from '@tollgate/runtime';
import type { DueHold, Wallet } from '@tollgate/wallet';

const pageSize = 500;
const maxPages = 100;
const soonestAgainMs = 30_000;
const latestAgainMs = 600_000;

export interface SweepDependencies {
  wallet: Pick<Wallet, 'now' | 'due' | 'expire' | 'republished'>;
  bus: Pick<Bus, 'publish'>;
  logger: Pick<Logger, 'error' | 'warn'>;
  /** Events still wait on the bus: what was reported lately is among them and is not published again yet. */
  isBehind: boolean;
  /** By Redis's clock, which is asked when this is left out. */
  nowMs?: number;
}

/** What became of the overdue holds. `lost`: their relay died, the draft is charged; `unreadable`: looked at again in 10 minutes. */
export interface Swept {
  republished: number;
  lost: number;
  released: number;
  unreadable: number;
}

/**
 * Looks after holds whose time has come: reported ones that nobody charged are published again from Redis, open ones past their
 * deadline are charged for their draft, or released. Several sweeps at once do no harm: an event published twice is dropped.
 */
export async function sweep({ wallet, bus, logger, isBehind, ...given }: SweepDependencies): Promise<Swept> {
  const nowMs = given.nowMs ?? (await wallet.now());
  const swept: Swept = { republished: 0, lost: 0, released: 0, unreadable: 0 };
  for (let page = 0; page < maxPages; page++) {
    const due = await wallet.due(nowMs, pageSize);
    if (due.length === 0) break;
    const found = await Promise.all(due.map(async (hold) => ({ hold, expiry: await expire(hold) })));
    const answered = found.flatMap(({ hold, expiry }) => (expiry.state === 'reported' ? [{ hold, expiry }] : []));
    const toPublish = answered.filter(({ expiry }) => isNew(expiry) || !isBehind || nowMs - expiry.reportedAtMs > latestAgainMs);
    if (toPublish.length > 0) {
      await bus.publish(
        topics.usageRecorded,
        toPublish.map(({ expiry: { event } }) => ({ key: String(event.userId), value: event })),
      );
    }
    await Promise.all(answered.map(({ hold, expiry }) => wallet.republished(hold, nextLookMs(nowMs, expiry.reportedAtMs))));
    for (const { expiry } of found) if (expiry.state === 'released') swept.released++;
    for (const { expiry } of toPublish) swept[isNew(expiry) ? 'lost' : 'republished']++;
    if (due.length < pageSize) break;
  }
  return swept;

  /** This very sweep made it a reported one. */
  function isNew({ lost, reportedAtMs }: { lost: boolean; reportedAtMs: number }): boolean {
    return lost && reportedAtMs === nowMs;
  }

  async function expire(hold: DueHold) {
    try {
      return await wallet.expire(hold, nowMs);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      swept.unreadable++;
      logger.error({ userId: hold.userId, requestId: hold.requestId, err: error }, 'a hold has an event that is not JSON');
      await wallet.republished(hold, nowMs + latestAgainMs);
      return { state: 'none' } as const;
    }
  }
}

/** The older a hold, the rarer it is published: a backlog must not be fed with copies of itself. */
function nextLookMs(nowMs: number, reportedAtMs: number): number {
  return nowMs + Math.min(latestAgainMs, Math.max(soonestAgainMs, nowMs - reportedAtMs));
}
