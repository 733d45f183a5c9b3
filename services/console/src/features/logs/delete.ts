import { UsageLog } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';

const rowsAtOnce = 1000;

/** Deletes what is older than the moment (unix seconds), slice by slice so that nobody else waits long; returns how many rows. */
export async function deleteLogsBefore(timestamp: number, actor: Caller): Promise<number> {
  if (!(timestamp > 0)) throw new AppError('invalid_parameter', { reason: 'target_timestamp is needed' });
  const before = new Date(timestamp * 1000);
  let deleted = 0;
  for (;;) {
    const rows = await UsageLog.find({ at: { $lt: before } })
      .sort({ at: 1 })
      .limit(rowsAtOnce)
      .select('_id')
      .lean();
    if (rows.length === 0) break;
    const { deletedCount } = await UsageLog.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } });
    deleted += deletedCount;
  }
  await audit(actor, 'log.delete', 'log', { after: { before: before.toISOString(), deleted } });
  return deleted;
}
