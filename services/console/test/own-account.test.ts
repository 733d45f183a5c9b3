import type { LoginView, Page, PasskeyView, SessionView, SignInView } from '@tollgate/contracts';
import { AuditLog, User } from '@tollgate/db';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { TOTP } from 'otpauth';
import { newAuthenticator } from './support/authenticator.ts';
import { cookieOf, type Reply, startConsole, type TestConsole, testPassword, type Visitor } from './support/console.ts';
import { forgetLimits } from './support/limits.ts';

type Person = Visitor & { username: string };

describe('one’s own account', () => {
  let tollgate: TestConsole;
  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    // Users of other files' databases have the same numbers.
    const redis = new Redis(tollgate.redisUrl);
    for (const key of await redis.keys('totp:*')) await redis.del(key);
    redis.disconnect();
  });
  after(() => tollgate.close());
  beforeEach(() => Promise.all(['critical', 'sign-in'].map((name) => forgetLimits(tollgate, name))));

  const codeOf = (secret: string, steps = 0): string => new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 });
  /** Cookies of an answer, as a browser sends them back. */
  const cookiesOf = ({ headers }: Reply): string =>
    headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ');
  const signInBody = ({ username }: Person) => ({ username, password: testPassword });
  const firstStep = (user: Person) => tollgate.anonymous.send<{ require_2fa: true }>('POST', '/api/user/login', signInBody(user));
  const secondStep = (cookie: string, code: string) =>
    tollgate.anonymous.send<LoginView>('POST', '/api/user/login/2fa', { code }, { cookie });
  /** Somebody with a second step: the code that switched it on is used up. */
  const newCareful = async () => {
    const user = await tollgate.newUser();
    const { secret } = await user.ok<{ secret: string }>('POST', '/api/user/2fa/setup', { password: testPassword });
    const { backup_codes: recovery } = await user.ok<{ backup_codes: string[] }>('POST', '/api/user/2fa/enable', {
      code: codeOf(secret, -1),
    });
    return { user, secret, recovery };
  };

  describe('the second step', () => {
    it('begins with a secret that only its owner gets, and counts once a code has shown that the app has it', async () => {
      const user = await tollgate.newUser();
      const wrong = await user.send('POST', '/api/user/2fa/setup', { password: 'wrong' });
      expect(wrong.code).to.equal('wrong_original_password');
      expect((await user.send('POST', '/api/user/2fa/enable', { code: '123456' })).code).to.equal('second_factor_not_set_up');
      const set = await user.ok<{ secret: string; qr_code_data: string }>('POST', '/api/user/2fa/setup', { password: testPassword });
      const uri = new URL(set.qr_code_data);
      expect(uri.protocol).to.equal('otpauth:');
      expect(uri.searchParams.get('secret')).to.equal(set.secret);
      expect(uri.searchParams.get('issuer')).to.equal('Tollgate');
      expect((await user.send('POST', '/api/user/2fa/enable', { code: codeOf(set.secret, 10) })).code).to.equal('wrong_second_factor');
      expect((await firstStep(user)).data).not.to.have.property('require_2fa');
      const { backup_codes } = await user.ok<{ backup_codes: string[] }>('POST', '/api/user/2fa/enable', { code: codeOf(set.secret) });
      expect(new Set(backup_codes).size).to.equal(10);
      expect(await user.ok('GET', '/api/user/2fa/status')).to.deep.equal({ enabled: true, backup_codes_remaining: 10 });
      expect((await user.send('POST', '/api/user/2fa/setup', { password: testPassword })).code).to.equal('second_factor_on');
      const stored = JSON.stringify(await User.findOne({ id: user.id }).select('+totp').lean());
      for (const secret of [set.secret, ...backup_codes, ...backup_codes.map((code) => code.replace('-', ''))])
        expect(stored.includes(secret)).to.equal(false);
    });

    it('is asked for after the password, in words that older clients show', async () => {
      const { user, secret } = await newCareful();
      const first = await firstStep(user);
      expect(first).to.deep.include({ success: true, data: { require_2fa: true }, message: 'Enter the code of your authenticator app' });
      expect(cookieOf(first.headers), 'no session yet').to.equal(undefined);
      const done = await secondStep(cookiesOf(first), codeOf(secret));
      expect(done.data).to.include({ id: user.id, username: user.username });
      const headers = { cookie: cookieOf(done.headers) ?? '', 'new-api-user': String(user.id) };
      expect((await tollgate.anonymous.send('GET', '/api/user/self', undefined, headers)).success).to.equal(true);
      expect((await secondStep(cookiesOf(first), codeOf(secret, 1))).code, 'a first step is good once').to.equal('second_step_over');
    });

    it('takes no code twice and none that is older than the last, however many send it at once', async () => {
      const { user, secret } = await newCareful();
      const firsts = await Promise.all(Array.from({ length: 5 }, () => firstStep(user)));
      const code = codeOf(secret);
      const replies = await Promise.all(firsts.map((first) => secondStep(cookiesOf(first), code)));
      expect(replies.filter(({ success }) => success)).to.have.length(1);
      await forgetLimits(tollgate, 'sign-in');
      const first = await firstStep(user);
      expect((await secondStep(cookiesOf(first), codeOf(secret, -1))).code).to.equal('wrong_second_factor');
      expect((await secondStep(cookiesOf(first), codeOf(secret, 1))).success).to.equal(true);
    });

    it('takes each recovery code once, however it is typed', async () => {
      const { user, recovery } = await newCareful();
      const [one = '', two = ''] = recovery;
      const firsts = await Promise.all([firstStep(user), firstStep(user), firstStep(user)]);
      const replies = await Promise.all(firsts.map((first) => secondStep(cookiesOf(first), one)));
      expect(replies.filter(({ success }) => success)).to.have.length(1);
      expect((await secondStep(cookiesOf(await firstStep(user)), ` ${two.toUpperCase().replace('-', ' ')} `)).success).to.equal(true);
      expect(await user.ok('GET', '/api/user/2fa/status')).to.deep.equal({ enabled: true, backup_codes_remaining: 8 });
    });

    it('hears five wrong codes, then the first step is over', async () => {
      const { user, secret } = await newCareful();
      const cookie = cookiesOf(await firstStep(user));
      for (let round = 0; round < 5; round += 1) {
        await forgetLimits(tollgate, 'sign-in');
        expect((await secondStep(cookie, '000000')).code).to.equal('wrong_second_factor');
      }
      await forgetLimits(tollgate, 'sign-in');
      expect((await secondStep(cookie, codeOf(secret))).code).to.equal('second_step_over');
      expect((await secondStep('', codeOf(secret))).code).to.equal('second_step_over');
    });

    it('is over when the account is banned or its password changes meanwhile', async () => {
      for (const end of ['ban', 'password']) {
        const { user, secret } = await newCareful();
        const cookie = cookiesOf(await firstStep(user));
        if (end === 'ban') await tollgate.root.ok('POST', '/api/user/manage', { id: user.id, action: 'disable' });
        else await tollgate.root.ok('PUT', '/api/user/', { id: user.id, password: 'another password' });
        expect((await secondStep(cookie, codeOf(secret))).code).to.equal(end === 'ban' ? 'user_banned' : 'second_step_over');
      }
    });

    it('is given up, and renewed, by its owner alone: the password, a code, or a sign-in with one a moment ago', async () => {
      const { user, secret } = await newCareful();
      for (const proof of [{}, { password: 'wrong' }, { code: '000000' }, { code: codeOf(secret, -1) }])
        expect((await user.send('POST', '/api/user/2fa/disable', proof)).success, JSON.stringify(proof)).to.equal(false);
      await forgetLimits(tollgate, 'sign-in');
      const { backup_codes } = await user.ok<{ backup_codes: string[] }>('POST', '/api/user/2fa/backup_codes', { code: codeOf(secret) });
      const done = await secondStep(cookiesOf(await firstStep(user)), backup_codes[0] ?? '');
      const fresh = { cookie: cookieOf(done.headers) ?? '', 'new-api-user': String(user.id) };
      expect((await tollgate.anonymous.send('POST', '/api/user/2fa/disable', {}, fresh)).success).to.equal(true);
      expect((await firstStep(user)).data).to.have.property('username');
      expect((await user.send('POST', '/api/user/2fa/disable', { password: testPassword })).code).to.equal('second_factor_off');
    });

    it('stands in for the old password where a new one is set', async () => {
      const { user, secret } = await newCareful();
      const change = (proof: object) => user.send('PUT', '/api/user/self', { password: 'another password', ...proof });
      expect((await change({})).code).to.equal('original_password_needed');
      expect((await change({ code: '000000' })).code).to.equal('wrong_second_factor');
      expect((await change({ code: codeOf(secret) })).success).to.equal(true);
    });

    it('is taken off by an administrator for whoever has lost the device; not off those of the same rank', async () => {
      const { user } = await newCareful();
      const admin = await tollgate.newUser({ admin: true });
      await admin.ok('DELETE', `/api/user/${user.id}/2fa`);
      expect((await firstStep(user)).data).to.have.property('username');
      expect((await admin.send('DELETE', '/api/user/1/2fa')).code).to.equal('same_or_higher_rank');
      const row = await AuditLog.findOne({ action: 'user.second_factor_off' }).lean();
      expect(row).to.deep.include({ actorId: admin.id, target: `user:${user.id}`, before: { on: true }, after: { on: false } });
    });
  });

  describe('sessions', () => {
    it('are listed for their owner, and end one by one or all but the present one', async () => {
      const user = await tollgate.newUser();
      const [second, third] = [await tollgate.signIn(user.username), await tollgate.signIn(user.username)];
      const list = await user.ok<SessionView[]>('GET', '/api/user/sessions');
      expect(list).to.have.length(3);
      expect(list.map(({ current }) => current).filter(Boolean)).to.have.length(1);
      for (const session of list) {
        expect(session).to.include({ address: '127.0.0.1', way: 'password' });
        expect(session.opened_time).to.be.closeTo(Date.now() / 1000, 60);
        expect(user.cookie?.includes(session.id)).to.equal(false);
      }
      const own = (await second.ok<SessionView[]>('GET', '/api/user/sessions')).find(({ current }) => current);
      expect((await (await tollgate.newUser()).send('DELETE', `/api/user/sessions/${own?.id}`)).code).to.equal('record_not_found');
      await user.ok('DELETE', `/api/user/sessions/${own?.id}`);
      expect((await second.send('GET', '/api/user/self')).status).to.equal(401);
      await third.ok('GET', '/api/user/self');
      await user.ok('DELETE', '/api/user/sessions');
      expect((await third.send('GET', '/api/user/self')).status).to.equal(401);
      expect(await user.ok<SessionView[]>('GET', '/api/user/sessions')).to.have.length(1);
    });

    it('are a hundred of one account at most: the oldest end, never the new one', async () => {
      const user = await tollgate.newUser();
      for (let number = 0; number < 104; number += 1) await tollgate.signIn(user.username);
      const newest = await tollgate.signIn(user.username);
      const list = await newest.ok<SessionView[]>('GET', '/api/user/sessions');
      expect(list).to.have.length(100);
      expect(list.filter(({ current }) => current)).to.have.length(1);
    });

    it('leave a history, with the tries that failed, for the owner alone', async () => {
      const user = await tollgate.newUser();
      await tollgate.anonymous.send(
        'POST',
        '/api/user/login',
        { username: user.username, password: 'wrong' },
        { 'user-agent': 'x'.repeat(500) },
      );
      const { items, total } = await user.ok<Page<SignInView>>('GET', '/api/user/sign_ins');
      expect(total).to.equal(2);
      expect(items.map(({ good, way }) => [good, way])).to.deep.equal([
        [false, 'password'],
        [true, 'password'],
      ]);
      expect(items[0]?.agent).to.have.length.at.most(201);
      expect((await (await tollgate.newUser()).ok<Page<SignInView>>('GET', '/api/user/sign_ins')).total).to.equal(1);
    });
  });

  describe('a passkey', () => {
    /** The console by its name: an IP address has no passkeys. */
    const site = () => tollgate.origin.replace('127.0.0.1', 'localhost');
    const ask = async <T>(path: string, body: object, headers: Record<string, string>): Promise<Reply<T>> => {
      const answer = await fetch(`${site()}/api/user/passkey/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: site(), ...headers },
        body: JSON.stringify(body),
      });
      return { ...((await answer.json()) as Reply<T>), status: answer.status, headers: answer.headers };
    };
    type Ceremony = { challenge: string; rp: { id: string }; user: { id: string }; rpId: string };
    const begin = async (path: string, body: object, headers: Record<string, string>) => {
      const reply = await ask<Ceremony>(`${path}/begin`, body, headers);
      expect(reply.success, reply.message).to.equal(true);
      return { options: reply.data, cookie: cookiesOf(reply) };
    };
    const finish = <T>(path: string, body: object, headers: Record<string, string>) => ask<T>(`${path}/finish`, body, headers);
    const headersOf = (user: Visitor, more = '') => ({
      cookie: [user.cookie, more].filter(Boolean).join('; '),
      'new-api-user': String(user.id),
    });
    const register = async (user: Visitor, how = {}) => {
      const key = newAuthenticator(site());
      const { options, cookie } = await begin('register', { password: testPassword }, headersOf(user));
      const made = await finish('register', { name: 'Phone', response: key.create(options, how) }, headersOf(user, cookie));
      return { key, made };
    };
    const signIn = async (key: ReturnType<typeof newAuthenticator>, how = {}) => {
      const { options, cookie } = await begin('login', {}, {});
      return finish<LoginView>('login', { response: key.answer(options.challenge, how) }, { cookie });
    };

    it('is made by its owner, and lets him in with nothing else, past the second step', async () => {
      const { user } = await newCareful();
      const refused = await ask('register/begin', {}, headersOf(user));
      expect(refused.success, 'an open browser is not its owner').to.equal(false);
      const { key, made } = await register(user);
      expect(made.success, made.message).to.equal(true);
      const done = await signIn(key);
      expect(done.data).to.include({ id: user.id });
      const [passkey] = await user.ok<PasskeyView[]>('GET', '/api/user/passkey');
      expect(passkey).to.include({ name: 'Phone' });
      expect(passkey?.used_time).to.be.closeTo(Date.now() / 1000, 60);
      await user.ok('DELETE', `/api/user/passkey/${passkey?.id}`);
      expect((await signIn(key)).code).to.equal('passkey_refused');
    });

    it('answers one challenge of this browser, for this site, unlocked by its holder', async () => {
      const user = await tollgate.newUser();
      const { key } = await register(user);
      expect((await signIn(key, { step: 9 })).success).to.equal(true);
      for (const [what, how] of Object.entries({
        'of another site': { at: 'https://evil.example' },
        'for another name': { party: 'evil.example' },
        'not unlocked': { flags: 0x01 },
        'a copy that is behind': { step: -10 },
      }))
        expect((await signIn(key, how)).code, what).to.equal('passkey_refused');
      const [one, other] = [await begin('login', {}, {}), await begin('login', {}, {})];
      const answer = { response: key.answer(one.options.challenge, { step: 20 }) };
      expect((await finish('login', answer, { cookie: other.cookie })).code).to.equal('passkey_refused');
      expect((await finish('login', answer, {})).code).to.equal('passkey_refused');
      expect((await finish('login', answer, { cookie: one.cookie })).success).to.equal(true);
      expect((await finish('login', answer, { cookie: one.cookie })).code, 'a challenge is good once').to.equal('passkey_refused');
      expect((await signIn(newAuthenticator(site()))).code, 'unknown').to.equal('passkey_refused');
      await tollgate.root.ok('POST', '/api/user/manage', { id: user.id, action: 'disable' });
      expect((await signIn(key)).code).to.equal('user_banned');
    });

    it('is kept only as it was asked for', async () => {
      const [user, other] = [await tollgate.newUser(), await tollgate.newUser()];
      for (const how of [{ at: 'https://evil.example' }, { party: 'evil.example' }, { flags: 0x41 }])
        expect((await register(user, how)).made.code).to.equal('passkey_refused');
      const { options, cookie } = await begin('register', { password: testPassword }, headersOf(user));
      const response = newAuthenticator(site()).create(options);
      expect((await finish('register', { name: 'x', response }, headersOf(other, cookie))).code, 'of somebody else').to.equal(
        'passkey_refused',
      );
      expect(await user.ok('GET', '/api/user/passkey')).to.deep.equal([]);
      expect((await user.send('POST', '/api/user/passkey/register/begin', { password: testPassword })).code).to.equal('passkeys_need_name');
    });

    it('is taken away by an administrator, with the sessions that it opened; not from those of the same rank', async () => {
      const user = await tollgate.newUser();
      const [admin, peer] = [await tollgate.newUser({ admin: true }), await tollgate.newUser({ admin: true })];
      const { key } = await register(user);
      const done = await signIn(key);
      const byKey = { cookie: cookieOf(done.headers) ?? '', 'new-api-user': String(user.id) };
      expect((await tollgate.anonymous.send('GET', '/api/user/self', undefined, byKey)).success).to.equal(true);
      for (const id of [1, peer.id, admin.id])
        expect((await admin.send('DELETE', `/api/user/${id}/reset_passkey`)).code, `of ${id}`).to.equal('same_or_higher_rank');
      expect((await user.send('DELETE', `/api/user/${peer.id}/reset_passkey`)).code).to.equal('insufficient_role');
      expect(await admin.ok('GET', `/api/user/${user.id}/ways_in`)).to.deep.include({ second_factor: false });
      await admin.ok('DELETE', `/api/user/${user.id}/reset_passkey`);
      expect((await signIn(key)).code).to.equal('passkey_refused');
      expect((await tollgate.anonymous.send('GET', '/api/user/self', undefined, byKey)).status, 'opened by it').to.equal(401);
      expect(await user.ok('GET', '/api/user/passkey'), 'his other session goes on').to.deep.equal([]);
      const row = await AuditLog.findOne({ action: 'user.passkeys_off' }).lean();
      expect(row).to.deep.include({
        actorId: admin.id,
        target: `user:${user.id}`,
        before: { passkeys: ['Phone'] },
        after: { passkeys: [] },
      });
    });

    it('is one of twenty at most, however many were begun before the first was kept', async () => {
      const user = await tollgate.newUser();
      type Begun = Awaited<ReturnType<typeof begin>>;
      const begun: Begun[] = [];
      for (let number = 0; number < 24; number += 1) {
        await forgetLimits(tollgate, 'sign-in');
        begun.push(await begin('register', { password: testPassword }, headersOf(user)));
      }
      const keep = ({ options, cookie }: Begun) =>
        finish('register', { name: 'Phone', response: newAuthenticator(site()).create(options) }, headersOf(user, cookie));
      for (const each of begun.slice(0, 17)) expect((await keep(each)).success).to.equal(true);
      const replies = await Promise.all(begun.slice(17).map(keep));
      expect(replies.filter(({ success }) => !success).map(({ code }) => code)).to.include('too_many_passkeys');
      const kept = await user.ok<PasskeyView[]>('GET', '/api/user/passkey');
      expect(kept)
        .to.have.length(17 + replies.filter(({ success }) => success).length)
        .and.length.at.most(20);
    });
  });
});
