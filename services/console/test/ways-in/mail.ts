import type { JobsView } from '@tollgate/contracts';
import { User } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { Queue } from 'bullmq';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { queueName, queuePrefix } from '../../src/jobs/board.ts';
import { mailAccount, startMailServer } from '../support/mail-server.ts';
import type { Hands } from './hands.ts';

/** What becomes of mails, and of what sends them. */
export function mail(hands: () => Hands): void {
  describe('mail', () => {
    it('fails in words when the server is away or refuses; strangers hear nothing of it', async () => {
      const { tollgate, mails, setOptions, whileSet } = hands();
      const test = (headers = {}) => tollgate.root.send('POST', '/api/option/test_mail', { email: 'me@example.com' }, headers);
      expect((await test()).message).to.equal('The test mail was sent');
      expect(mails.received.at(-1)).to.deep.include({ to: ['me@example.com'], subject: 'Tür & Tor <b>: test email' });
      await whileSet({ SMTPServer: '' }, async () => {
        expect((await test()).message).to.equal('Email cannot be sent: the administrator must set SMTPServer first');
      });
      await whileSet({ SMTPPort: '1' }, async () => {
        expect((await test()).message).to.equal('The email could not be sent: the mail server cannot be reached');
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
      const { tollgate, mails, whileSet } = hands();
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
        expect(job).to.include({ attempts: 1, reason: 'The email could not be sent: the mail server cannot be reached' });
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
      const { tollgate, whileSet } = hands();
      const encrypted = await startMailServer({ disabledCommands: [] });
      await whileSet({ SMTPPort: String(encrypted.port) }, async () => {
        expect((await tollgate.root.send('POST', '/api/option/test_mail', { email: 'c@example.com' })).code).to.equal('mail_refused');
      });
      expect(encrypted.received).to.deep.equal([]);
      await encrypted.close();
    });

    it('keeps its password to itself', async () => {
      const { tollgate } = hands();
      const options = await tollgate.root.ok<{ key: string }[]>('GET', '/api/option/');
      expect(options.find(({ key }) => key === 'SMTPToken')).to.equal(undefined);
      const [stored] = (await User.db
        .collection('options')
        .find({ _id: 'SMTPToken' as never })
        .toArray()) as unknown as { value: string }[];
      expect(stored?.value).to.match(/^v1\./).and.not.to.contain(mailAccount.pass);
    });
  });
}
