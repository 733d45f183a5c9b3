import type { LogStat, LogView, Page } from '@tollgate/contracts';
import { AuditLog, UsageLog } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import type { Caller } from '../../src/auth/caller.ts';
import { deleteLogsBefore } from '../../src/features/logs/delete.ts';
import { type Logs, now } from './rows.ts';

/** How long rows are kept, and what stays of those that are deleted. */
export function keptAndDeleted(logs: () => Logs): void {
  it('are deleted before a moment by root alone, and that leaves a trail', async () => {
    const { tollgate, admin, row, call } = logs();
    await UsageLog.insertMany(Array.from({ length: 2100 }, () => row({ at: now - 1000 })));
    await call({ at: now });
    expect((await admin.send('DELETE', `/api/log/?target_timestamp=${now}`)).code).to.equal('insufficient_role');
    for (const none of ['', '?target_timestamp=soon', `?target_timestamp=${now * 1000}`])
      expect((await tollgate.root.send('DELETE', `/api/log/${none}`)).code, none).to.equal('invalid_parameter');
    expect(await tollgate.root.ok('DELETE', `/api/log/?target_timestamp=${now}`)).to.equal(2100);
    expect(await tollgate.root.ok('DELETE', `/api/log/?target_timestamp=${now}`)).to.equal(0);
    expect((await admin.ok<Page<LogView>>('GET', '/api/log/')).total).to.equal(1);
    const trail = await AuditLog.find({ action: 'log.delete' }).lean();
    expect(trail.map(({ after }) => (after as { deleted: number }).deleted)).to.include.members([2100, 0]);
  });

  it('that are deleted leave what keeps their calls from being charged again, until nothing can bring them any more', async () => {
    const { tollgate, admin, row } = logs();
    const young = { ...row({ at: now - 1000 }), epoch: 'e', partition: 1, offset: '7' };
    await UsageLog.insertMany([young, row({ at: now - 9 * 86_400 }), { ...row({ at: now - 1000 }), type: 1 }]);
    expect(await tollgate.root.ok('DELETE', `/api/log/?target_timestamp=${now}`)).to.equal(3);
    expect((await admin.ok<Page<LogView>>('GET', '/api/log/')).total).to.equal(0);
    const [guard, ...others] = await UsageLog.find().lean();
    expect(others).to.deep.equal([]);
    expect(guard).to.include({ _id: young._id, hidden: true, quota: 100, epoch: 'e', partition: 1, offset: '7' });
    expect(guard).not.to.have.any.keys('usage', 'price', 'content');
    const root = { id: 1, username: 'root' } as Caller;
    expect(await deleteLogsBefore(now, root, (now + 7 * 86_400) * 1000)).to.equal(0);
    expect(await deleteLogsBefore(now, root, (now + 8 * 86_400) * 1000)).to.equal(1);
    expect(await UsageLog.countDocuments()).to.equal(0);
  });

  it('that are deleted leave what keeps a failed task from being given back again, which counts as it did', async () => {
    const { tollgate, user, admin, row } = logs();
    const charge = { ...row({ at: now - 1000 }), epoch: 'e', partition: 1, offset: '7' };
    const { usage: _, price: __, ...refund } = { ...row({ at: now - 900 }), type: 4, quota: -100, refundOf: charge._id };
    const text = { code: 'task_refunded', values: { id: '1', quota: 100 } };
    await UsageLog.insertMany([charge, { ...refund, _id: `task-refund:${charge._id}`, text, epoch: 't', partition: 1, offset: '3' }]);
    expect(await tollgate.root.ok('DELETE', `/api/log/?target_timestamp=${now}`)).to.equal(2);
    expect((await admin.ok<Page<LogView>>('GET', '/api/log/')).total).to.equal(0);
    const guard = await UsageLog.findOne({ _id: `task-refund:${charge._id}` }).lean();
    expect(guard).to.include({ hidden: true, quota: -100, refundOf: charge._id, epoch: 't', partition: 1, offset: '3' });
    expect(guard).not.to.have.any.keys('text', 'content');
    expect((await user.ok<LogStat>('GET', `/api/log/self/stat?start_timestamp=${now - 1800}&end_timestamp=${now - 1}`)).quota).to.equal(0);
    const root = { id: 1, username: 'root' } as Caller;
    expect(await deleteLogsBefore(now, root, (now + 8 * 86_400) * 1000)).to.equal(2);
  });

  it('are kept for as many days as the option says, today not counted, by a job that leaves a trail', async () => {
    const { tollgate, user } = logs();
    const day = 86_400;
    const today = now - (now % day);
    const row = { userId: user.id, username: user.username, type: 4, content: 'kept' };
    const [old, kept] = ['old', 'kept'].map((name) => `retention-${name}`);
    await UsageLog.create({ ...row, _id: old, at: new Date((today - 3 * day - 1) * 1000) });
    await UsageLog.create({ ...row, _id: kept, at: new Date((today - 3 * day) * 1000) });
    try {
      await tollgate.root.ok('PUT', '/api/option/', { key: 'LogRetentionDays', value: '3' });
      await eventually(async () => expect(await UsageLog.exists({ _id: old })).to.equal(null));
      expect(await UsageLog.exists({ _id: kept })).not.to.equal(null);
      await eventually(async () => expect(await AuditLog.exists({ action: 'log.retention', actorName: 'system' })).not.to.equal(null));
    } finally {
      await tollgate.root.ok('PUT', '/api/option/', { key: 'LogRetentionDays', value: '0' });
      await UsageLog.deleteOne({ _id: kept });
    }
  });
}
