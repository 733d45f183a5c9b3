import { createHash } from 'node:crypto';
import { User } from '@tollgate/db';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import type { Hands } from './hands.ts';

/** How an e-mail address is proven and bound. */
export function address(hands: () => Hands): void {
  describe('an address', () => {
    it('is proven by a mailed code, which is good once', async () => {
      const { tollgate, mails, whileSet, newName, register, verify, codeFor, self } = hands();
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
      const { mails, verify } = hands();
      expect((await verify('zh@example.com', { 'accept-language': 'zh' })).success).to.equal(true);
      const mail = mails.received.at(-1);
      expect(mail?.subject).to.equal('Tür & Tor <b> 邮箱验证码');
      expect(mail?.text).to.match(/验证码为：\s+\d{6}\s+验证码仅可使用一次，10 分钟内有效/);
      expect(mail?.html).to.contain('Tür &amp; Tor &lt;b&gt;').and.not.to.contain('<b>');
      expect((await verify('en@example.com')).success).to.equal(true);
      expect(mails.received.at(-1)?.text).to.contain('works once and expires in 10 minutes');
    });

    it('needs the newest code within five attempts and ten minutes', async () => {
      const { tollgate, codeFor } = hands();
      const user = await tollgate.newUser();
      const bind = (email: string, code: string) => user.send('GET', `/api/oauth/email/bind?email=${email}&code=${code}`);
      const older = await codeFor('late@example.com', user);
      const newer = await codeFor('late@example.com', user);
      if (older !== newer) expect((await bind('late@example.com', older)).message).to.equal('Verification code is incorrect or expired');
      for (let attempt = 0; attempt < 4; attempt += 1) await bind('late@example.com', 'wrong');
      expect((await bind('late@example.com', newer)).code, 'the fifth wrong one ends it').to.equal('wrong_verification_code');
      const redis = new Redis(tollgate.redisUrl);
      await codeFor('late@example.com');
      const life = await redis.ttl(`code:register:${createHash('sha256').update('late@example.com').digest('hex').slice(0, 32)}`);
      redis.disconnect();
      expect(life).to.be.within(590, 600);
    });

    it('is bound once, to one account, by whoever is signed in', async () => {
      const { tollgate, codeFor, newReader, self } = hands();
      const owner = await newReader();
      expect((await self(owner)).email).to.equal(owner.email);
      const [one, other] = await Promise.all([tollgate.newUser(), tollgate.newUser()]);
      const path = (code: string) => `/api/oauth/email/bind?email=both@example.com&code=${code}`;
      const [ofOne, ofOther] = [await codeFor('both@example.com', one), await codeFor('both@example.com', other)];
      const ofNobody = await codeFor('both@example.com');
      expect((await tollgate.anonymous.send('GET', path(ofOne))).status).to.equal(401);
      for (const code of [ofOther, ofNobody])
        if (code !== ofOne)
          expect((await one.send('GET', path(code))).code, 'for another account or purpose').to.equal('wrong_verification_code');
      const replies = await Promise.all([one.send('GET', path(ofOne)), other.send('GET', path(ofOther))]);
      expect(replies.filter(({ success }) => success)).to.have.length(1);
      await User.collection.insertOne({ id: 999_999, username: 'x', affCode: 'x', githubId: '' } as never);
      await User.updateOne({ id: 999_999 }, { email: 'both@example.com' }).then(
        () => expect.fail('two accounts have one address'),
        (error) => expect(error).to.include({ code: 11_000 }),
      );
      await User.deleteOne({ id: 999_999 });
    });

    it('must be one that the site wants', async () => {
      const { whileSet, verify } = hands();
      await whileSet({ EmailDomainWhitelist: 'Example.com,lan.example', EmailDomainRestrictionEnabled: 'true' }, async () => {
        expect((await verify('a@evil.example')).message).to.equal('Use an email address of one of these domains: example.com, lan.example');
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
      const { mails, verify } = hands();
      for (let round = 0; round < 5; round += 1) expect((await verify('flood@example.com')).success).to.equal(true);
      const arrived = mails.received.length;
      expect((await verify('flood@example.com')).status).to.equal(429);
      expect(mails.received).to.have.length(arrived);
    });
  });
}
