import { Order, User } from '@tollgate/db';
import { expect } from 'chai';
import { startConsole, type TestConsole, testPassword, type Visitor } from '../support/console.ts';
import { forgetLimits } from '../support/limits.ts';
import { expectRefusal } from './both-languages.ts';
import { channels } from './spec-lines/channels.ts';
import type { Row, Who } from './spec-lines/lines.ts';
import { logsAndOptions } from './spec-lines/logs-and-options.ts';
import { ownAccount } from './spec-lines/own-account.ts';
import { tokensAndMoney } from './spec-lines/tokens-and-money.ts';
import { users } from './spec-lines/users.ts';
import { waysIn } from './spec-lines/ways-in.ts';

/**
 * The lines of both specifications that say what may not be sent, and what is answered. What needs a state of the world that is dear
 * to make (a mail server, a provider, a spent token) stands with its feature.
 */
const rows: Row[] = [...waysIn, ...ownAccount, ...users, ...channels, ...tokensAndMoney, ...logsAndOptions];

describe('bad input, line by line', () => {
  let tollgate: TestConsole;
  let people: Record<Who, Visitor>;

  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    const { root, anonymous } = tollgate;
    await root.ok('POST', '/api/user/', { username: 'taken', password: testPassword });
    people = { root, anonymous, user: await tollgate.signIn('taken'), admin: await tollgate.newUser({ admin: true }) };
    await people.user.ok('POST', '/api/token/', { name: 'first' });
    await root.ok('PUT', '/api/option/', { key: 'MinTopUp', value: '5' });
  });
  after(() => tollgate.close());

  it(`refuses ${rows.length} of them in words, in English and in Chinese`, async function () {
    this.timeout(120_000); // for a busy machine
    const before = await User.find().sort({ id: 1 }).lean();
    for (const [index, [line, who, ask, words]] of rows.entries()) {
      if (index % 8 === 0) await Promise.all(['critical', 'sign-in'].map((name) => forgetLimits(tollgate, name)));
      await expectRefusal(people[who], ask, words).catch((error: Error) => {
        error.message = `${line}: ${error.message}`;
        throw error;
      });
    }
    expect(await User.find().sort({ id: 1 }).lean(), 'nothing came of it').to.deep.equal(before);
    expect(await Order.countDocuments()).to.equal(0);
  });
});
