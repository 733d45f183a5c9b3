import { createHash } from 'node:crypto';
import type { JobsView, LogView, Page, TokenView, UserView } from '@tollgate/contracts';
import { LedgerEntry, User } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { Queue } from 'bullmq';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { queueName, queuePrefix } from '../src/jobs/board.ts';
import { type Reply, startConsole, type TestConsole, testPassword } from './support/console.ts';
import { forgetLimits } from './support/limits.ts';
import { type MailServer, mailAccount, startMailServer } from './support/mail-server.ts';

describe('people’s way in', () => {
  let tollgate: TestConsole;
  let mails: MailServer;
  let count = 0;

  before(async () => {
    mails = await startMailServer();
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0', GENERATE_DEFAULT_TOKEN: 'true' });
    await setOptions({
      SMTPServer: '127.0.0.1',
      SMTPPort: String(mails.port),
      SMTPAccount: mailAccount.user,
      SMTPToken: mailAccount.pass,
      SystemName: 'Tür & Tor <b>',
      ServerAddress: 'https://site.example',
    });
  });
  after(async () => {
    await tollgate.close();
    await mails.close();
  });
  beforeEach(() => Promise.all(['critical', 'sign-in', 'mail'].map((name) => forgetLimits(tollgate, name))));

  const setOptions = async (values: Record<string, string>) => {
    for (const [key, value] of Object.entries(values)) await tollgate.root.ok('PUT', '/api/option/', { key, value });
  };
  /** Sets options for one piece of work. */
  const whileSet = async (values: Record<string, string>, work: () => Promise<void>) => {
    const before = await tollgate.root.ok<{ key: string; value: string }[]>('GET', '/api/option/');
    await setOptions(values);
    try {
      await work();
    } finally {
      await setOptions(Object.fromEntries(before.filter(({ key }) => key in values).map(({ key, value }) => [key, value])));
    }
  };
  const newName = () => {
    count += 1;
    return `n${count}`;
  };
  const register = (body: object, headers = {}): Promise<Reply> =>
    tollgate.anonymous.send('POST', '/api/user/register', { username: newName(), password: testPassword, ...body }, headers);
  const verify = (email: string, headers = {}) =>
    mailing(tollgate.anonymous.send('GET', `/api/verification?email=${encodeURIComponent(email)}`, undefined, headers));
  /** A call that has a mail sent: by a job, after the answer. */
  const mailing = async (asked: Promise<Reply>): Promise<Reply> => {
    const arrived = mails.received.length;
    const reply = await asked;
    if (reply.success) await eventually(() => expect(mails.received.length).to.be.above(arrived));
    return reply;
  };
  const codeFor = async (email: string) => {
    expect((await verify(email)).message).to.equal('');
    return /^\d{6}$/m.exec(mails.received.at(-1)?.text ?? '')?.[0] ?? '';
  };
  /** An account with a proven address. */
  const newReader = async () => {
    const user = await tollgate.newUser();
    const email = `${user.username}@example.com`;
    await user.ok('GET', `/api/oauth/email/bind?email=${email}&code=${await codeFor(email)}`);
    return { ...user, email };
  };
  const self = (user: { ok: TestConsole['root']['ok'] }) => user.ok<UserView>('GET', '/api/user/self');

  describe('registering', () => {
    it('makes an ordinary account that signs in, with a first token where the operator gives one', async () => {
      const username = newName();
      const reply = await register({ username, password2: testPassword, email: 'ignored@example.com', aff_code: 'nobody' });
      expect(reply).to.deep.include({ success: true, message: '' });
      const user = await tollgate.signIn(username);
      expect(await self(user)).to.include({
        username,
        display_name: username,
        role: 1,
        status: 1,
        group: 'default',
        email: '',
        quota: 0,
        inviter_id: 0,
      });
      const { items } = await user.ok<Page<TokenView>>('GET', '/api/token/');
      expect(items).to.have.length(1);
      expect(items[0]).to.include({ name: `${username}'s initial token`, unlimited_quota: true, remain_quota: 500_000, expired_time: -1 });
    });

    it('opens no session', async () => {
      expect((await register({})).headers.getSetCookie()).to.deep.equal([]);
    });

    it('refuses names, passwords and entries that differ, in the reader’s language', async () => {
      const { username } = await tollgate.newUser();
      for (const [body, message] of [
        [{ username }, 'This username is already in use'],
        [{ username: 'thirteen-long' }, 'Invalid parameter: username'],
        [{ username: '' }, 'Invalid parameter: username'],
        [{ username: 'with blank' }, 'Invalid parameter: username'],
        [{ password: 'seven 7' }, 'Invalid parameter: password'],
        [{ password: 'x'.repeat(21) }, 'Invalid parameter: password'],
        [{ password2: 'another password' }, 'Invalid parameter: password2: the two passwords differ'],
      ] as const) {
        const reply = await register(body);
        expect(reply.success, message).to.equal(false);
        expect(reply.message).to.contain(message);
      }
      expect((await register({ password2: 'x' }, { 'accept-language': 'zh' })).message).to.contain('两次输入的密码不一致');
    });

    it('obeys the switches', async () => {
      await whileSet({ RegisterEnabled: 'false' }, async () => {
        expect((await register({})).message).to.equal('Administrator has disabled new user registration');
      });
      await whileSet({ PasswordRegisterEnabled: 'false' }, async () => {
        expect((await register({})).message).to.equal(
          'Administrator has disabled password registration, please use third-party verification',
        );
      });
    });

    it('makes one account of many at once with one name', async () => {
      const username = newName();
      const replies = await Promise.all(Array.from({ length: 10 }, () => register({ username })));
      expect(replies.filter(({ success }) => success)).to.have.length(1);
      expect(replies.filter(({ code }) => code === 'username_taken')).to.have.length(9);
    });

    it('gives what new, invited and inviting people get, each once and noted in their logs', async () => {
      const inviter = await tollgate.newUser();
      const aff_code = await inviter.ok<string>('GET', '/api/user/aff');
      await whileSet({ QuotaForNewUser: '1000', QuotaForInvitee: '300', QuotaForInviter: '70' }, async () => {
        const username = newName();
        await register({ username, aff_code });
        const invited = await tollgate.signIn(username);
        expect(await self(invited)).to.include({ quota: 1300, inviter_id: inviter.id });
        expect(await self(inviter)).to.include({ quota: 0, aff_count: 1, aff_quota: 70, aff_history_quota: 70 });
        const contents = async (user: typeof invited) =>
          (await user.ok<Page<LogView>>('GET', '/api/log/self/?type=4')).items.map(({ content }) => content).sort();
        expect(await contents(invited)).to.have.length(2);
        const [earned = ''] = await contents(inviter);
        expect(earned).to.contain(username);
      });
    });

    it('gives what a process that died left owing when its owner comes next, and nothing twice', async () => {
      const inviter = await tollgate.newUser();
      const aff_code = await inviter.ok<string>('GET', '/api/user/aff');
      await whileSet({ QuotaForNewUser: '1000', QuotaForInviter: '70' }, async () => {
        const username = newName();
        await register({ username, aff_code });
        const { id } = (await User.findOne({ username }).lean()) ?? { id: 0 };
        const text = { code: 'new_user_gift', values: { quota: 1000 } };
        const again = [
          { id: `grant:new-user:${id}`, amount: 1000, text },
          { id: `grant:left:${id}`, amount: 5, text },
          { id: `invite:${id}`, amount: 70, inviterId: inviter.id, text },
        ];
        await User.updateOne({ id }, { $set: { owed: again } });
        expect((await self(await tollgate.signIn(username))).quota).to.equal(1005);
        expect(await self(inviter)).to.include({ aff_count: 1, aff_quota: 70 });
        expect((await User.findOne({ id }).lean())?.owed ?? []).to.deep.equal([]);
      });
    });
  });

  describe('an address', () => {
    it('is proven by a mailed code, which is good once', async () => {
      await whileSet({ EmailVerificationEnabled: 'true' }, async () => {
        expect((await register({})).code).to.equal('email_and_code_needed');
        const code = await codeFor('Ada@Example.com');
        expect(mails.received.at(-1)).to.deep.include({ to: ['ada@example.com'], subject: 'Tür & Tor <b>: your verification code' });
        expect(mails.received.at(-1)?.from).to.match(/Tür & Tor <b>"? <site@example\.com>$/);
        const username = newName();
        expect((await register({ email: 'other@example.com', verification_code: code })).code).to.equal('wrong_verification_code');
        expect((await register({ username, email: 'ada@example.com', verification_code: ` ${code} ` })).success).to.equal(true);
        expect(await self(await tollgate.signIn('ADA@example.com'))).to.include({ username, email: 'ada@example.com' });
        expect((await verify('ada@example.com')).message).to.equal('Email address is already in use');
        expect((await register({ email: 'ada@example.com', verification_code: code })).code).to.equal('email_taken');
      });
    });

    it('is told in the reader’s language, and nothing in it is HTML', async () => {
      expect((await verify('zh@example.com', { 'accept-language': 'zh' })).success).to.equal(true);
      const mail = mails.received.at(-1);
      expect(mail?.subject).to.equal('Tür & Tor <b> 邮箱验证码');
      expect(mail?.text).to.match(/验证码为：\s+\d{6}\s+验证码仅可使用一次，10 分钟内有效/);
      expect(mail?.html).to.contain('Tür &amp; Tor &lt;b&gt;').and.not.to.contain('<b>');
      expect((await verify('en@example.com')).success).to.equal(true);
      expect(mails.received.at(-1)?.text).to.contain('good once, for 10 minutes');
    });

    it('needs the newest code within five attempts and ten minutes', async () => {
      const user = await tollgate.newUser();
      const bind = (email: string, code: string) => user.send('GET', `/api/oauth/email/bind?email=${email}&code=${code}`);
      const older = await codeFor('late@example.com');
      const newer = await codeFor('late@example.com');
      if (older !== newer) expect((await bind('late@example.com', older)).message).to.equal('Verification code is incorrect or expired');
      for (let attempt = 0; attempt < 4; attempt += 1) await bind('late@example.com', 'wrong');
      expect((await bind('late@example.com', newer)).code, 'the fifth wrong one ends it').to.equal('wrong_verification_code');
      const redis = new Redis(tollgate.redisUrl);
      await codeFor('late@example.com');
      const life = await redis.ttl(`code:verify:${createHash('sha256').update('late@example.com').digest('hex').slice(0, 32)}`);
      redis.disconnect();
      expect(life).to.be.within(590, 600);
    });

    it('is bound once, to one account, by whoever is signed in', async () => {
      const owner = await newReader();
      expect((await self(owner)).email).to.equal(owner.email);
      const [one, other] = await Promise.all([tollgate.newUser(), tollgate.newUser()]);
      const code = await codeFor('both@example.com');
      const path = `/api/oauth/email/bind?email=both@example.com&code=${code}`;
      expect((await tollgate.anonymous.send('GET', path)).status).to.equal(401);
      const replies = await Promise.all([one.send('GET', path), other.send('GET', path)]);
      expect(replies.filter(({ success }) => success)).to.have.length(1);
      await User.collection.insertOne({ id: 999_999, username: 'x', affCode: 'x', githubId: '' } as never);
      await User.updateOne({ id: 999_999 }, { email: 'both@example.com' }).then(
        () => expect.fail('two accounts have one address'),
        (error) => expect(error).to.include({ code: 11_000 }),
      );
      await User.deleteOne({ id: 999_999 });
    });

    it('must be one that the site wants', async () => {
      await whileSet({ EmailDomainWhitelist: 'Example.com,lan.example', EmailDomainRestrictionEnabled: 'true' }, async () => {
        expect((await verify('a@evil.example')).message).to.equal('E-mail addresses are accepted only of example.com, lan.example');
        expect((await verify('a@example.com.evil.example')).code).to.equal('email_domain_refused');
        expect((await verify('a@EXAMPLE.com')).success).to.equal(true);
      });
      await whileSet({ EmailAliasRestrictionEnabled: 'true' }, async () => {
        for (const alias of ['a+b@example.com', 'a.b@example.com']) expect((await verify(alias)).code).to.equal('email_alias_refused');
      });
      for (const wrong of ['', 'a', 'a@b@example.com', 'a\r\nBcc: b@example.com@example.com', `${'a'.repeat(50)}@example.com`])
        expect((await verify(wrong)).code, wrong).to.equal('invalid_parameter');
    });

    it('gets at most five mails in ten minutes', async () => {
      for (let round = 0; round < 5; round += 1) expect((await verify('flood@example.com')).success).to.equal(true);
      const arrived = mails.received.length;
      expect((await verify('flood@example.com')).status).to.equal(429);
      expect(mails.received).to.have.length(arrived);
    });
  });

  describe('a forgotten password', () => {
    const ask = (email: string, headers = {}) =>
      mailing(tollgate.anonymous.send('GET', `/api/reset_password?email=${email}`, undefined, headers));
    const reset = (email: string, token: string) => tollgate.anonymous.send<string>('POST', '/api/user/reset', { email, token });
    const linkIn = (mail: { text: string } | undefined) => new URL(/https:\S+/.exec(mail?.text ?? '')?.[0] ?? 'x:');

    it('is replaced by whoever reads the mailed link, once; sessions and access token end', async () => {
      const user = await newReader();
      const accessToken = await user.ok<string>('GET', '/api/user/token');
      expect((await ask(user.email, { host: '127.0.0.9', 'x-forwarded-host': 'evil.example' })).success).to.equal(true);
      const link = linkIn(mails.received.at(-1));
      expect(link.origin + link.pathname).to.equal('https://site.example/user/reset');
      const token = link.searchParams.get('token') ?? '';
      expect(token).to.match(/^[0-9a-f]{32}$/);
      expect(link.searchParams.get('email')).to.equal(user.email);
      expect((await reset(user.email, '0'.repeat(32))).message).to.equal('Reset link is invalid or expired');
      expect((await reset('other@example.com', token)).code).to.equal('reset_link_invalid');
      const replies = await Promise.all(Array.from({ length: 5 }, () => reset(user.email, token)));
      const [done, ...more] = replies.filter(({ success }) => success);
      expect(more).to.deep.equal([]);
      expect(done?.data).to.match(/^[\w-]{12}$/);
      expect((await user.send('GET', '/api/user/self')).status).to.equal(401);
      const byToken = { authorization: accessToken, 'new-api-user': String(user.id) };
      expect((await tollgate.anonymous.send('GET', '/api/user/self', undefined, byToken)).code).to.equal('invalid_access_token');
      await tollgate.signIn(user.email, done?.data);
    });

    it('is only for addresses of accounts that are there, and in the reader’s language', async () => {
      expect((await ask('nobody@example.com')).message).to.equal('This email address is not registered');
      const user = await newReader();
      await ask(user.email, { 'accept-language': 'zh' });
      expect(mails.received.at(-1)?.subject).to.equal('Tür & Tor <b> 密码重置');
      await user.ok('DELETE', '/api/user/self');
      expect((await ask(user.email)).code).to.equal('email_unknown');
    });

    it('needs the site to know its own address, which no request may say', async () => {
      const user = await newReader();
      await whileSet({ ServerAddress: '' }, async () => {
        expect((await ask(user.email)).message).to.equal('No mail can be sent yet: the administrator must set ServerAddress first');
      });
    });
  });

  describe('mail', () => {
    it('fails in words when the server is away or refuses; strangers hear nothing of it', async () => {
      const test = (headers = {}) => tollgate.root.send('POST', '/api/option/test_mail', { email: 'me@example.com' }, headers);
      expect((await test()).message).to.equal('The test mail was sent');
      expect(mails.received.at(-1)).to.deep.include({ to: ['me@example.com'], subject: 'Tür & Tor <b>: a test mail' });
      await whileSet({ SMTPServer: '' }, async () => {
        expect((await test()).message).to.equal('No mail can be sent yet: the administrator must set SMTPServer first');
      });
      await whileSet({ SMTPPort: '1' }, async () => {
        expect((await test()).message).to.equal('The mail could not be sent: the mail server cannot be reached');
      });
      await setOptions({ SMTPToken: 'wrong' });
      expect((await test({ 'accept-language': 'zh' })).message).to.equal('邮件发送失败：邮件服务器拒绝了账号或密码');
      await setOptions({ SMTPToken: mailAccount.pass });
      const picky = await startMailServer({
        onRcptTo: (_to, _session, callback) => callback(Object.assign(new Error('no such mailbox'), { responseCode: 550 })),
      });
      await whileSet({ SMTPPort: String(picky.port) }, async () => {
        expect((await test()).message).to.contain('550 no such mailbox');
      });
      await picky.close();
    });

    it('waits while the server is away, unreadable to whoever looks into Redis, and arrives when it is back', async () => {
      const redis = new Redis(tollgate.redisUrl);
      const queue = new Queue(queueName, { connection: redis, prefix: queuePrefix });
      const waiting = async () => {
        const { items } = await tollgate.root.ok<JobsView>('GET', '/api/job');
        return items.filter(({ name, state }) => name === 'send-mail' && state === 'delayed');
      };
      try {
        await whileSet({ SMTPPort: '1' }, async () => {
          const reply = await tollgate.anonymous.send('GET', '/api/verification?email=patient@example.com');
          expect(reply.success, reply.message).to.equal(true);
          await eventually(async () => expect(await waiting()).to.have.length(1));
        });
        const [job] = await waiting();
        expect(job).to.include({ attempts: 1, reason: 'The mail could not be sent: the mail server cannot be reached' });
        const kept = JSON.stringify(await redis.hgetall(`${queuePrefix}:${queueName}:${job?.id}`));
        expect(kept)
          .to.contain('sealed')
          .and.not.to.match(/patient|verification/);
        await (await queue.getJob(job?.id ?? ''))?.promote(); // rather than wait for the pause to end
        const mail = await eventually(() => {
          const found = mails.received.find(({ to }) => to.includes('patient@example.com'));
          expect(found).not.to.equal(undefined);
          return found;
        });
        const [code = ''] = /^\d{6}$/m.exec(mail?.text ?? '') ?? [];
        expect(code).to.have.length(6);
        expect(kept).not.to.match(new RegExp(`\\b${code}\\b`));
      } finally {
        await queue.close();
        redis.disconnect();
      }
    });

    it('trusts no certificate that nobody vouches for', async () => {
      const encrypted = await startMailServer({ disabledCommands: [] });
      await whileSet({ SMTPPort: String(encrypted.port) }, async () => {
        expect((await tollgate.root.send('POST', '/api/option/test_mail', { email: 'c@example.com' })).code).to.equal('mail_refused');
      });
      expect(encrypted.received).to.deep.equal([]);
      await encrypted.close();
    });

    it('keeps its password to itself', async () => {
      const options = await tollgate.root.ok<{ key: string }[]>('GET', '/api/option/');
      expect(options.find(({ key }) => key === 'SMTPToken')).to.equal(undefined);
      const [stored] = (await User.db
        .collection('options')
        .find({ _id: 'SMTPToken' as never })
        .toArray()) as unknown as { value: string }[];
      expect(stored?.value).to.match(/^v1\./).and.not.to.contain(mailAccount.pass);
    });
  });

  describe('the earnings of invitations', () => {
    it('move to the quota: at least one unit, at most what there is, however many ask at once', async () => {
      const user = await tollgate.newUser();
      await User.updateOne({ id: user.id }, { affQuota: 1_700_000, affHistoryQuota: 1_700_000 });
      const transfer = (quota: number) => user.send('POST', '/api/user/aff_transfer', { quota });
      expect((await transfer(499_999)).message).to.equal('Transfer amount minimum is 500000');
      expect((await transfer(1_700_001)).code).to.equal('insufficient_invite_quota');
      for (const wrong of [0, -500_000, 1.5, '500000']) expect((await transfer(wrong as number)).code).to.equal('invalid_parameter');
      const replies = await Promise.all(Array.from({ length: 50 }, () => transfer(500_000)));
      expect(replies.filter(({ success }) => success)).to.have.length(3);
      expect(replies.find(({ success }) => success)?.message).to.equal('Transferred');
      expect(await self(user)).to.include({ quota: 1_500_000, aff_quota: 200_000, aff_history_quota: 1_700_000 });
      expect(await LedgerEntry.countDocuments({ userId: user.id, amount: 500_000, state: 'applied' })).to.equal(3);
    });
  });
});
