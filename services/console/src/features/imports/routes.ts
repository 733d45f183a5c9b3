import type { importRoutes } from '@tollgate/contracts';
import { ImportModel, seal } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../http/handlers.ts';
import { importFrom, sourcePlace } from '../../jobs/import-from.ts';
import { keepUpload, sendWhole } from './files.ts';
import { type ImportState, importState, noImport, noteImport, shownSource } from './state.ts';

export function importHandlers(context: Context): Handlers<typeof importRoutes> {
  const { redis, jobs } = context;

  /** Shows the new one at once, instead of the report of the last one. */
  async function begun(wanted: Pick<ImportState, 'action' | 'apply' | 'from'>, start: () => Promise<boolean>): Promise<void> {
    const before = await importState(redis);
    await noteImport(redis, { ...noImport, ...wanted, state: 'waiting', started_time: Math.floor(Date.now() / 1000) });
    if (await start()) return;
    await noteImport(redis, before);
    throw new AppError('job_running');
  }

  return {
    'GET /api/import': async () => {
      const [state, all] = await Promise.all([importState(redis), ImportModel.find().sort({ startedAt: 1 }).lean()]);
      const imports = all.map(({ _id: name, product, startedAt }) => ({
        name,
        product,
        started_time: Math.floor(startedAt.getTime() / 1000),
      }));
      return { ...state, imports };
    },
    'POST /api/import': async ({ body, caller }) => {
      const { from, logs, apply } = body;
      const data = { ...body, action: 'import' as const, from: seal(from, sourcePlace), secret: seal(body.secret, sourcePlace) };
      await begun({ action: 'import', apply, from: shownSource(from) }, () => jobs.start(importFrom, data));
      await audit(caller, 'import.start', 'import', { after: { from: shownSource(from), logs, apply } });
    },
    'POST /api/import/file': async ({ req }) => ({ from: await keepUpload(req) }),
    'POST /api/export': async ({ body, caller, res }) => {
      await audit(caller, 'export.make', 'export', { after: { logs: body.logs } });
      await sendWhole(res, body);
    },
    'POST /api/import/undo': async ({ body, caller }) => {
      if (!(await ImportModel.exists({ _id: body.name }))) throw new AppError('record_not_found');
      const data = { ...body, action: 'undo' as const };
      await begun({ action: 'undo', apply: body.apply, from: '' }, () => jobs.start(importFrom, data));
      await audit(caller, 'import.undo', 'import', { after: body });
    },
  };
}
