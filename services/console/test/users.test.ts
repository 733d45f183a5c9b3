import { type AuditView, type LogView, type Page, role, type UserView } from '@tollgate/contracts';
import { AuditLog, LedgerEntry, StoredObject, schemaRows, User } from '@tollgate/db';
import { expect } from 'chai';
import { clearStoredObjects } from '../src/features/users/stored-objects.ts';
import { startConsole, type TestConsole, testPassword } from './support/console.ts';

describe('users', () => {
  let tollgate: TestConsole;
  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
  });
  after(() => tollgate.close());

  it('are listed with their money, newest first, deleted ones too', async () => {
    const user = await tollgate.newUser();
    const gone = await tollgate.newUser();
    await tollgate.root.ok('PUT', '/api/user/', { id: user.id, add_quota: 700 });
    await tollgate.root.ok('DELETE', `/api/user/${gone.id}`);
    const page = await tollgate.root.ok<Page<UserView>>('GET', '/api/user/?p=0&page_size=2');
    expect(page.items.map(({ id }) => id)).to.deep.equal([gone.id, user.id]);
    expect(page).to.include({ page: 1, page_size: 2, total: gone.id });
    expect(page.items[1]).to.include({ quota: 700, used_quota: 0, request_count: 0, DeletedAt: null });
    expect(page.items[0]?.DeletedAt).to.match(/^\d{4}-/);
  });

  it('are found by a part of a name, by id and in a group; what a visitor types is no pattern', async () => {
    const user = await tollgate.newUser();
    await tollgate.root.ok('PUT', '/api/user/', { id: user.id, display_name: 'a.b*c', group: 'vip' });
    const found = async (query: string) =>
      (await tollgate.root.ok<Page<UserView>>('GET', `/api/user/search?${query}`)).items.map(({ id }) => id);
    expect(await found(`keyword=${user.username.slice(2, 9).toUpperCase()}`)).to.deep.equal([user.id]);
    expect(await found(`keyword=${user.id}&group=vip`)).to.deep.equal([user.id]);
    expect(await found(`keyword=${user.id}&group=svip`)).to.deep.equal([]);
    expect(await found(`keyword=${encodeURIComponent('a.b*')}`)).to.deep.equal([user.id]);
    expect(await found(`keyword=${encodeURIComponent('.*')}`)).to.deep.equal([]);
    expect(await found(`keyword=${encodeURIComponent('(((((')}`)).to.deep.equal([]);
    for (const list of ['user', 'channel', 'redemption', 'token'])
      expect((await tollgate.root.ok<Page<UserView>>('GET', `/api/${list}/search?keyword=a%00`)).items, list).to.deep.equal([]);
    expect((await tollgate.root.send('GET', '/api/user/search?keyword[$ne]=1')).success).to.equal(true);
    expect((await tollgate.root.send('GET', '/api/user/search?keyword=a&keyword=b')).code).to.equal('invalid_parameter');
  });

  it('are found by exactly what their name, display name or e-mail holds, page by page, whatever its letters', async () => {
    const [first, parts] = [900_000, ['Anna', 'ÉCOLE', 'école', '北京', '京都', 'x.y', '(a)', '50%', 'b_c', 'straße', '\\d', '한국']];
    const people = parts.flatMap((part, i) =>
      parts.map((other, j) => ({
        id: first + i * parts.length + j,
        username: `${part}-${i}-${j}`,
        displayName: j % 3 === 0 ? other.toLowerCase() : '',
        email: j % 4 === 1 ? `${i}.${j}@${other}.example` : '',
        affCode: `property-${i}-${j}`,
        createdAt: new Date(),
      })),
    );
    await User.insertMany(people);
    const callers = [tollgate.root, await tollgate.newUser({ admin: true })];
    const sameCase = (text: string) => text.replace(/[a-zé]/g, (letter) => letter.toUpperCase());
    for (const keyword of [...parts, 'ANNA', 'École', '京', 'n', '-1', '@', '.', '3.1', 'SSE', 'nobody', String(first + 7)]) {
      const expected = people.filter(
        ({ id, username, displayName, email }) =>
          String(id) === keyword || [username, displayName, email].some((text) => sameCase(text).includes(sameCase(keyword))),
      );
      for (const caller of callers)
        for (const page of [1, 2]) {
          const query = new URLSearchParams({ keyword, p: String(page), page_size: '20' });
          const { items, total } = await caller.ok<Page<UserView>>('GET', `/api/user/search?${query}`);
          const ids = expected.map(({ id }) => id).reverse();
          expect(
            items.map(({ id }) => id).filter((id) => id >= first),
            keyword,
          ).to.deep.equal(ids.slice((page - 1) * 20, page * 20));
          expect(total, keyword).to.be.at.least(ids.length);
        }
    }
    await User.deleteMany({ id: { $gte: first } });
  });

  it('are hidden from administrators of the same rank', async () => {
    const admin = await tollgate.newUser({ admin: true });
    const other = await tollgate.newUser({ admin: true });
    const seen = (await admin.ok<Page<UserView>>('GET', '/api/user/?page_size=100')).items;
    expect(seen.filter((user) => user.role >= role.admin).map(({ id }) => id)).to.deep.equal([admin.id]);
    for (const id of [1, other.id]) expect((await admin.send('GET', `/api/user/${id}`)).code).to.equal('same_or_higher_rank');
    await admin.ok('GET', `/api/user/${admin.id}`);
  });

  it('are made with a free name and a good password, and get what new users get', async () => {
    await tollgate.root.ok('PUT', '/api/option/', { key: 'QuotaForNewUser', value: '1234' });
    await tollgate.root.ok('POST', '/api/user/', { username: 'newcomer', password: testPassword });
    const newcomer = await tollgate.signIn('newcomer');
    expect(await newcomer.ok<UserView>('GET', '/api/user/self')).to.include({ quota: 1234, display_name: 'newcomer', role: 1 });
    const [gift] = (await newcomer.ok<Page<LogView>>('GET', '/api/log/self?type=4')).items;
    expect(gift?.content).to.equal('New user gift: 1,234 quota');
    await tollgate.root.ok('PUT', '/api/option/', { key: 'QuotaForNewUser', value: '0' });
    for (const [body, code] of [
      [{ username: 'newcomer', password: testPassword }, 'username_taken'],
      [{ username: 'has blank', password: testPassword }, 'invalid_parameter'],
      [{ username: 'a@b', password: testPassword }, 'invalid_parameter'],
      [{ username: '', password: testPassword }, 'invalid_parameter'],
      [{ username: 'thirteenchars', password: testPassword }, 'invalid_parameter'],
      [{ username: 'short', password: '1234567' }, 'invalid_parameter'],
      [{ username: 'x', password: testPassword, role: 100 }, 'same_or_higher_rank'],
      [{ username: { $ne: '' }, password: testPassword }, 'invalid_parameter'],
      [[], 'invalid_parameter'],
    ] as const) {
      expect((await tollgate.root.send('POST', '/api/user/', body)).code, JSON.stringify(body)).to.equal(code);
    }
  });

  it('have names that differ by more than case, and sign in however they write theirs', async () => {
    const user = await tollgate.newUser();
    const other = await tollgate.newUser();
    const [inCapitals, renamed] = [user.username.toUpperCase(), `Ü${user.username.slice(1)}`];
    const made = { username: inCapitals, password: testPassword };
    const refused = [
      await tollgate.root.send('POST', '/api/user/', made),
      await tollgate.root.send('POST', '/api/user/', { ...made, username: 'ROOT' }),
      await tollgate.anonymous.send('POST', '/api/user/register', { ...made, password2: testPassword }),
      await tollgate.root.send('PUT', '/api/user/', { id: other.id, username: inCapitals }),
      await other.send('PUT', '/api/user/self', { username: inCapitals }, { 'accept-language': 'zh' }),
    ];
    expect(refused.map(({ code }) => code)).to.deep.equal(Array(5).fill('username_taken'));
    expect(refused.at(-1)?.message).to.equal('用户名已存在，或已注销');
    expect((await tollgate.signIn(inCapitals)).id).to.equal(user.id);

    await user.ok('PUT', '/api/user/self', { username: inCapitals });
    await user.ok('PUT', '/api/user/self', { username: renamed });
    expect((await tollgate.signIn(renamed.toLowerCase())).id).to.equal(user.id);
    await other.ok('PUT', '/api/user/self', { username: inCapitals });
    expect((await tollgate.signIn(user.username)).id).to.equal(other.id);
    const { items } = await tollgate.root.ok<Page<AuditView>>('GET', '/api/audit/?action=user.');
    expect(JSON.stringify(items)).not.to.contain('nameKey');
  });

  it('have names of which no two look alike by how the same letters are encoded or set, or by what nobody sees', async () => {
    const make = (username: string) => tollgate.root.send('POST', '/api/user/', { username, password: testPassword });
    expect((await make('\u00e9va-ﬁ')).success).to.equal(true);
    for (const same of ['e\u0301va-fi', '\u00c9VA-FI', '\uff25\u0301va-ﬁ', 'ｒｏｏｔ'])
      expect((await make(same)).code, same).to.equal('username_taken');
    expect((await tollgate.signIn('E\u0301va-fi')).id).to.equal((await tollgate.signIn('\u00e9va-ﬁ')).id);
    for (const unseen of ['\u200b', '\u00ad', '\u2060', '\u3164', '\ufe0f']) {
      const reply = await make(`ro${unseen}ot`);
      expect(reply.message, JSON.stringify(unseen)).to.equal('Invalid parameter: username: may hold no invisible control characters');
    }
  });

  it('cannot have a name that looks like another one', async () => {
    const make = (username: string) => tollgate.root.send('POST', '/api/user/', { username, password: testPassword });
    for (const name of ['Morris1', 'tamara']) expect((await make(name)).success).to.equal(true);
    // Of other scripts, of other case, digits for letters, letters that together look like one.
    for (const twin of [
      'r\u043e\u043et',
      'r\u03bfot',
      'r00t',
      'R\u041e\u039fT',
      'Morrisl',
      'MorrisI',
      'M\u043erris1',
      'tarnara',
      'mOrr\u0456s1',
    ]) {
      expect((await make(twin)).code, twin).to.equal('username_taken');
      const registered = await tollgate.anonymous.send('POST', '/api/user/register', { username: twin, password: testPassword });
      expect(registered.code, `${twin}, registered`).to.equal('username_taken');
    }
    for (const other of ['nav', 'van', 'mary', 'maru', '\u5c0f\u660e', 'Zo\u00eb'])
      expect((await make(other)).success, other).to.equal(true);
    expect((await tollgate.root.send('POST', '/api/user/login', { username: 'r00t', password: 'root for tests' })).code).to.equal(
      'wrong_credentials',
    );
    const user = await tollgate.newUser();
    expect((await user.send('PUT', '/api/user/self', { username: 'rο0t' })).code, 'by a new name').to.equal('username_taken');
  });

  it('of releases that told names apart by case go on as they are, two of one name as well', async () => {
    const password = await User.findOne({ id: (await tollgate.newUser()).id })
      .select('passwordHash')
      .lean();
    const row = (id: number, username: string) => ({
      id,
      username,
      affCode: username,
      passwordHash: password?.passwordHash,
      createdAt: new Date(),
    });
    await User.create([row(900_001, 'Twin'), row(900_002, 'twin'), row(900_003, 'Alone'), row(900_005, 'A1one')]);
    await User.create({ ...row(900_004, 'Zo\u0065\u0301'), nameKey: 'zo\u0065\u0301' });
    await schemaRows().updateOne({ _id: 'schema' }, { $set: { version: 1 } });
    await tollgate.restart();
    expect((await tollgate.signIn('ZO\u00c9')).id).to.equal(900_004);
    const [first, second] = [await tollgate.signIn('Twin'), await tollgate.signIn('twin')];
    expect([first.id, second.id, (await tollgate.signIn('alone')).id]).to.deep.equal([900_001, 900_002, 900_003]);
    await second.ok('PUT', '/api/user/self', { username: 'twin', display_name: 'The other' });
    await tollgate.root.ok('PUT', '/api/user/', { id: second.id, username: 'twin', group: 'vip' });
    for (const username of ['TWIN', 'ALONE'])
      expect((await tollgate.root.send('POST', '/api/user/', { username, password: testPassword })).code).to.equal('username_taken');
    await second.ok('PUT', '/api/user/self', { username: 'no-twin' });
    expect((await tollgate.signIn('No-Twin')).id).to.equal(second.id);
  });

  it('keep what an edit does not name; quota goes through the ledger with a row in the log', async () => {
    const user = await tollgate.newUser();
    await tollgate.root.ok('PUT', '/api/user/', { id: user.id, quota: 5000 });
    await tollgate.root.ok('PUT', '/api/user/', { id: user.id, display_name: 'Renamed', group: 'vip' });
    await tollgate.root.ok('PUT', '/api/user/', { id: user.id, add_quota: -500 });
    expect((await tollgate.root.send('PUT', '/api/user/', { id: user.id, group: 'nowhere' })).code).to.equal('unknown_group');
    const view = await tollgate.root.ok<UserView>('GET', `/api/user/${user.id}`);
    expect(view).to.include({ quota: 4500, display_name: 'Renamed', group: 'vip', username: user.username });
    const entries = await LedgerEntry.find({ userId: user.id }).lean();
    expect(entries.map(({ amount, state }) => [amount, state])).to.have.deep.members([
      [5000, 'applied'],
      [-500, 'applied'],
    ]);
    const rows = (await user.ok<Page<LogView>>('GET', '/api/log/self?type=3')).items;
    expect(rows.map(({ content, quota }) => [content, quota])).to.have.deep.members([
      ['Quota changed by root: +5000', 5000],
      ['Quota changed by root: -500', -500],
    ]);
    const inChinese = await user.send<Page<LogView>>('GET', '/api/log/self?type=3', undefined, { 'accept-language': 'zh' });
    expect(inChinese.data.items[0]?.content).to.equal('管理员 root 变更用户额度：-500');
  });

  it('stay as they are where an edit takes more than there is', async () => {
    const user = await tollgate.newUser();
    await tollgate.root.ok('PUT', '/api/user/', { id: user.id, quota: 100 });
    const edit = { id: user.id, display_name: 'Poor', group: 'vip', password: 'another password', add_quota: -101 };
    expect((await tollgate.root.send('PUT', '/api/user/', edit)).message).to.match(/the balance is 100$/);
    const view = await tollgate.root.ok<UserView>('GET', `/api/user/${user.id}`);
    expect(view).to.include({ display_name: user.username, group: 'default', quota: 100 });
    expect((await user.send('GET', '/api/user/self')).success, 'with the password that he had').to.equal(true);
  });

  it('cannot be brought below zero, not even by many at once', async () => {
    const user = await tollgate.newUser();
    await tollgate.root.ok('PUT', '/api/user/', { id: user.id, quota: 1000 });
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => tollgate.root.send('PUT', '/api/user/', { id: user.id, add_quota: -300 })),
    );
    expect(replies.filter(({ success }) => success)).to.have.length(3);
    expect((await tollgate.root.ok<UserView>('GET', `/api/user/${user.id}`)).quota).to.equal(100);
  });

  it('add up when many add at once', async () => {
    const user = await tollgate.newUser();
    await Promise.all(Array.from({ length: 20 }, () => tollgate.root.ok('PUT', '/api/user/', { id: user.id, add_quota: 7 })));
    expect((await tollgate.root.ok<UserView>('GET', `/api/user/${user.id}`)).quota).to.equal(140);
  });

  it('obey the ranks', async () => {
    const admin = await tollgate.newUser({ admin: true });
    const peer = await tollgate.newUser({ admin: true });
    const user = await tollgate.newUser();
    for (const [body, code] of [
      [{ id: 1, action: 'disable' }, 'root_protected'],
      [{ id: 1, action: 'delete' }, 'root_protected'],
      [{ id: 1, action: 'demote' }, 'root_protected'],
      [{ id: peer.id, action: 'disable' }, 'same_or_higher_rank'],
      [{ id: admin.id, action: 'demote' }, 'same_or_higher_rank'],
      [{ id: user.id, action: 'promote' }, 'only_root_promotes'],
      [{ id: user.id, action: 'crown' }, 'invalid_parameter'],
      [{ id: user.id, action: 'demote' }, 'already_common_user'],
      [{ id: 999_999, action: 'disable' }, 'record_not_found'],
      [{ id: 0, action: 'disable' }, 'invalid_parameter'],
    ] as const) {
      expect((await admin.send('POST', '/api/user/manage', body)).code, JSON.stringify(body)).to.equal(code);
    }
    expect((await tollgate.root.send('POST', '/api/user/manage', { id: 1, action: 'disable' })).code).to.equal('root_protected');
    expect((await tollgate.root.send('POST', '/api/user/manage', { id: peer.id, action: 'promote' })).code).to.equal('already_admin');
    for (const id of [1, peer.id, admin.id])
      expect((await admin.send('PUT', '/api/user/', { id, quota: 1_000_000 })).code).to.equal('same_or_higher_rank');
    expect(await admin.ok('POST', '/api/user/manage', { id: user.id, action: 'disable' })).to.deep.equal({ role: 1, status: 2 });
    expect(await admin.ok('POST', '/api/user/manage', { id: user.id, action: 'enable' })).to.deep.equal({ role: 1, status: 1 });
  });

  it('of a status that is neither enabled nor banned cannot sign in, and cannot be enabled', async () => {
    const user = await tollgate.newUser();
    await User.updateOne({ id: user.id }, { $set: { status: 3 } });
    expect(await tollgate.root.ok('GET', `/api/user/${user.id}`)).to.include({ status: 3 });
    const signIn = { username: user.username, password: testPassword };
    expect((await tollgate.anonymous.send('POST', '/api/user/login', signIn)).code).to.equal('wrong_credentials');
    const refused = await tollgate.root.send('POST', '/api/user/manage', { id: user.id, action: 'enable' });
    expect(refused).to.include({ success: false, code: 'user_not_enableable' });
    expect((await User.findOne({ id: user.id }).lean())?.status).to.equal(3);
  });

  it('leave a trail of every change, without secrets', async () => {
    const user = await tollgate.newUser();
    await tollgate.root.ok('PUT', '/api/user/', { id: user.id, password: 'canary-password', display_name: 'Trail' });
    const trail = await AuditLog.find({ target: `user:${user.id}` }).lean();
    expect(trail.map(({ action }) => action)).to.have.members(['user.create', 'user.update']);
    const update = trail.find(({ action }) => action === 'user.update');
    expect(update).to.deep.include({ actorId: 1, actorName: 'root', after: { displayName: 'Trail', password: '(changed)' } });
    expect(JSON.stringify(trail)).not.to.match(/canary|argon2/);
  });

  it('change their own name and settings; a webhook secret is never shown again', async () => {
    const user = await tollgate.newUser();
    await user.ok('PUT', '/api/user/self', { username: '', display_name: 'Me', password: '' });
    const setting = {
      notify_type: 'webhook',
      quota_warning_threshold: 5.5,
      webhook_url: 'https://example.com/hook',
      webhook_secret: 'canary-secret',
    };
    await user.ok('PUT', '/api/user/setting', setting);
    const view = await user.ok<UserView>('GET', '/api/user/self');
    expect(view).to.include({ display_name: 'Me', username: user.username });
    expect(JSON.parse(view.setting)).to.deep.equal({
      notify_type: 'webhook',
      quota_warning_threshold: 5.5,
      language: 'en',
      webhook_url: 'https://example.com/hook',
      webhook_form: 'json',
    });
    expect(JSON.stringify(await User.findOne({ id: user.id }).select('+passwordHash').lean())).not.to.contain('canary');
    for (const wrong of [
      { webhook_url: 'ftp://example.com' },
      { webhook_url: '' },
      { notify_type: 'pigeon' },
      { quota_warning_threshold: 0 },
    ]) {
      expect((await user.send('PUT', '/api/user/setting', { ...setting, ...wrong })).code, JSON.stringify(wrong)).to.equal(
        'invalid_parameter',
      );
    }
    const taken = await tollgate.newUser();
    expect((await user.send('PUT', '/api/user/self', { username: taken.username })).code).to.equal('username_taken');
  });

  it('know their groups and models', async () => {
    const user = await tollgate.newUser();
    expect(await user.ok('GET', '/api/user/self/groups'))
      .to.have.property('default')
      .that.deep.includes({ ratio: 1 });
    expect(await user.ok('GET', '/api/user/models')).to.deep.equal([]);
    expect(await user.ok('GET', '/api/user/aff')).to.match(/^\w{8}$/);
    expect(await tollgate.root.ok('GET', '/api/group/')).to.include('vip');
    for (const [language, desc] of [
      ['en', 'Default group'],
      ['zh', '默认分组'],
    ] as const) {
      const { data } = await user.send('GET', '/api/user/self/groups', undefined, { 'accept-language': language });
      expect(data).to.have.nested.property('default.desc', desc);
    }
    const unpriced = { key: 'UserUsableGroups', value: '{"default":"All","constructor":"None"}' };
    await tollgate.root.ok('PUT', '/api/option/', unpriced);
    expect(await tollgate.anonymous.ok('GET', '/api/user/groups')).to.deep.equal({ default: { ratio: 1, desc: 'All' } });
    await tollgate.root.ok('PUT', '/api/option/batch', { options: [{ key: unpriced.key, value: null }] });
  });

  it('take their stored responses with them: at once by themselves, after the time for undoing by an administrator', async () => {
    const [stays, leaves, removed] = [await tollgate.newUser(), await tollgate.newUser(), await tollgate.newUser()];
    const later = new Date(Date.now() + 86_400_000);
    const store = (id: number) =>
      StoredObject.insertMany(
        ['resp_1', 'conv_1', 'conv_1/1'].map((name) => ({
          ...{ _id: `${id}:${name}`, userId: id, kind: 'response' as const, bytes: 500, at: new Date(), expiresAt: later, sealed: 'v1.x' },
        })),
      );
    for (const { id } of [stays, leaves, removed]) await store(id);
    const owners = async () => (await StoredObject.distinct('userId')).sort((a, b) => a - b);
    await leaves.ok('DELETE', '/api/user/self');
    expect(await owners()).to.deep.equal([stays.id, removed.id]);
    await store(leaves.id); // by a call that was still running
    await tollgate.root.ok('DELETE', `/api/user/${removed.id}`);
    const never = new AbortController().signal;
    await clearStoredObjects(Date.now(), never);
    expect(await owners()).to.deep.equal([stays.id, leaves.id, removed.id]);
    expect(await clearStoredObjects(Date.now() + 11 * 60_000, never)).to.equal(6);
    expect(await owners()).to.deep.equal([stays.id]);
  });
});
