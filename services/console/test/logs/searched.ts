import type { LogView, Page, TokenView } from '@tollgate/contracts';
import { UsageLog } from '@tollgate/db';
import { expect } from 'chai';
import type { Visitor } from '../support/console.ts';
import { type Logs, now } from './rows.ts';

/** What a keyword finds, and what a key alone is shown. */
export function searched(logs: () => Logs): void {
  it('are searched by type, request, model, token and user, the newest first', async () => {
    const { user, other, admin, row, call } = logs();
    await call({ at: now - 3, model: 'rare', tokenName: 'laptop' });
    await call({ at: now - 2, model: 'other', userId: other.id, username: other.username, tokenName: 'laptop' });
    await UsageLog.create({ ...row({ at: now - 1 }), type: 1 });
    const found = async (visitor: Visitor, path: string, keyword: string) =>
      (await visitor.ok<Page<LogView>>('GET', `/api/log/${path}?keyword=${encodeURIComponent(keyword)}`)).items;
    const models = async (keyword: string) => (await found(admin, 'search', keyword)).map((item) => item.model_name);
    expect(await models('laptop')).to.deep.equal(['other', 'rare']);
    expect(await models('rare')).to.deep.equal(['rare']);
    expect(await models('1')).to.deep.equal(['gpt-4o']);
    expect(await models(other.username)).to.deep.equal(['other']);
    expect(await models('rar')).to.deep.equal([]);
    const [first] = await found(user, 'self/search', 'laptop');
    expect(first).to.include({ model_name: 'rare', user_id: user.id, channel: 0 });
    expect(await found(user, 'self/search', 'laptop')).to.have.length(1);
    expect(await found(user, 'self/search', first?.id ?? '')).to.have.length(1);
    expect(await found(user, 'self/search', other.username)).to.deep.equal([]);
  });

  it('of one token are read with its key alone, from pages of other sites, too', async () => {
    const { tollgate, user, call } = logs();
    const token = await user.ok<TokenView>('POST', '/api/token/', { name: 'mine', unlimited_quota: true });
    await call({ at: now, tokenId: token.id, tokenName: 'mine' });
    await call({ at: now, tokenId: token.id + 1 });
    const ask = async (query: string, headers = {}) => {
      const reply = await tollgate.anonymous.send<Page<LogView>>('GET', `/api/log/token${query}`, undefined, headers);
      expect(reply.headers.get('access-control-allow-origin')).to.equal('*');
      return reply.data.items.map((item) => `${item.token_name} ${item.channel}`);
    };
    expect(await ask(`?key=sk-${token.key}`)).to.deep.equal(['mine 0']);
    expect(await ask(`?key=${token.key}`)).to.deep.equal(['mine 0']);
    expect(await ask('', { authorization: `Bearer sk-${token.key}`, origin: 'https://elsewhere.example' })).to.deep.equal(['mine 0']);
    const beforehand = { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' };
    for (const [path, origin, headers] of [
      ['/api/log/token', '*', '*, Authorization'],
      ['/api/log/self', null, null],
    ] as const) {
      const allowed = (await fetch(tollgate.origin + path, { method: 'OPTIONS', headers: beforehand })).headers;
      expect([allowed.get('access-control-allow-origin'), allowed.get('access-control-allow-headers')], path).to.deep.equal([
        origin,
        headers,
      ]);
    }
    for (const query of ['', '?key=', '?key=sk-nothing', `?key=${token.key.slice(1)}`]) expect(await ask(query), query).to.deep.equal([]);
    for (const [lists, seen] of [
      [{ allow_ips: '10.0.0.0/8' }, []],
      [{ allow_ips: '127.0.0.0/8' }, ['mine 0']],
      [{ deny_ips: '127.0.0.1' }, []],
      [{ allow_ips: '', deny_ips: '' }, ['mine 0']],
    ] as const) {
      await user.ok('PUT', '/api/token/', { id: token.id, ...lists });
      expect(await ask(`?key=${token.key}`), JSON.stringify(lists)).to.deep.equal(seen);
    }
    await user.ok('PUT', '/api/token/?status_only=true', { id: token.id, status: 2 });
    expect(await ask(`?key=${token.key}`)).to.deep.equal([]);
  });
}
