import { askForReplay, deadLettersState } from '@tollgate/bus';
import type { systemRoutes } from '@tollgate/contracts';
import { audit } from '../../audit/audit.ts';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../http/handlers.ts';
import { systemView } from './views.ts';

export function systemHandlers({ redis, wallet }: Pick<Context, 'redis' | 'wallet'>): Handlers<typeof systemRoutes> {
  return {
    'GET /api/system': async () => {
      const [counts, deadLetters] = await Promise.all([wallet.counts(), deadLettersState(redis)]);
      return systemView(counts, deadLetters);
    },
    'POST /api/system/replay': async ({ caller }) => {
      await askForReplay(redis);
      await audit(caller, 'system.replay', 'dead-letters', {});
    },
  };
}
