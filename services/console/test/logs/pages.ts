import { type LogView, type Page, totalCap } from '@tollgate/contracts';
import { UsageLog } from '@tollgate/db';
import { expect } from 'chai';
import { type Logs, now } from './rows.ts';

/** One page after the other, however many rows there are. */
export function pages(logs: () => Logs): void {
  it('are counted no further than anyone would page', async () => {
    const { admin, row } = logs();
    await UsageLog.insertMany(Array.from({ length: 250 }, () => row({ at: now - 10 })));
    const page = await admin.ok<Page<LogView>>('GET', '/api/log/?p=3&page_size=1000');
    expect(page).to.include({ page: 3, page_size: 100, total: 250 });
    expect(page.items).to.have.length(50);
    expect(await admin.ok('GET', '/api/log/?p=1&page_size=100')).to.include({ total: 250 });
    expect(await admin.ok('GET', '/api/log/?p=4&page_size=100')).to.deep.include({ total: 250, items: [] });
    expect(await admin.ok('GET', '/api/log/?p=25&page_size=10')).to.include({ total: 250 });
    expect((await admin.ok<Page<LogView>>('GET', '/api/log/?p=99999999')).items).to.deep.equal([]);
  });

  it('come to an end for whoever asks page after page, however many there are', async () => {
    const { admin, row } = logs();
    const { at, ...one } = (await UsageLog.create(row({ at: now - 10 }))).toObject();
    const many = Array.from({ length: totalCap + 20 }, (_, index) => ({ ...one, _id: `many-${index}`, at: new Date(+at - index) }));
    await UsageLog.collection.insertMany(many as never[]);
    const page = (p: number) => admin.ok<Page<LogView>>('GET', `/api/log/?p=${p}&page_size=100`);
    const last = await page(totalCap / 100);
    expect([last.items.length, last.total, last.total_is_more]).to.deep.equal([100, totalCap, true]);
    for (const beyond of [101, 102, 4000]) {
      expect(await page(beyond)).to.deep.include({ items: [], total: totalCap, total_is_more: true });
    }
  });

  it('of one moment are on one page each, in an order that does not depend on where a page begins or on the filter', async () => {
    const { admin, row } = logs();
    const ids = Array.from({ length: 40 }, (_, i) => `moment-${String((i * 7) % 40).padStart(2, '0')}`);
    const moments = [now - 1, now - 2, now - 3].map((at) => new Date(at * 1000));
    await UsageLog.insertMany(
      ids.map((_id, i) => ({ ...row({}), _id, at: moments[Math.floor(i / 14)], model: `m${i % 3}`, channelId: (i % 2) + 1 })),
    );
    const stored = await UsageLog.find().lean();
    const shownAs = stored.sort((a, b) => b.at.getTime() - a.at.getTime() || (a._id < b._id ? 1 : -1));
    const walk = async (path: string, size: number) => {
      const seen: string[] = [];
      for (let page = 1; ; page++) {
        const { items } = await admin.ok<Page<LogView>>('GET', `${path}&p=${page}&page_size=${size}`);
        if (items.length === 0) return seen;
        seen.push(...items.map(({ id }) => id));
      }
    };
    const idsOf = (rows: typeof stored) => rows.map(({ _id }) => _id);
    for (const size of [3, 13, 14]) expect(await walk('/api/log/?', size), `${size} a page`).to.deep.equal(idsOf(shownAs));
    const some = shownAs.filter((each) => each.model === 'm1' && each.channelId === 2);
    const span = `start_timestamp=${now - 3}&end_timestamp=${now - 1}`;
    expect(await walk(`/api/log/?model_name=m1&channel=2&${span}`, 3)).to.deep.equal(idsOf(some));
    expect(await walk(`/api/log/?model_name=${encodeURIComponent('m%')}&end_timestamp=${now - 2}`, 5)).to.deep.equal(
      idsOf(shownAs.filter(({ at }) => at.getTime() <= (now - 2) * 1000)),
    );
  });

  it('are paged by an index, also where a page begins and ends within one moment', async () => {
    const { user, admin, row } = logs();
    await UsageLog.init();
    await UsageLog.insertMany(Array.from({ length: 60 }, (_, i) => row({ at: now - Math.floor(i / 20), model: `m${i % 3}` })));
    const finds: { filter: object; sort?: object }[] = [];
    UsageLog.base.set('debug', (collection: string, method: string, filter: object, options: { sort?: object }) => {
      if (collection === 'usage_logs' && method === 'find') finds.push({ filter, sort: options.sort });
    });
    try {
      for (const query of ['', 'model_name=m1', `username=${user.username}`, 'channel=7', 'group=default'])
        await admin.ok('GET', `/api/log/?${query}&p=2&page_size=7`);
    } finally {
      UsageLog.base.set('debug', false);
    }
    expect(finds).to.have.length(10);
    for (const { filter, sort } of finds) {
      const { queryPlanner } = (await UsageLog.collection.find(filter, { sort } as object).explain('queryPlanner')) as {
        queryPlanner: { winningPlan: object };
      };
      const plan = JSON.stringify(queryPlanner.winningPlan);
      expect(plan, JSON.stringify(filter))
        .to.match(/"IXSCAN".*"at":-1/)
        .and.not.contain('COLLSCAN');
      expect(plan.includes('"SORT"'), 'sorts no more than the moments of a page').to.equal('at' in filter);
    }
  });
}
