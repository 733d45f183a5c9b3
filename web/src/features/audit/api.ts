import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

export interface AuditFilters {
  actor: string;
  action: string;
  target: string;
}

export const { useListAuditQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    listAudit: build.query({
      ...calls((query: AuditFilters & { p: number; page_size: number }) => call('GET /api/audit', { query })),
    }),
  }),
});
