import { startConsole, type TestConsole } from './support/console.ts';
import { forgetLimits } from './support/limits.ts';
import { type MailServer, mailAccount, startMailServer } from './support/mail-server.ts';
import { address } from './ways-in/address.ts';
import { earnings } from './ways-in/earnings.ts';
import { forgottenPassword } from './ways-in/forgotten-password.ts';
import { type Hands, handsOn } from './ways-in/hands.ts';
import { mail } from './ways-in/mail.ts';
import { registering } from './ways-in/registering.ts';

describe('people’s way in', () => {
  let tollgate: TestConsole;
  let mails: MailServer;
  let hands: Hands;

  before(async () => {
    mails = await startMailServer();
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0', EGRESS_ALLOW_SERVICES: '127.0.0.0/8', GENERATE_DEFAULT_TOKEN: 'true' });
    hands = handsOn(tollgate, mails);
    await hands.setOptions({
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

  const given = (): Hands => hands;
  registering(given);
  address(given);
  forgottenPassword(given);
  mail(given);
  earnings(given);
});
