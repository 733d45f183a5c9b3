import type { AuditView, ListAuditQuery, Page } from '@tollgate/contracts';
import { AuditLog, type AuditLogDoc } from '@tollgate/db';
import { viewsOf } from '../../http/export.ts';
import { listTimeoutMs, pageOf, rowsAndTotal, shortCountMs, sliceOf } from '../../http/page.ts';

type Filter = Record<string, unknown>;
type AuditFilters = Omit<ListAuditQuery, 'p' | 'page_size' | 'size'>;
type AuditRow = AuditLogDoc & { _id: unknown };

export async function listAudit(query: ListAuditQuery): Promise<Page<AuditView>> {
  const filter = auditFilter(query);
  const slice = sliceOf(query);
  const { rows, total } = await rowsAndTotal<AuditRow>(
    slice,
    (limit) => AuditLog.find(filter).sort(newestFirst).skip(slice.skip).limit(limit).maxTimeMS(listTimeoutMs).lean(),
    (limits) => AuditLog.countDocuments(filter, limits),
    shortCountMs,
  );
  return pageOf(slice, rows.map(auditView), total);
}

/** All of them, for an export. */
export function auditRows(query: AuditFilters): AsyncGenerator<AuditView> {
  return viewsOf(AuditLog.find(auditFilter(query)).sort(newestFirst).lean().cursor(), (rows) => rows.map(auditView));
}

const newestFirst = { at: -1 } as const;

function auditFilter({ actor, action, target, start_timestamp: start, end_timestamp: end }: AuditFilters): Filter {
  const at = { ...(start > 0 && { $gte: new Date(start * 1000) }), ...(end > 0 && { $lte: new Date(end * 1000 + 999) }) };
  return {
    ...(actor !== '' && (/^\d{1,15}$/.test(actor) ? { $or: [{ actorId: Number(actor) }, { actorName: actor }] } : { actorName: actor })),
    ...(action !== '' && { action: action.endsWith('.') ? { $gte: action, $lt: `${action}\u{10ffff}` } : action }),
    ...(target !== '' && { target }),
    ...(Object.keys(at).length > 0 && { at }),
  };
}

function auditView({ _id, at, actorId, actorName, action, target, before, after }: AuditRow): AuditView {
  return {
    id: String(_id),
    created_at: Math.floor(at.getTime() / 1000),
    actor_id: actorId,
    actor_name: actorName,
    action,
    target,
    before: before === undefined ? '' : JSON.stringify(before),
    after: after === undefined ? '' : JSON.stringify(after),
  };
}
