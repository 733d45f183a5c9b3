import type { TokenView, UserView } from '@tollgate/contracts';
import { rows } from '@tollgate/db';
import { expect } from 'chai';
import { startConsole, type TestConsole, type Visitor } from '../support/console.ts';
import { expectOneLanguage, refusals } from './both-languages.ts';

/** What a client may write where a whole number of quota has to stand. */
const never = [
  ...['1.5', '9007199254740992', '9007199254740993', '1000000000000001', '1e16', '1e308', '1e400', '-1e400'],
  ...['"5"', '"NaN"', '""', 'true', '[5]', '{"$inc":5}'],
];
const negative = ['-1', '-0.5', '-9007199254740993', '-1e16'];
/** What looks like a number and is no JSON. */
const noJson = ['NaN', 'Infinity', '-Infinity', '0x10', '1_000', '01', '+1', '.5', '5n'];

interface Field {
  who: 'user' | 'root';
  method: string;
  path: string;
  /** Its place is `?`. */
  body: string;
  mayBe?: 'negative' | 'fraction' | 'an id';
}

const userField = (path: string, method: string, body: string, mayBe?: Field['mayBe']): Field => ({
  who: 'user',
  method,
  path,
  body,
  mayBe,
});
const rootField = (path: string, method: string, body: string, mayBe?: Field['mayBe']): Field => ({
  who: 'root',
  method,
  path,
  body,
  mayBe,
});
const limits = ['requests_per_minute', 'requests_per_day', 'tokens_per_minute', 'tokens_per_day', 'concurrent'];

const fields: Field[] = [
  userField('/api/token/', 'POST', '{"name":"n","remain_quota":?}'),
  userField('/api/token/', 'POST', '{"name":"n","count":?}'),
  userField('/api/token/', 'POST', '{"name":"n","expired_time":?}', 'negative'),
  ...limits.map((limit) => userField('/api/token/', 'POST', `{"name":"n","${limit}":?}`)),
  userField('/api/token/', 'PUT', '{"id":1,"remain_quota":?}'),
  userField('/api/token/', 'PUT', '{"id":1,"add_quota":?}', 'negative'),
  userField('/api/token/batch', 'PUT', '{"ids":[1],"set":{"tokens_per_day":?}}'),
  userField('/api/token/batch', 'PUT', '{"ids":[?],"set":{"status":1}}', 'an id'),
  userField('/api/user/aff_transfer', 'POST', '{"quota":?}'),
  userField('/api/user/amount', 'POST', '{"amount":?}'),
  userField('/api/user/pay', 'POST', '{"payment_method":"wx","amount":?}'),
  userField('/api/user/stripe/pay', 'POST', '{"amount":?}'),
  userField('/api/user/setting', 'PUT', '{"notify_type":"email","quota_warning_threshold":?}', 'fraction'),
  rootField('/api/user/', 'PUT', '{"id":2,"quota":?}'),
  rootField('/api/user/', 'PUT', '{"id":2,"add_quota":?}', 'negative'),
  rootField('/api/redemption/', 'POST', '{"name":"n","quota":?}'),
  rootField('/api/redemption/', 'POST', '{"name":"n","quota":1,"count":?}'),
  rootField('/api/redemption/', 'PUT', '{"id":1,"quota":?}'),
  rootField('/api/channel/', 'PUT', '{"id":1,"max_input_tokens":?}'),
  rootField('/api/channel/', 'PUT', '{"id":1,"tokens_per_minute":?}'),
  rootField('/api/channel/', 'PUT', '{"id":1,"priority":?}', 'negative'),
  rootField('/api/channel/', 'PUT', '{"id":1,"weight":?}', 'negative'), // a negative weight becomes 0
];

describe('bad input: quotas', () => {
  let tollgate: TestConsole;
  let people: Record<Field['who'], Visitor>;

  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    const user = await tollgate.newUser();
    people = { user, root: tollgate.root };
    await user.ok('POST', '/api/token/', { name: 'first', remain_quota: 1000 });
    await tollgate.root.ok('POST', '/api/redemption/', { name: 'first', quota: 7 });
    const channel = { name: 'c', type: 1, key: 'sk-x', models: 'gpt-4o', base_url: 'https://up.example' };
    await tollgate.root.ok('POST', '/api/channel/', channel);
  });
  after(() => tollgate.close());

  const money = async () => [
    await rows.wallets().find({}).sort({ _id: 1 }).toArray(),
    await rows.tokenWallets().find({}).sort({ _id: 1 }).toArray(),
    await rows.ledger().countDocuments(),
  ];

  it('that are no whole number of what may be are refused in every field, in both languages, and change nothing', async function () {
    this.timeout(120_000); // for a busy machine
    const before = await money();
    for (const { who, method, path, body, mayBe } of fields) {
      const isGood = (text: string) => (mayBe === 'fraction' && text === '1.5') || (mayBe === 'an id' && text === '1000000000000001');
      for (const text of [...never, ...(mayBe === 'negative' ? [] : negative)].filter((each) => !isGood(each))) {
        const replies = await refusals(people[who], [method, path, body.replace('?', text)]);
        expect(replies.en.code, `${body} ${text}: ${replies.en.message}`).to.equal('invalid_parameter');
        expectOneLanguage(replies, []);
      }
    }
    for (const text of noJson) {
      const { en } = await refusals(people.root, ['PUT', '/api/user/', `{"id":2,"add_quota":${text}}`]);
      expect([en.status, en.code], text).to.deep.equal([400, 'invalid_json']);
    }
    expect(await money()).to.deep.equal(before);
  });

  it('that add up to more than integers can say are refused, and what was there stays', async () => {
    const { root } = tollgate;
    const user = await tollgate.newUser();
    const add = (add_quota: number) => root.send('PUT', '/api/user/', { id: user.id, add_quota });
    const tooMuch = 'Invalid parameter: the balance would be more than 1000000000000000';
    expect((await add(1e15 - 5)).success).to.equal(true);
    expect((await add(6)).message).to.equal(tooMuch);
    const [code = ''] = await root.ok<string[]>('POST', '/api/redemption/', { name: 'rich', quota: 1e15 });
    for (const _ of [1, 2]) expect((await user.send('POST', '/api/user/topup', { key: code })).message).to.equal(tooMuch);
    const token = await user.ok<TokenView>('POST', '/api/token/', { name: 't', remain_quota: 1e15 });
    expect((await user.send('PUT', '/api/token/', { id: token.id, add_quota: 1 })).message).to.equal(tooMuch);
    expect((await user.ok<UserView>('GET', '/api/user/self')).quota).to.equal(1e15 - 5);
    expect((await add(5 - 1e15)).success).to.equal(true);
    expect(await user.ok('POST', '/api/user/topup', { key: code }), 'the code was not used up').to.equal(1e15);
  });

  it('many at once add up to no more, and what did not fit is still there', async () => {
    const { root } = tollgate;
    const user = await tollgate.newUser();
    const third = 3e14;
    const codes = await root.ok<string[]>('POST', '/api/redemption/', { name: 'rich', quota: third, count: 10 });
    const redeem = (key: string) => user.send('POST', '/api/user/topup', { key });
    const token = await user.ok<TokenView>('POST', '/api/token/', { name: 't', remain_quota: 0 });
    const [redeemed, filled] = await Promise.all([
      Promise.all(codes.map(redeem)),
      Promise.all(codes.map(() => user.send('PUT', '/api/token/', { id: token.id, add_quota: third }))),
    ]);
    for (const replies of [redeemed, filled]) expect(replies.filter(({ success }) => success)).to.have.length(3);
    const given = await Promise.all(Array.from({ length: 10 }, () => root.send('PUT', '/api/user/', { id: user.id, add_quota: 1e14 })));
    expect(given.filter(({ success }) => success)).to.have.length(1);
    expect((await user.ok<UserView>('GET', '/api/user/self')).quota).to.equal(1e15);
    expect((await root.send('PUT', '/api/user/', { id: user.id, add_quota: -1e15 })).success).to.equal(true);
    const again = await Promise.all(codes.map(redeem));
    expect(again.filter(({ success }) => success)).to.have.length(3);
    expect(again.filter(({ code }) => code === 'redemption_code_used')).to.have.length(3);
  });
});
