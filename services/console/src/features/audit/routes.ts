import type { auditRoutes } from '@tollgate/contracts';
import type { Handlers } from '../../http/handlers.ts';
import { listAudit } from './list.ts';

export const auditHandlers: Handlers<typeof auditRoutes> = {
  'GET /api/audit': ({ query }) => listAudit(query),
};
