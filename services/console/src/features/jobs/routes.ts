import type { jobRoutes } from '@tollgate/contracts';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../http/handlers.ts';
import { listJobs, runAgain } from './service.ts';

export function jobHandlers({ jobs }: Pick<Context, 'jobs'>): Handlers<typeof jobRoutes> {
  return {
    'GET /api/job': () => listJobs(jobs),
    'POST /api/job/:id/run': ({ params, caller }) => runAgain(jobs, params.id, caller),
  };
}
