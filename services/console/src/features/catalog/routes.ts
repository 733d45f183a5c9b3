import type { catalogRoutes } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../http/handlers.ts';
import { syncCatalog, syncModels } from '../../jobs/catalog-jobs.ts';
import { decideProposals } from './decide.ts';
import { priceHistory } from './history.ts';
import { listProposals } from './list.ts';
import { priceSources } from './sync.ts';
import { takePriceFile } from './take-file.ts';

/** Where a file of root's comes from. */
const uploaded = 'https://tollgate.invalid/upload';

export function catalogHandlers(context: Context): Handlers<typeof catalogRoutes> {
  return {
    'GET /api/catalog/proposal': ({ query }) => listProposals(query),
    'POST /api/catalog/proposal': async ({ body, caller }) => ({ decided: await decideProposals(context, body, caller) }),
    'GET /api/catalog/source': () => priceSources(context),
    'POST /api/catalog/sync': async ({ caller }) => {
      const begun = await Promise.all([syncCatalog, syncModels].map((job) => context.jobs.start(job, {})));
      if (!begun.some(Boolean)) throw new AppError('job_running');
      await audit(caller, 'catalog.sync', 'catalog');
    },
    'POST /api/catalog/upload': async ({ body: { kind, text, dry_run: isDryRun }, caller }) => {
      const taken = await takePriceFile(context, text, { name: 'file', kind, url: uploaded, actor: caller, isDryRun });
      await audit(caller, 'catalog.upload', 'catalog', { after: { kind, ...taken, dry_run: isDryRun } });
      return taken;
    },
    'GET /api/pricing/history': ({ query }) => priceHistory(query.model),
  };
}
