import { playgroundHeader, playgroundPasses, playgroundPassPath } from '@tollgate/runtime';
import { expect } from 'chai';
import { masterKey, startConsole, type TestConsole, type Visitor } from './support/console.ts';

describe('the playground', () => {
  let tollgate: TestConsole;
  const passes = playgroundPasses(Buffer.from(masterKey, 'hex'));

  before(async () => {
    tollgate = await startConsole();
  });
  after(() => tollgate.close());

  const ask = (visitor: Visitor, headers: Record<string, string> = {}) => visitor.send('GET', playgroundPassPath, undefined, headers);

  it('tells who stands before us who is signed in, by a pass that only we can write', async () => {
    const user = await tollgate.newUser();
    const said: Record<string, string>[] = [{}, { [playgroundHeader]: passes.sign(1, Date.now()) }, { origin: tollgate.origin }];
    for (const headers of said) {
      const reply = await ask(user, headers);
      expect(reply.status).to.equal(204);
      expect(passes.verify(reply.headers.get(playgroundHeader) ?? '', Date.now())).to.equal(user.id);
    }
  });

  it('is closed to strangers, access tokens, other sites, wrong headers, and banned users', async () => {
    const user = await tollgate.newUser();
    const refused = await ask(tollgate.anonymous, { 'new-api-user': '1', authorization: 'Bearer x' });
    expect([refused.status, refused.code, refused.headers.get(playgroundHeader)]).to.deep.equal([401, 'not_logged_in', null]);
    const accessToken = await user.ok<string>('GET', '/api/user/token');
    const withToken = await ask(tollgate.anonymous, { authorization: accessToken, 'new-api-user': String(user.id) });
    expect(withToken.status).to.equal(401);
    expect((await ask(user, { origin: 'https://evil.example' })).status).to.equal(403);
    expect((await ask(user, { 'new-api-user': '1' })).status).to.equal(401);
    await tollgate.root.ok('POST', '/api/user/manage', { id: user.id, action: 'disable' });
    expect((await ask(user)).status).to.equal(401);
  });
});
