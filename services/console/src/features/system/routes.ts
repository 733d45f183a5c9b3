import { askForReplay, deadLettersState, processesSeen } from '@tollgate/bus';
import type { systemRoutes } from '@tollgate/contracts';
import { pingDatabase } from '@tollgate/db';
import { audit } from '../../audit/audit.ts';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../http/handlers.ts';
import { systemView } from './views.ts';

export function systemHandlers({ redis, wallet }: Pick<Context, 'redis' | 'wallet'>): Handlers<typeof systemRoutes> {
  return {
    'GET /api/system': async () => {
      const [counts, deadLetters, seen, store, ofRedis] = await Promise.all([
        wallet.counts(),
        deadLettersState(redis),
        processesSeen(redis),
        roundTrip(pingDatabase),
        roundTrip(() => redis.ping()),
      ]);
      return systemView({ counts, deadLetters, seen, pings: { store, redis: ofRedis } });
    },
    'POST /api/system/replay': async ({ caller }) => {
      await askForReplay(redis);
      await audit(caller, 'system.replay', 'dead-letters', {});
    },
  };
}

/** Milliseconds; -1 when it fails. */
async function roundTrip(ping: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  try {
    await ping();
    return Math.max(1, Math.round(performance.now() - from));
  } catch {
    return -1; // this is what is asked
  }
}
