import { createHash, createHmac } from 'node:crypto';
import { routeNames, routes, type StatusView, type UserView } from '@tollgate/contracts';
import { AuditLog, User } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { cookieOf, type Reply, startConsole, type TestConsole, testPassword, type Visitor } from './support/console.ts';
import { forgetLimits } from './support/limits.ts';
import { setOptions, whileSet } from './support/options.ts';
import { clients, type Providers, startProviders } from './support/providers.ts';

const botToken = '4711:canary-bot-token';
let lastPerson = 1000;

describe('people who come through somebody else', () => {
  let tollgate: TestConsole;
  let providers: Providers;

  before(async () => {
    providers = await startProviders();
    tollgate = await startConsole({
      API_REQUESTS_PER_MINUTE: '0',
      EGRESS_ALLOW: '127.0.0.1',
      TURNSTILE_ADDRESS: `${providers.url}/turnstile`,
    });
    await setOptions(tollgate, {
      ServerAddress: 'https://site.example',
      GitHubAddress: providers.url,
      GitHubClientId: clients.github.id,
      GitHubClientSecret: clients.github.secret,
      LinuxDOAddress: providers.url,
      LinuxDOClientId: clients.linuxdo.id,
      LinuxDOClientSecret: clients.linuxdo.secret,
      WeChatServerAddress: providers.url,
      WeChatServerToken: clients.wechat,
      TelegramBotToken: botToken,
      TelegramBotName: 'gate_bot',
      TurnstileSiteKey: 'site-key',
      TurnstileSecretKey: clients.turnstile,
      GitHubOAuthEnabled: 'true',
      LinuxDOOAuthEnabled: 'true',
      WeChatAuthEnabled: 'true',
      TelegramOAuthEnabled: 'true',
    });
  });
  after(async () => {
    await tollgate.close();
    providers.close();
  });
  beforeEach(() => Promise.all(['critical', 'sign-in', 'wechat'].map((name) => forgetLimits(tollgate, name))));

  const newPerson = (more: object = {}) => {
    lastPerson += 1;
    const code = `code-${lastPerson}`;
    providers.people.set(code, { id: lastPerson, name: 'Grace', ...more });
    return { id: lastPerson, code };
  };
  /** A browser that begins, and what it sends along from then on. */
  const begin = async (who: Visitor = tollgate.anonymous, aff = '') => {
    const reply = await who.send<string>('GET', `/api/oauth/state?aff=${aff}`);
    const mark = reply.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    return { state: reply.data, headers: { cookie: [mark, who.cookie].filter(Boolean).join('; ') } };
  };
  /** As if somebody had signed in twenty minutes ago. */
  async function ageSessionsOf(userId: number): Promise<void> {
    const redis = new Redis(tollgate.redisUrl);
    for (const id of await redis.smembers(`sessions:${userId}`)) {
      const session = JSON.parse((await redis.get(`session:${id}`)) ?? '{}') as { openedAt: number };
      await redis.set(`session:${id}`, JSON.stringify({ ...session, openedAt: session.openedAt - 1200 }), 'KEEPTTL');
    }
    redis.disconnect();
  }
  type Provider = 'github' | 'linuxdo';
  const callback = (provider: Provider, code: string, { state, headers }: { state: string; headers: Record<string, string> }) =>
    tollgate.anonymous.send<UserView | null>('GET', `/api/oauth/${provider}?${new URLSearchParams({ code, state })}`, undefined, headers);
  const come = async (provider: Provider, code: string, aff = '') => callback(provider, code, await begin(tollgate.anonymous, aff));
  const selfBy = (reply: Reply<UserView | null>) =>
    tollgate.anonymous.send<UserView>('GET', '/api/user/self', undefined, {
      cookie: cookieOf(reply.headers) ?? '',
      'new-api-user': String(reply.data?.id),
    });

  for (const provider of ['github', 'linuxdo'] as const) {
    describe(provider, () => {
      it('registers whoever is new, and signs the same one in the next time, by the number that never changes', async () => {
        const { id, code } = newPerson();
        const first = await come(provider, code);
        expect(first.success, first.message).to.equal(true);
        const { data: self } = await selfBy(first);
        expect(self).to.include({ display_name: 'Grace', role: 1, group: 'default' });
        expect(self.username).to.have.length.within(1, 12);
        expect(provider === 'github' ? self.github_id : self.linux_do_id).to.equal(String(id));
        providers.people.set('later', { id, name: 'Somebody else by now' });
        expect((await come(provider, 'later')).data?.id).to.equal(self.id);
      });

      it('binds to whoever is signed in, once; others learn that it is taken', async () => {
        const [one, other] = await Promise.all([tollgate.newUser(), tollgate.newUser()]);
        const { code } = newPerson();
        expect(await callback(provider, code, await begin(one))).to.deep.include({ success: true, message: 'bind', data: null });
        expect((await callback(provider, code, await begin(one))).message).to.equal('bind');
        const name = provider === 'github' ? 'GitHub' : 'LinuxDO';
        expect((await callback(provider, code, await begin(other))).message).to.equal(`This ${name} account is already bound`);
        expect((await come(provider, code)).data?.id).to.equal(one.id);
      });

      it('takes a state once, and of the browser alone that began', async () => {
        const { code } = newPerson();
        const begun = await begin();
        const elsewhere = await begin();
        for (const wrong of [
          { ...begun, state: '' },
          { ...begun, state: 'x'.repeat(32) },
          { ...elsewhere, state: begun.state }, // and that was its one use
          begun,
        ])
          expect((await callback(provider, code, wrong)).code).to.equal('oauth_state_invalid');
        const again = await begin();
        const replies = await Promise.all(Array.from({ length: 5 }, () => callback(provider, code, again)));
        expect(replies.filter(({ success }) => success)).to.have.length(1);
        expect(await User.countDocuments({ $or: [{ githubId: String(lastPerson) }, { linuxDoId: String(lastPerson) }] })).to.equal(1);
      });

      it('obeys the switches of the site', async () => {
        const { code } = newPerson();
        await whileSet(tollgate, { RegisterEnabled: 'false' }, async () => {
          expect((await come(provider, code)).message).to.equal('Administrator has disabled new user registration');
        });
        await whileSet(tollgate, { PasswordRegisterEnabled: 'false' }, async () => {
          expect((await come(provider, code)).success).to.equal(true);
        });
        await whileSet(tollgate, { GitHubOAuthEnabled: 'false', LinuxDOOAuthEnabled: 'false' }, async () => {
          expect((await come(provider, code)).code).to.equal('provider_disabled');
          const start = await tollgate.anonymous.send('GET', `/api/oauth/start?provider=${provider}`);
          expect(start.code, 'nobody is led there').to.equal('provider_disabled');
        });
      });

      it('keeps out whoever is banned or has closed the account', async () => {
        const { code } = newPerson();
        const { data } = await come(provider, code);
        await tollgate.root.ok('POST', '/api/user/manage', { id: data?.id, action: 'disable' });
        expect((await come(provider, code)).message).to.equal('User has been banned');
        await tollgate.root.ok('POST', '/api/user/manage', { id: data?.id, action: 'delete' });
        expect((await come(provider, code)).code).to.equal('account_closed');
      });

      it('says in words when the provider refuses, breaks or is away, and repeats nothing that it said', async () => {
        for (const [broken, code] of [
          [undefined, 'provider_refused'], // a code that it does not know
          [{ status: 500, body: 'canary-github-secret' }, 'provider_unreachable'],
          [{ status: 200, body: '<html>canary-github-secret' }, 'provider_refused'],
          [{ status: 302, body: '{"access_token":"x"}' }, 'provider_refused'],
          [{ status: 200, body: '{"access_token":"x","id":"7; drop"}' }, 'provider_refused'],
        ] as const) {
          providers.broken = broken;
          const reply = await come(provider, 'unknown-code');
          providers.broken = undefined;
          expect(reply.code).to.equal(code);
          expect(JSON.stringify(reply)).not.to.contain('canary');
        }
        const denied = await begin();
        const path = `/api/oauth/${provider}?${new URLSearchParams({ error: 'access_denied', state: denied.state })}`;
        expect((await tollgate.anonymous.send('GET', path, undefined, denied.headers)).code).to.equal('provider_denied');
      });

      it('begins at the page of the provider, with a state that leads back', async () => {
        const reply = await tollgate.anonymous.send<{ url: string }>('GET', `/api/oauth/start?provider=${provider}`);
        const url = new URL(reply.data.url);
        expect(url.origin).to.equal(providers.url);
        expect(url.searchParams.get('client_id')).to.equal(clients[provider].id);
        const cookie = reply.headers.getSetCookie()[0] ?? '';
        expect(cookie).to.contain('HttpOnly').and.to.contain('SameSite=Strict');
        const { code } = newPerson();
        const begun = { state: url.searchParams.get('state') ?? '', headers: { cookie: cookie.split(';')[0] ?? '' } };
        const other = provider === 'github' ? 'linuxdo' : 'github';
        expect((await callback(other, code, begun)).code, 'it was begun with another provider').to.equal('oauth_state_invalid');
      });
    });
  }

  it('makes one account of many callbacks at once of one new person', async () => {
    const { id, code } = newPerson();
    const begun = await Promise.all(Array.from({ length: 5 }, () => begin()));
    const replies = await Promise.all(begun.map((each) => callback('github', code, each)));
    for (const reply of replies) expect(reply.success, reply.message).to.equal(true);
    expect(await User.countDocuments({ githubId: String(id) })).to.equal(1);
  });

  it('takes the address that GitHub has verified, where nobody has it', async () => {
    const address = (email: string, verified = true) => [{ email, primary: true, verified }];
    const [fresh, unproven, taken] = [
      newPerson({ emails: address('Grace@Example.com') }),
      newPerson({ emails: address('x@example.com', false) }),
      newPerson({ emails: address('grace@example.com') }),
    ];
    const emails = [];
    for (const { code } of [fresh, unproven, taken]) emails.push((await come('github', code)).data?.email);
    expect(emails).to.deep.equal(['grace@example.com', '', '']);
  });

  it('counts who invited them, and gives names that fit, also where they are taken and odd', async () => {
    const inviter = await tollgate.newUser();
    const aff = await inviter.ok<string>('GET', '/api/user/aff');
    const odd = await come('github', newPerson({ name: ' \u202e<b>a name\u0000 that goes on for ever 👩‍👩‍👧‍👦' }).code, aff);
    expect(odd.data).to.include({ inviter_id: inviter.id, display_name: '<b>a name that goes' });
    const next = (odd.data?.id ?? 0) + 1;
    await tollgate.root.ok('POST', '/api/user/', { username: `github_${next + 1}`, password: testPassword });
    const { data } = await come('github', newPerson({ name: null }).code);
    expect(data?.username).to.match(/^gh_[0-9a-f]{9}$/);
    expect(data?.display_name).to.equal('GitHub User');
  });

  it('gives gifts once to one person, who may give a way in up and open another account by it', async () => {
    const inviter = await tollgate.newUser();
    const aff = await inviter.ok<string>('GET', '/api/user/aff');
    const gifts = { QuotaForNewUser: '1000', QuotaForInvitee: '200', QuotaForInviter: '30' };
    await whileSet(tollgate, gifts, async () => {
      const [github, linuxdo, other] = [
        newPerson({ emails: [{ email: 'gifts@example.com', primary: true, verified: true }] }),
        newPerson(),
        newPerson(),
      ];
      const first = await come('github', github.code, aff);
      expect((await selfBy(first)).data).to.include({ quota: 1200, email: 'gifts@example.com' });
      const headers = { cookie: cookieOf(first.headers) ?? '', 'new-api-user': String(first.data?.id) };
      const bindTo = async (provider: Provider, code: string) => {
        const begun = await begin();
        return callback(provider, code, { ...begun, headers: { ...headers, cookie: `${begun.headers.cookie}; ${headers.cookie}` } });
      };
      expect((await bindTo('linuxdo', linuxdo.code)).message).to.equal('bind');
      expect((await bindTo('linuxdo', other.code)).message, 'another one in its place').to.equal('bind');
      for (const way of ['github', 'email'])
        expect((await tollgate.anonymous.send('DELETE', `/api/oauth/${way}`, undefined, headers)).success, way).to.equal(true);
      for (const [provider, code] of [
        ['github', github.code],
        ['linuxdo', linuxdo.code],
      ] as const) {
        const again = await come(provider, code, aff);
        expect(again.data?.id, provider).not.to.equal(first.data?.id);
        expect((await selfBy(again)).data, provider).to.include({ quota: 0 });
      }
      expect((await selfBy(await come('github', newPerson().code, aff))).data).to.include({ quota: 1200 });
      expect(await inviter.ok('GET', '/api/user/self')).to.include({ aff_count: 2, aff_quota: 60 });
    });
  });

  it('asks LinuxDO’s members for the trust level that root wants, when they are new', async () => {
    const known = newPerson({ trust_level: 1 });
    await come('linuxdo', known.code);
    await whileSet(tollgate, { LinuxDOMinimumTrustLevel: '2' }, async () => {
      expect((await come('linuxdo', newPerson({ trust_level: 1 }).code)).message).to.contain('trust level 2');
      expect((await come('linuxdo', newPerson({ trust_level: 2 }).code)).success).to.equal(true);
      expect((await come('linuxdo', known.code)).success).to.equal(true);
    });
    for (const restricted of [{ active: false }, { silenced: true }])
      expect((await come('linuxdo', newPerson(restricted).code)).code).to.equal('provider_account_restricted');
  });

  it('goes nowhere inside that the operator did not name', async () => {
    for (const [GitHubAddress, code] of [
      ['http://169.254.169.254', 'egress_refused'],
      ['https://[::1]', 'egress_refused'],
      ['http://example.com', 'address_needs_https'],
    ] as const)
      await whileSet(tollgate, { GitHubAddress }, async () => void expect((await come('github', 'x')).code, GitHubAddress).to.equal(code));
  });

  describe('WeChat', () => {
    const wechat = (code: string) => tollgate.anonymous.send<UserView>('GET', `/api/oauth/wechat?code=${code}`);
    it('lets in by a code of the official account, which is good once', async () => {
      providers.followers.set('111111', 'wx-one').set('222222', 'wx-one');
      const first = await wechat('111111');
      expect(first.data).to.include({ wechat_id: 'wx-one', display_name: 'WeChat User' });
      expect((await wechat('222222')).data.id).to.equal(first.data.id);
      expect((await wechat('222222')).message).to.equal('Verification code is incorrect or expired');
      for (const odd of ['x'.repeat(500_000), 'a\u0000b']) {
        providers.followers.set('666666', odd);
        expect((await wechat('666666')).code).to.equal('provider_refused');
      }
    });

    it('hears three wrong codes, then none for as long as codes live', async () => {
      for (let round = 0; round < 3; round += 1) expect((await wechat('000000')).code).to.equal('wrong_verification_code');
      const refused = await wechat('333333');
      expect(refused.status).to.equal(429);
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 180);
    });

    it('binds, for whoever is signed in', async () => {
      providers.followers.set('444444', 'wx-two').set('555555', 'wx-two');
      const [one, other] = await Promise.all([tollgate.newUser(), tollgate.newUser()]);
      expect((await tollgate.anonymous.send('GET', '/api/oauth/wechat/bind?code=444444')).status).to.equal(401);
      expect(await one.send('GET', '/api/oauth/wechat/bind?code=444444')).to.include({ success: true, message: '' });
      expect((await other.send('GET', '/api/oauth/wechat/bind?code=555555')).message).to.equal('This WeChat account is already bound');
    });
  });

  describe('Telegram', () => {
    const signed = (more: Record<string, string> = {}, token = botToken) => {
      const fields: Record<string, string> = { id: '77', first_name: 'Ada', auth_date: String(Math.floor(Date.now() / 1000)), ...more };
      const text = Object.keys(fields)
        .sort()
        .map((name) => `${name}=${fields[name]}`)
        .join('\n');
      const key = createHash('sha256').update(token).digest();
      return new URLSearchParams({ ...fields, hash: createHmac('sha256', key).update(text).digest('hex') });
    };
    const login = (query: URLSearchParams, headers = {}) =>
      tollgate.anonymous.send<UserView>('GET', `/api/oauth/telegram/login?${query}`, undefined, headers);

    it('never registers; who has bound it comes in', async () => {
      expect((await login(signed())).code).to.equal('not_bound');
      const user = await tollgate.newUser();
      const bound = await user.send('GET', `/api/oauth/telegram/bind?${signed({ last_name: 'L' })}`);
      expect(bound.success, bound.message).to.equal(true);
      const query = signed({ username: 'ada' });
      query.set('lang', 'en'); // comes along unsigned
      expect((await login(query)).data.id).to.equal(user.id);
      expect((await login(signed({ lang: 'de' }))).data.id).to.equal(user.id);
      const state = await user.send<string>('GET', '/api/oauth/state');
      const cookie = [
        user.cookie,
        state.headers
          .getSetCookie()
          .find((each) => each.startsWith('oauth_browser='))
          ?.split(';')[0],
      ].join('; ');
      const navigate = (query: URLSearchParams) =>
        user.send('GET', `/api/oauth/telegram/bind?${query}`, undefined, { accept: 'text/html', cookie, 'sec-fetch-dest': 'document' });
      expect((await navigate(signed({ username: 'b' }))).code).to.equal('navigation_refused');
      const asked = signed({ username: 'b' });
      asked.set('state', state.data);
      const page = await navigate(asked);
      expect([page.status, page.headers.get('location')]).to.deep.equal([302, '/setting']);
      expect((await navigate(asked)).code, 'once').to.equal('navigation_refused');
    });

    it('is believed when it is signed by our bot, fresh, and for the first time', async () => {
      const now = Math.floor(Date.now() / 1000);
      const altered = signed();
      altered.set('id', '78');
      const cut = signed();
      cut.set('hash', (cut.get('hash') ?? '').slice(0, 62));
      const used = signed({ first_name: 'Twice' });
      await login(used);
      for (const [what, query] of Object.entries({
        altered,
        'of another bot': signed({}, 'other:token'),
        'signed with an empty token': signed({}, ''),
        old: signed({ auth_date: String(now - 301) }),
        'of the future': signed({ auth_date: String(now + 3600) }),
        used,
      }))
        expect((await login(query)).code, what).to.equal('sign_in_data_invalid');
      expect((await login(cut)).code).to.equal('invalid_parameter');
    });

    it('cannot be on with an empty bot token', async () => {
      expect((await tollgate.root.send('PUT', '/api/option/', { key: 'TelegramBotToken', value: '' })).success).to.equal(true);
      expect((await login(signed({}, ''))).code).to.equal('provider_disabled');
      await setOptions(tollgate, { TelegramOAuthEnabled: 'false' });
      expect((await tollgate.root.send('PUT', '/api/option/', { key: 'TelegramOAuthEnabled', value: 'true' })).code).to.equal(
        'option_needs',
      );
      await setOptions(tollgate, { TelegramBotToken: botToken, TelegramOAuthEnabled: 'true' });
      expect((await tollgate.anonymous.ok<StatusView>('GET', '/api/status')).telegram_bot_id).to.equal(4711);
    });
  });

  it('lets no page of another site bring somebody in, bind or sign out', async () => {
    const user = await tollgate.newUser();
    const changing = ['wechat?code=1', 'telegram/login?id=1', 'github?code=1', 'linuxdo?code=1', 'oidc?code=1'].map(
      (path) => `/api/oauth/${path}`,
    );
    const byCookie = routeNames.filter((name) => routes[name].access === 'session').map((name) => name.replace('GET ', ''));
    expect(byCookie).to.include('/api/oauth/email/bind');
    for (const site of ['cross-site', 'same-site'])
      for (const path of [...changing, ...byCookie, '/api/user/logout'])
        expect((await user.send('GET', path, undefined, { 'sec-fetch-site': site })).code, path).to.equal('navigation_refused');
    await user.ok('GET', '/api/user/self');
  });

  it('binds nothing to whoever signed in a while ago, before he has confirmed that it is him', async () => {
    const user = await tollgate.newUser();
    const { code } = newPerson();
    await ageSessionsOf(user.id);
    expect((await callback('github', code, await begin(user))).code).to.equal('owner_unconfirmed');
    for (const path of [
      'start?provider=github',
      'email/bind?email=x@example.com&code=1',
      'wechat/bind?code=1',
      `telegram/bind?id=7&auth_date=1&hash=${'0'.repeat(64)}`,
    ])
      expect((await user.send('GET', `/api/oauth/${path}`)).code, path).to.equal('owner_unconfirmed');
    expect((await tollgate.anonymous.send('GET', '/api/oauth/start?provider=github')).success, 'to sign in').to.equal(true);
    expect((await user.send('POST', '/api/user/confirm', { password: 'wrong' })).code).to.equal('wrong_original_password');
    expect((await callback('github', code, await begin(user))).code).to.equal('owner_unconfirmed');
    await user.ok('POST', '/api/user/confirm', { password: testPassword });
    expect((await user.send('GET', '/api/oauth/start?provider=github')).success).to.equal(true);
    expect((await callback('github', code, await begin(user))).message).to.equal('bind');
    // Who has neither a password nor a second step has nothing to confirm it with.
    const person = newPerson();
    const entered = await come('github', person.code);
    await ageSessionsOf(entered.data?.id ?? 0);
    const cookie = cookieOf(entered.headers) ?? '';
    const start = await tollgate.anonymous.send('GET', '/api/oauth/start?provider=linuxdo', undefined, { cookie });
    expect(start.success, start.message).to.equal(true);
  });

  it('binds nothing for whoever is locked out while the provider is asked', async () => {
    const user = await tollgate.newUser();
    const { code } = newPerson();
    const begun = await begin(user);
    let release = () => {};
    providers.held = new Promise((resolve) => {
      release = resolve;
    });
    const askedBefore = providers.asked.length;
    const binding = callback('github', code, begun);
    await eventually(() => expect(providers.asked).to.have.length.above(askedBefore));
    await user.ok('PUT', '/api/user/self', { password: 'another password', original_password: testPassword });
    release();
    providers.held = undefined;
    expect((await binding).code).to.equal('not_logged_in');
    expect((await User.findOne({ id: user.id }).lean())?.githubId).to.equal('');
  });

  it('takes off whom an administrator wants what is bound, and ends the sessions that it opened', async () => {
    const { code } = newPerson();
    const entered = await come('github', code);
    const userId = entered.data?.id;
    const headers = { cookie: cookieOf(entered.headers) ?? '', 'new-api-user': String(userId) };
    const [admin, peer] = [await tollgate.newUser({ admin: true }), await tollgate.newUser({ admin: true })];
    for (const id of [1, peer.id, admin.id])
      expect((await admin.send('DELETE', `/api/user/${id}/bindings/github`)).code, `of ${id}`).to.equal('same_or_higher_rank');
    expect((await admin.send('DELETE', `/api/user/${userId}/bindings/password`)).code).to.equal('invalid_parameter');
    expect((await admin.send('DELETE', `/api/user/x/bindings/github`)).code).to.equal('invalid_parameter');
    expect((await admin.send('DELETE', `/api/user/999999/bindings/github`)).code).to.equal('record_not_found');
    await User.updateOne({ id: userId }, { $set: { email: 'taken-off@example.com' } });
    await admin.ok('DELETE', `/api/user/${userId}/bindings/email`);
    expect((await tollgate.anonymous.send<UserView>('GET', '/api/user/self', undefined, headers)).data.email).to.equal('');
    await admin.ok('DELETE', `/api/user/${userId}/bindings/github`);
    expect((await tollgate.anonymous.send('GET', '/api/user/self', undefined, headers)).status).to.equal(401);
    expect((await come('github', code)).data?.id, 'somebody new').not.to.equal(userId);
    const row = await AuditLog.findOne({ action: 'user.unbind', target: `user:${userId}`, 'after.github': '' }).lean();
    expect(row).to.deep.include({ actorId: admin.id, before: { github: String(lastPerson) } });
  });

  it('gives up what is bound, but never the last way in', async () => {
    const { code } = newPerson();
    const reply = await come('github', code);
    const headers = { cookie: cookieOf(reply.headers) ?? '', 'new-api-user': String(reply.data?.id) };
    const give = (path: string) => tollgate.anonymous.send('DELETE', `/api/oauth/${path}`, undefined, headers);
    expect((await give('github')).code).to.equal('last_way_in');
    const replies = await Promise.all([
      tollgate.anonymous.send('PUT', '/api/user/self', { password: testPassword }, headers),
      give('somebody'),
    ]);
    expect(replies.map(({ success }) => success)).to.deep.equal([true, false]);
    headers.cookie = cookieOf(replies[0].headers) ?? '';
    expect((await give('github')).success).to.equal(true);
    expect((await come('github', code)).data?.id).not.to.equal(reply.data?.id);
    const user = await tollgate.newUser();
    await User.updateOne({ id: user.id }, { $set: { email: 'gone@example.com' } });
    await user.ok('DELETE', '/api/oauth/email');
    expect((await user.ok<UserView>('GET', '/api/user/self')).email).to.equal('');
  });

  it('solves a Turnstile for each of the four calls while it is on', async () => {
    await setOptions(tollgate, { TurnstileCheckEnabled: 'true' });
    const calls = [
      ['POST', '/api/user/login', { username: 'nobody', password: 'x' }],
      ['POST', '/api/user/register', { username: 'solver', password: testPassword }],
      ['GET', '/api/verification?email=a@example.com', undefined],
      ['GET', '/api/reset_password?email=a@example.com', undefined],
    ] as const;
    for (const [method, path, body] of calls) {
      const sign = path.includes('?') ? '&' : '?';
      for (const answer of ['', `${sign}turnstile=guessed`])
        expect((await tollgate.anonymous.send(method, path + answer, body)).code, path).to.equal('turnstile_failed');
      expect((await tollgate.anonymous.send(method, `${path}${sign}turnstile=solved`, body)).code, path).not.to.equal('turnstile_failed');
    }
    expect(JSON.parse(providers.asked.at(-1)?.body ?? '{}')).to.include({ remoteip: '127.0.0.1' });
    await tollgate.root.ok('PUT', '/api/option/', { key: 'TurnstileCheckEnabled', value: 'false' });
  });

  it('opens the pages to strange scripts and popups only while the providers that have them are on', async () => {
    const headersOf = async () => {
      const { headers } = await tollgate.anonymous.send('GET', '/api/status');
      return [/script-src[^;]*/.exec(headers.get('content-security-policy') ?? '')?.[0], headers.get('cross-origin-opener-policy')];
    };
    expect(await headersOf()).to.deep.equal(["script-src 'self' https://telegram.org", 'same-origin-allow-popups']);
    await whileSet(tollgate, { TelegramOAuthEnabled: 'false' }, async () => {
      expect(await headersOf()).to.deep.equal(["script-src 'self'", 'same-origin']);
      await whileSet(tollgate, { TurnstileCheckEnabled: 'true' }, async () => {
        expect(await headersOf()).to.deep.equal(["script-src 'self' https://challenges.cloudflare.com", 'same-origin']);
      });
    });
  });
});
