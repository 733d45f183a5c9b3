import { expect } from 'chai';
import type { Hands } from './hands.ts';

/** How a mailed link replaces a password. */
export function forgottenPassword(hands: () => Hands): void {
  describe('a forgotten password', () => {
    const ask = (email: string, headers = {}) =>
      hands().mailing(hands().tollgate.anonymous.send('GET', `/api/reset_password?email=${email}`, undefined, headers));
    const reset = (email: string, token: string) => hands().tollgate.anonymous.send<string>('POST', '/api/user/reset', { email, token });
    const linkIn = (mail: { text: string } | undefined) => new URL(/https:\S+/.exec(mail?.text ?? '')?.[0] ?? 'x:');

    it('is replaced by whoever reads the mailed link, once; sessions and access token end', async () => {
      const { tollgate, mails, newReader } = hands();
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
      const { mails, newReader } = hands();
      expect((await ask('nobody@example.com')).message).to.equal('This email address is not registered');
      const user = await newReader();
      await ask(user.email, { 'accept-language': 'zh' });
      expect(mails.received.at(-1)?.subject).to.equal('Tür & Tor <b> 密码重置');
      await user.ok('DELETE', '/api/user/self');
      expect((await ask(user.email)).code).to.equal('email_unknown');
    });

    it('needs the site to know its own address, which no request may say', async () => {
      const { whileSet, newReader } = hands();
      const user = await newReader();
      await whileSet({ ServerAddress: '' }, async () => {
        expect((await ask(user.email)).message).to.equal('Email cannot be sent: the administrator must set ServerAddress first');
      });
    });
  });
}
