import { z } from 'zod';
import { pageQuery, pageView, queryNumber, queryText } from './common.ts';
import { route } from './route.ts';

/**
 * `actor`: an administrator's id or name, or a rule's name. `action`: a whole one, or its beginning with a point at its end (`channel.`).
 * `target`: a whole one (`channel:7`). Times are unix seconds, both inclusive; 0 and '' filter nothing.
 */
export const listAuditQuery = pageQuery.extend({
  actor: queryText,
  action: queryText,
  target: queryText,
  start_timestamp: queryNumber,
  end_timestamp: queryNumber,
});
export type ListAuditQuery = z.infer<typeof listAuditQuery>;

export const auditView = z.object({
  id: z.string(),
  created_at: z.number(),
  /** 0: a rule. */
  actor_id: z.number(),
  actor_name: z.string(),
  action: z.string(),
  target: z.string(),
  /** JSON texts of what was there before and after; '' where there is nothing to say. */
  before: z.string(),
  after: z.string(),
});
export type AuditView = z.infer<typeof auditView>;

export const auditRoutes = {
  'GET /api/audit': route({
    summary: 'What administrators and rules changed, the newest first',
    access: 'root',
    query: listAuditQuery,
    answer: pageView(auditView),
    example: { query: { action: 'channel.', p: 1, page_size: 20 } },
  }),
};
