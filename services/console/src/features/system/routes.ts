import { askForReplay, deadLettersState, processesSeen } from '@tollgate/bus';
import type { systemRoutes } from '@tollgate/contracts';
import { pingDatabase, sealingKeyIds } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../http/handlers.ts';
import { resealSecrets } from '../../jobs/reseal-secrets.ts';
import { resealProgress } from './reseal.ts';
import { sealingView, systemView } from './views.ts';

export function systemHandlers({ redis, wallet, jobs }: Pick<Context, 'redis' | 'wallet' | 'jobs'>): Handlers<typeof systemRoutes> {
  return {
    'GET /api/system': async () => {
      const [counts, deadLetters, seen, reseal, store, ofRedis] = await Promise.all([
        wallet.counts(),
        deadLettersState(redis),
        processesSeen({ redis, now: wallet.now }),
        resealProgress(redis),
        roundTrip(pingDatabase),
        roundTrip(() => redis.ping()),
      ]);
      return {
        ...systemView({ counts, deadLetters, seen, pings: { store, redis: ofRedis } }),
        sealing: sealingView(sealingKeyIds(), reseal),
      };
    },
    'POST /api/system/replay': async ({ caller }) => {
      await askForReplay(redis);
      await audit(caller, 'system.replay', 'dead-letters', {});
    },
    'POST /api/system/reseal': async ({ caller }) => {
      if (sealingKeyIds().length < 2) throw new AppError('no_older_master_key');
      if (!(await jobs.start(resealSecrets, {}))) throw new AppError('job_running');
      await audit(caller, 'system.reseal', 'secrets', {});
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
