import type { TokenView, UsageDataRow } from '@tollgate/contracts';
import { expect } from 'chai';
import type { Visitor } from '../support/console.ts';
import { hour, type Logs, now } from './rows.ts';

/** What a dashboard is given: usage by what somebody asks, in the steps he asks for. */
export function dashboards(logs: () => Logs): void {
  it('give the dashboard usage by model and hour', async () => {
    const { user, other, admin, rollUp } = logs();
    const begin = Math.floor(now / hour) * hour;
    await rollUp({ at: begin, quota: 5, tokenId: 1 });
    await rollUp({ at: begin, quota: 6, tokenId: 2 });
    await rollUp({ at: begin, quota: 7, model: 'claude', userId: other.id });
    const all = await admin.ok<UsageDataRow[]>('GET', `/api/data/?start_timestamp=${begin + 10}&end_timestamp=${now}&default_time=hour`);
    const tokens = { prompt_tokens: 100, completion_tokens: 25, token_used: 125 };
    const everybody = { user_id: 0, username: '', step: 'hour', zone: 'UTC', created_at: begin, uncollected: 0 };
    expect(all).to.deep.equal([
      { ...everybody, model_name: 'claude', key: 'claude', label: 'claude', ...tokens, count: 1, quota: 7 },
      {
        ...everybody,
        model_name: 'gpt-4o',
        key: 'gpt-4o',
        label: 'gpt-4o',
        prompt_tokens: 200,
        completion_tokens: 50,
        token_used: 250,
        count: 2,
        quota: 11,
      },
    ]);
    const own = await user.ok<UsageDataRow[]>('GET', `/api/data/self/?start_timestamp=${begin}&end_timestamp=${now}`);
    expect(own.map(({ user_id, quota }) => [user_id, quota])).to.deep.equal([[user.id, 11]]);
    expect((await admin.ok<UsageDataRow[]>('GET', `/api/data/?username=${other.username}`)).map(({ quota }) => quota)).to.deep.equal([7]);
    expect((await user.send('GET', `/api/data/self?start_timestamp=${now - 40 * 86_400}&end_timestamp=${now}`)).message).to.contain(
      '31 days',
    );
  });

  it("give the dashboard everybody's usage by model in days and weeks that the span cuts", async () => {
    const { admin, rollUp } = logs();
    const monday = 1_735_516_800; // 2024-12-30
    for (const [hours, quota] of [
      [-2, 1],
      [-1, 2],
      [0, 3],
      [23, 4],
      [24, 5],
      [7 * 24 - 1, 6],
      [7 * 24, 7],
      [7 * 24 + 1, 8],
    ] as const)
      await rollUp({ at: monday + hours * hour, quota });
    await rollUp({ at: monday + 23 * hour, quota: 40, model: 'claude' });
    const asked = async (step: string, more = '') => {
      const span = `start_timestamp=${monday - hour + 10}&end_timestamp=${monday + 7 * 24 * hour}`;
      const rows = await admin.ok<UsageDataRow[]>('GET', `/api/data?${span}&default_time=${step}${more}`);
      return rows.map(({ key, created_at, count, quota }) => `${(created_at - monday) / (24 * hour)} ${key} ${count} ${quota}`);
    };
    expect(await asked('day')).to.deep.equal([
      '-1 gpt-4o 1 2',
      '0 claude 1 40',
      '0 gpt-4o 2 7',
      '1 gpt-4o 1 5',
      '6 gpt-4o 1 6',
      '7 gpt-4o 1 7',
    ]);
    expect(await asked('week')).to.deep.equal(['-7 gpt-4o 1 2', '0 claude 1 40', '0 gpt-4o 4 18', '7 gpt-4o 1 7']);
    expect(await asked('day', '&top=1')).to.deep.equal(['-1  1 2', '0  2 7', '0 claude 1 40', '1  1 5', '6  1 6', '7  1 7']);
  });

  it("give the dashboard one's usage by token, group, channel and user, in steps of an hour, a day, a week or all at once", async () => {
    const { user, admin, rollUp } = logs();
    const monday = 1_735_516_800; // 2024-12-30
    const token = await user.ok<TokenView>('POST', '/api/token/', { name: 'laptop', unlimited_quota: true });
    await rollUp({ at: monday, quota: 5, tokenId: token.id });
    await rollUp({ at: monday + hour, quota: 6, tokenId: 0, group: 'vip' });
    await rollUp({ at: monday + 6 * 24 * hour, quota: 7, tokenId: token.id, channelId: 8 });
    const asked = (visitor: Visitor, path: string) =>
      visitor.ok<UsageDataRow[]>('GET', `/api/data${path}&start_timestamp=${monday}&end_timestamp=${monday + 7 * 24 * hour - 1}`);
    const shown = async (...of: Parameters<typeof asked>) =>
      (await asked(...of)).map(({ key, label, created_at, quota, user_id }) => {
        expect(user_id).to.equal(user.id);
        return `${(created_at - monday) / hour} ${key} ${label} ${quota}`;
      });
    const id = token.id;
    expect(await shown(user, '/self?by=token')).to.deep.equal([`0 ${id} laptop 5`, '1 0  6', `144 ${id} laptop 7`]);
    expect(await shown(user, '/self?by=token&default_time=day')).to.deep.equal(['0 0  6', `0 ${id} laptop 5`, `144 ${id} laptop 7`]);
    expect(await shown(user, '/self?by=token&default_time=week')).to.deep.equal(['0 0  6', `0 ${id} laptop 12`]);
    expect(await shown(user, '/self?by=group&default_time=total')).to.deep.equal(['0 default default 12', '0 vip vip 6']);
    expect(await shown(user, '/self?by=model&default_time=total')).to.deep.equal(['0 gpt-4o gpt-4o 18']);
    expect(await shown(user, '/self?by=user&default_time=total')).to.deep.equal([`0 ${user.id} ${user.username} 18`]);
    expect(await shown(admin, `?username=${user.username}&by=channel&default_time=total`)).to.deep.equal(['0 7  11', '0 8  7']);
    expect(await shown(user, '/self?by=token&default_time=total&top=1')).to.deep.equal(['0   6', `0 ${id} laptop 12`]);
    const refused = await user.send('GET', '/api/data/self?by=channel');
    expect([refused.success, refused.code]).to.deep.equal([false, 'insufficient_role']);
    expect((await admin.send('GET', '/api/data/self?by=channel')).success).to.equal(true);
    expect((await user.send('GET', '/api/data/self?by=colour')).success).to.equal(false);
  });
}
