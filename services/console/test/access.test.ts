import { type Route, type RouteName, routeNames, routes, type TokenView } from '@tollgate/contracts';
import { expect } from 'chai';
import { type Reply, startConsole, type TestConsole, type Visitor } from './support/console.ts';
import { forgetLimits } from './support/limits.ts';

const strangers = ['anonymous', 'banned', 'banned, by access token', 'deleted', 'deleted, by access token'] as const;
const people = [...strangers, 'stranger', 'owner', 'admin', 'root'] as const;
type Person = (typeof people)[number];
type Sends = Pick<Visitor, 'send' | 'ok'>;

/** Routes whose visit would end the session of who visits; each is tested where it belongs. */
const endings = new Set<RouteName>(['GET /api/user/logout', 'DELETE /api/user/self']);

describe('the access of a route', () => {
  let tollgate: TestConsole;
  let visitors: Record<Person, Sends>;
  let token: TokenView;

  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    const [stranger, owner, admin] = await Promise.all([tollgate.newUser(), tollgate.newUser(), tollgate.newUser({ admin: true })]);
    visitors = {
      anonymous: tollgate.anonymous,
      ...(await formerAdmins('banned', 'disable')),
      ...(await formerAdmins('deleted', 'delete')),
      stranger,
      owner,
      admin,
      root: tollgate.root,
    } as unknown as Record<Person, Sends>;
    token = await owner.ok<TokenView>('POST', '/api/token/', { name: 'owned', unlimited_quota: true });
  });
  after(() => tollgate.close());
  /** Two whose cookie and whose access token were an administrator's until this was done to them. */
  async function formerAdmins(name: string, action: string): Promise<Record<string, Sends>> {
    const [byCookie, byToken] = await Promise.all([tollgate.newUser({ admin: true }), tollgate.newUser({ admin: true })]);
    const authorization = await byToken.ok<string>('GET', '/api/user/token');
    for (const { id } of [byCookie, byToken]) await tollgate.root.ok('POST', '/api/user/manage', { id, action });
    const { send, ok } = tollgate.anonymous;
    const headers = { authorization, 'new-api-user': String(byToken.id) };
    return { [name]: byCookie, [`${name}, by access token`]: { ok, send: (method, path, body) => send(method, path, body, headers) } };
  }
  beforeEach(() => forgetLimits(tollgate, 'critical')); // whoever is refused for coming too often was not asked who he is

  for (const name of routeNames.filter((route) => !endings.has(route))) {
    it(`${name} is for ${routes[name].access}`, async () => {
      const [method = '', path = ''] = name.split(' ');
      for (const person of people) {
        for (const form of [path, `${path}/`]) {
          const url = form.replace(':id', path.startsWith('/api/token') ? String(token.id) : '999');
          const reply = await visitors[person].send(method, url, method === 'GET' || method === 'DELETE' ? undefined : {});
          expect(outcome(reply), `${person} ${form}`).to.equal(expected(name, person));
          expect(reply.status, `${person} ${form}: ${reply.message}`).to.be.oneOf([200, 401]);
        }
      }
    });
  }

  it('answers no route that is not in the contract', async () => {
    for (const path of [
      '/api',
      '/api/',
      '/api/nothing',
      '/api/user/self/nothing',
      '/api/token/1/2',
      '/api/channel/1/key',
      '/api/STATUS',
      '//api/option',
    ]) {
      const reply = await tollgate.root.send('GET', path);
      expect(reply.status, path).to.equal(404);
      expect(reply, path).to.have.nested.property('error.type', 'invalid_request_error');
    }
    expect((await tollgate.root.send('PATCH', '/api/user/')).status).to.equal(404);
  });

  it("gives nobody but its owner a token: others' are not there", async () => {
    for (const person of ['stranger', 'admin', 'root'] as const) {
      for (const [method, path, body] of [
        ['GET', `/api/token/${token.id}`, undefined],
        ['PUT', '/api/token/', { id: token.id, name: 'taken' }],
        ['DELETE', `/api/token/${token.id}/`, undefined],
      ] as const) {
        expect(await visitors[person].send(method, path, body), `${person} ${method}`).to.include({
          success: false,
          code: 'record_not_found',
        });
      }
      expect((await visitors[person].ok<{ items: TokenView[] }>('GET', '/api/token/')).items).to.deep.equal([]);
    }
  });
});

function expected(name: RouteName, person: Person): 'answered' | 'not signed in' | 'rank too low' {
  const { access }: Route = routes[name];
  if (access === 'anyone' || access === 'visitor') return 'answered';
  const ranks: Partial<Record<Person, number>> = { stranger: 1, owner: 1, admin: 10, root: 100 };
  const rank = ranks[person];
  if (rank === undefined) return 'not signed in';
  return rank >= { session: 1, user: 1, admin: 10, root: 100 }[access] ? 'answered' : 'rank too low';
}

function outcome(reply: Reply): string {
  if (reply.status === 401 || reply.code === 'user_banned' || reply.code === 'invalid_access_token') return 'not signed in';
  return reply.code === 'insufficient_role' ? 'rank too low' : 'answered';
}
