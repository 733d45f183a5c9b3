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
  /** Events still wait on the bus. Recently reported ones are among them and are not published again yet. */
  isBehind: boolean;
  /** By Redis's clock; read from Redis when omitted. */
  nowMs?: number;
}

/** The result of a sweep. `lost`: the relay died and the draft is charged; `unreadable`: checked again in 10 minutes. */
export interface Swept {
  republished: number;
  lost: number;
  released: number;
  unreadable: number;
}

/**
 * Handles holds that are due: publishes reported but uncharged ones again from Redis; charges open ones past their deadline for their
 * draft, or releases them. Several sweeps at once are safe: an event published twice is dropped.
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

  /** This sweep itself reported the hold. */
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

/** Backs off with the age of a hold, so that a backlog is not filled with copies. */
function nextLookMs(nowMs: number, reportedAtMs: number): number {
  return nowMs + Math.min(latestAgainMs, Math.max(soonestAgainMs, nowMs - reportedAtMs));
}
