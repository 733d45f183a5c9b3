import type { UserView } from '@tollgate/contracts';
import { User } from '@tollgate/db';
import { AppError, derivedKey } from '@tollgate/runtime';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { cookieOf, type Reply, startConsole, type TestConsole, testPassword, type Visitor } from './support/console.ts';

const self = '/api/user/self';

describe('a session', () => {
  let tollgate: TestConsole;
  before(async () => {
    tollgate = await startConsole();
  });
  after(() => tollgate.close());

  it('ends with signing out, for its cookie too', async () => {
    const user = await tollgate.newUser();
    await user.ok('GET', self);
    const out = await user.send('GET', '/api/user/logout');
    expect(out.success).to.equal(true);
    expect(out.headers.getSetCookie()[0]).to.match(/^session=;/);
    expect(await user.send('GET', self)).to.include({ status: 401, success: false });
  });

  it('ends when its user is banned, deleted, or given another password, at once', async () => {
    for (const end of ['disable', 'delete', 'password']) {
      const user = await tollgate.newUser();
      if (end === 'password') await tollgate.root.ok('PUT', '/api/user/', { id: user.id, password: 'another password' });
      else await tollgate.root.ok('POST', '/api/user/manage', { id: user.id, action: end });
      expect((await user.send('GET', self)).status, end).to.equal(401);
    }
  });

  it('gives way to a new one when its owner changes the password; others of the owner end', async () => {
    const user = await tollgate.newUser();
    const elsewhere = await tollgate.signIn(user.username);
    const reply = await user.send('PUT', self, { password: 'another password', original_password: testPassword });
    const fresh = cookieOf(reply.headers);
    expect(fresh).to.be.a('string');
    expect((await elsewhere.send('GET', self)).status).to.equal(401);
    expect((await user.send('GET', self)).status).to.equal(401);
    expect(
      (await tollgate.anonymous.send('GET', self, undefined, { cookie: fresh ?? '', 'new-api-user': String(user.id) })).status,
    ).to.equal(200);
  });

  it('knows a new role and a lost one with the next request', async () => {
    const user = await tollgate.newUser();
    expect((await user.send('GET', '/api/user/')).message).to.equal('You are not allowed to do this');
    await tollgate.root.ok('POST', '/api/user/manage', { id: user.id, action: 'promote' });
    await user.ok('GET', '/api/user/');
    await tollgate.root.ok('POST', '/api/user/manage', { id: user.id, action: 'demote' });
    expect(await user.send('GET', '/api/user/')).to.include({ status: 200, success: false });
  });

  it('needs the header that names its user', async () => {
    const user = await tollgate.newUser();
    for (const header of [undefined, '', 'x', '1', `${user.id}.0`]) {
      const headers = { cookie: user.cookie ?? '', ...(header !== undefined && { 'new-api-user': header }) };
      expect((await tollgate.anonymous.send('GET', self, undefined, headers)).status, header).to.equal(401);
    }
    await user.ok('GET', self);
  });

  it('cannot be forged: neither by another key, nor another algorithm, nor without a record', async () => {
    const user = await tollgate.newUser();
    const claims = jwt.decode((user.cookie ?? '').slice('session='.length)) as jwt.JwtPayload;
    const forged = [
      jwt.sign({ ...claims, sub: '1' }, derivedKey(Buffer.alloc(32, 1), 'tollgate:sessions:v1')),
      `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`,
      (user.cookie ?? '').slice('session='.length, -3),
      'x',
      '',
    ];
    for (const cookie of forged) {
      const reply = await tollgate.anonymous.send('GET', self, undefined, { cookie: `session=${cookie}`, 'new-api-user': String(user.id) });
      expect(reply.status, cookie).to.equal(401);
    }
  });

  it('cannot be used by a page of another site', async () => {
    const user = await tollgate.newUser();
    for (const origin of ['https://evil.example', 'null', `${tollgate.origin}.evil.example`]) {
      const reply = await user.send('PUT', self, { display_name: 'x' }, { origin });
      expect(reply.message, origin).to.match(/^This request came from another site \(.+\) and was refused: the console was reached as 127/);
    }
    expect((await user.send('PUT', self, { display_name: 'x' }, { origin: tollgate.origin })).success).to.equal(true);
    expect(
      (
        await tollgate.anonymous.send(
          'POST',
          '/api/user/login',
          { username: user.username, password: testPassword },
          { origin: 'https://evil.example' },
        )
      ).code,
    ).to.equal('origin_refused');
  });

  it('can be replaced by a system access token, of which a new one ends the old', async () => {
    const user = await tollgate.newUser();
    const first = await user.ok<string>('GET', '/api/user/token');
    const withToken = (token: string, id = user.id) =>
      tollgate.anonymous.send<UserView>('GET', self, undefined, { authorization: `Bearer ${token}`, 'new-api-user': String(id) });
    expect((await withToken(first)).data.username).to.equal(user.username);
    expect((await withToken(first, 1)).status).to.equal(401);
    const second = await user.ok<string>('GET', '/api/user/token');
    expect(await withToken(first)).to.include({ status: 200, success: false, message: 'Invalid access token' });
    expect((await withToken(second)).success).to.equal(true);
    await tollgate.root.ok('POST', '/api/user/manage', { id: user.id, action: 'disable' });
    expect((await withToken(second)).message).to.equal(new AppError('user_banned').message);
  });

  it('makes no credential once it has ended, though its request had come in before', async () => {
    const reset = 'set by root';
    const deeds: Record<string, (user: Visitor, headers?: Record<string, string>) => Promise<Reply>> = {
      'an access token': (user, headers) => user.send('GET', '/api/user/token', undefined, headers),
      'a password': (user, headers) => user.send('PUT', self, { password: 'another password', original_password: testPassword }, headers),
      'the end of the account': (user, headers) => user.send('DELETE', self, undefined, headers),
    };
    for (const [what, deed] of Object.entries(deeds)) {
      for (const by of ['session', 'access token']) {
        const user = await tollgate.newUser();
        const accessToken = await user.ok<string>('GET', '/api/user/token');
        const headers: Record<string, string> = by === 'session' ? {} : { cookie: '', authorization: accessToken };
        beforeNextWriteOfUser(() => tollgate.root.ok('PUT', '/api/user/', { id: user.id, password: reset }));
        const reply = await deed(user, headers);
        expect(reply.code, `${what} by ${by}`).to.equal(by === 'session' ? 'not_logged_in' : 'invalid_access_token');
        const stored = await User.findOne({ id: user.id }).select('+accessTokenHash').lean();
        expect(stored, `${what} by ${by}`).to.include({ deletedAt: null }).and.not.to.have.property('accessTokenHash');
        await tollgate.signIn(user.username, reset);
      }
    }
  });

  it('ends with the account; root stays', async () => {
    const user = await tollgate.newUser();
    expect((await user.send('DELETE', self)).success).to.equal(true);
    expect((await user.send('GET', self)).status).to.equal(401);
    expect((await tollgate.root.send('DELETE', self)).code).to.equal('root_cannot_leave');
  });
});

/** Somebody else is quicker: `first` is done when the next write of an account has been decided, and before it is made. */
function beforeNextWriteOfUser(first: () => Promise<unknown>): void {
  const { collection } = User;
  const write = collection.updateOne;
  collection.updateOne = async (...args: Parameters<typeof write>) => {
    collection.updateOne = write;
    await first();
    return write.apply(collection, args);
  };
}
