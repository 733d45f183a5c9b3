import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { playgroundHeader, playgroundPasses } from '@tollgate/runtime';
import { expect } from 'chai';
import { masterKey, startConsole, type TestConsole } from './support/console.ts';

const call = '/pg/chat/completions';

describe('the playground', () => {
  let tollgate: TestConsole;
  let relay: Server;
  const passes = playgroundPasses(Buffer.from(masterKey, 'hex'));

  before(async () => {
    relay = createServer((request, response) => {
      const pass = request.headers[playgroundHeader];
      response.end(JSON.stringify({ success: true, message: '', data: passes.verify(String(pass)) ?? null }));
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    tollgate = await startConsole({ RELAY_URL: `http://127.0.0.1:${(relay.address() as AddressInfo).port}` });
  });
  after(async () => {
    await tollgate.close();
    relay.closeAllConnections();
    relay.close();
  });

  it('tells the relay who is signed in, by a pass that only we can write', async () => {
    const user = await tollgate.newUser();
    expect(await user.ok('POST', call, {})).to.equal(user.id);
    expect((await user.send('POST', call, {}, { [playgroundHeader]: passes.sign(1) })).data).to.equal(user.id);
    expect((await user.send('POST', '/v1/chat/completions', {}, { [playgroundHeader]: passes.sign(1) })).data).to.equal(null);
  });

  it('is closed to access tokens, other sites, wrong headers, and banned users', async () => {
    const user = await tollgate.newUser();
    const accessToken = await user.ok<string>('GET', '/api/user/token');
    const withToken = await tollgate.anonymous.send('POST', call, {}, { authorization: accessToken, 'new-api-user': String(user.id) });
    expect(withToken.status).to.equal(401);
    expect((await user.send('POST', call, {}, { origin: 'https://evil.example' })).status).to.equal(403);
    expect((await user.send('POST', call, {}, { 'new-api-user': '1' })).status).to.equal(401);
    await tollgate.root.ok('POST', '/api/user/manage', { id: user.id, action: 'disable' });
    expect((await user.send('POST', call, {})).status).to.equal(401);
  });
});
