import type { LogView, Page, TokenView } from '@tollgate/contracts';
import { User } from '@tollgate/db';
import { expect } from 'chai';
import { testPassword } from '../support/console.ts';
import type { Hands } from './hands.ts';

/** How an account comes to be, and what it brings to whom. */
export function registering(hands: () => Hands): void {
  describe('registering', () => {
    it('makes an ordinary account that signs in, with a first token where the operator gives one', async () => {
      const { tollgate, newName, register, self } = hands();
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
      const { register } = hands();
      expect((await register({})).headers.getSetCookie()).to.deep.equal([]);
    });

    it('refuses names, passwords and entries that differ, in the reader’s language', async () => {
      const { tollgate, register } = hands();
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
      const { whileSet, register } = hands();
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
      const { newName, register } = hands();
      const username = newName();
      const replies = await Promise.all(Array.from({ length: 10 }, () => register({ username })));
      expect(replies.filter(({ success }) => success)).to.have.length(1);
      expect(replies.filter(({ code }) => code === 'username_taken')).to.have.length(9);
    });

    it('gives what new, invited and inviting people get, each once and noted in their logs', async () => {
      const { tollgate, whileSet, newName, register, self } = hands();
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
      const { tollgate, whileSet, newName, register, self } = hands();
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
}
