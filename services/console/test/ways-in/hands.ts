import type { UserView } from '@tollgate/contracts';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { type Reply, type TestConsole, testPassword, type Visitor } from '../support/console.ts';
import type { MailServer } from '../support/mail-server.ts';
import { setOptions, whileSet } from '../support/options.ts';

export type Hands = ReturnType<typeof handsOn>;

/** What tests of people's ways in have in hand: a console that sends mails, and where they arrive. */
export function handsOn(tollgate: TestConsole, mails: MailServer) {
  let count = 0;

  const newName = () => {
    count += 1;
    return `n${count}`;
  };
  const register = (body: object, headers = {}): Promise<Reply> =>
    tollgate.anonymous.send('POST', '/api/user/register', { username: newName(), password: testPassword, ...body }, headers);
  const verify = (email: string, headers = {}, who: Pick<Visitor, 'send'> = tollgate.anonymous) =>
    mailing(who.send('GET', `/api/verification?email=${encodeURIComponent(email)}`, undefined, headers));
  /** A call that has a mail sent: by a job, after the answer. */
  const mailing = async (asked: Promise<Reply>): Promise<Reply> => {
    const arrived = mails.received.length;
    const reply = await asked;
    if (reply.success) await eventually(() => expect(mails.received.length).to.be.above(arrived));
    return reply;
  };
  /** Mailed to an address: for an account of whoever asks, by default to open one. */
  const codeFor = async (email: string, who?: Pick<Visitor, 'send'>) => {
    expect((await verify(email, {}, who)).message).to.equal('');
    return /^\d{6}$/m.exec(mails.received.at(-1)?.text ?? '')?.[0] ?? '';
  };
  /** An account with a proven address. */
  const newReader = async () => {
    const user = await tollgate.newUser();
    const email = `${user.username}@example.com`;
    await user.ok('GET', `/api/oauth/email/bind?email=${email}&code=${await codeFor(email, user)}`);
    return { ...user, email };
  };
  const self = (user: { ok: TestConsole['root']['ok'] }) => user.ok<UserView>('GET', '/api/user/self');

  return {
    tollgate,
    mails,
    setOptions: (values: Record<string, string>) => setOptions(tollgate, values),
    whileSet: (values: Record<string, string>, work: () => Promise<void>) => whileSet(tollgate, values, work),
    newName,
    register,
    verify,
    mailing,
    codeFor,
    newReader,
    self,
  };
}
