import { LedgerEntry, User } from '@tollgate/db';
import { expect } from 'chai';
import type { Hands } from './hands.ts';

/** How what invitations earn becomes quota. */
export function earnings(hands: () => Hands): void {
  describe('the earnings of invitations', () => {
    it('move to the quota: at least one unit, at most what there is, however many ask at once', async () => {
      const { tollgate, self } = hands();
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
}
