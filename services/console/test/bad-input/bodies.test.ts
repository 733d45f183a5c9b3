import { type Route, type RouteName, routeNames, routes } from '@tollgate/contracts';
import { User } from '@tollgate/db';
import { expect } from 'chai';
import { startConsole, type TestConsole, type Visitor } from '../support/console.ts';
import { forgetLimits } from '../support/limits.ts';
import { type Ask, expectOneLanguage, expectRefusal, parameter, refusals } from './both-languages.ts';

const contractOf = (name: RouteName): Route => routes[name];
const partsOf = (name: RouteName) => name.split(' ') as [method: string, path: string];

describe('bad input: bodies, addresses and texts', () => {
  let tollgate: TestConsole;
  let user: Visitor;
  let root: Visitor;

  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    user = await tollgate.newUser();
    root = tollgate.root;
  });
  after(() => tollgate.close());

  function visitorFor({ access }: Route): Visitor {
    if (access === 'anyone' || access === 'visitor') return tollgate.anonymous;
    return access === 'user' || access === 'session' ? user : root;
  }

  it('that are no JSON object are refused by every route that reads one, and nothing comes of it', async function () {
    this.timeout(120_000); // for a busy machine
    const json = { 'content-type': 'application/json' };
    const half = String.raw`"\ud83d"`;
    const wrong: [body: string | Buffer | undefined, headers: Record<string, string>, code: string][] = [
      [undefined, {}, 'invalid_parameter'],
      ['{}', { 'content-type': 'text/plain' }, 'invalid_parameter'],
      ['id=1&key=x', { 'content-type': 'application/x-www-form-urlencoded' }, 'invalid_parameter'],
      ['--b\r\n\r\n--b--', { 'content-type': 'multipart/form-data; boundary=b' }, 'invalid_parameter'],
      ['[]', json, 'invalid_parameter'],
      ['[{"id":1}]', json, 'invalid_parameter'],
      ['null', json, 'invalid_json'],
      ['5', json, 'invalid_json'],
      ['{"id":1', json, 'invalid_json'],
      ["{'id':1}", json, 'invalid_json'],
      [`{"name":${half},"username":${half},"key":${half}}`, json, 'invalid_json'],
      [`{"key":"x","value":["a",{"b":[${half}]}]}`, json, 'invalid_json'],
      [`{${half}:1}`, json, 'invalid_json'],
      [Buffer.from('{"id":1}', 'utf16le'), { 'content-type': 'application/json; charset=utf-16' }, 'invalid_request'],
      ['{"id":1}', { 'content-type': 'application/json; charset=klingon' }, 'invalid_request'],
    ];
    const readers = routeNames.filter((name) => contractOf(name).body !== undefined);
    expect(readers).to.have.length.above(40);
    const before = await User.find().sort({ id: 1 }).lean();
    for (const name of readers) {
      if (contractOf(name).limiter) await forgetLimits(tollgate, 'critical');
      const [method, path] = partsOf(name);
      const { id, cookie } = visitorFor(contractOf(name));
      const refused = wrong.map(async ([body, headers, code], place) => {
        const language = place % 2 === 0 ? 'zh' : 'en';
        const answer = await fetch(tollgate.origin + path.replace(/:\w+/, '1'), {
          method,
          headers: { ...headers, ...(cookie && { cookie, 'new-api-user': String(id) }), 'accept-language': language },
          ...(body !== undefined && { body }),
        });
        const { success, message, ...rest } = (await answer.json()) as { success: boolean; message: string; code: string };
        const what = `${name} ${String(body)} ${JSON.stringify(headers)}: ${answer.status} ${message}`;
        expect([success, rest.code], what).to.deep.equal([false, code]);
        if (language === 'zh') expect(message, what).to.match(/\p{Script=Han}/u);
      });
      await Promise.all(refused);
    }
    expect(await User.find().sort({ id: 1 }).lean()).to.deep.equal(before);
  });

  it('are told in one language', async () => {
    const noBody = parameter(
      'the body must be JSON, with the Content-Type application/json',
      '请求体必须是 JSON，且 Content-Type 为 application/json',
    );
    await expectRefusal(user, ['POST', '/api/token/'], noBody);
    await expectRefusal(user, ['POST', '/api/token/', '[]'], parameter('must be an object', '必须是对象'));
    await expectRefusal(
      user,
      ['POST', '/api/token/', String.raw`{"name":"\udc00"}`],
      ['The body is not valid JSON: a text in it has half a character', '请求体不是合法的 JSON：语法错误'],
    );
    const { en, zh } = await refusals(user, ['POST', '/api/token/', '{"name":']);
    expect([en.status, zh.message]).to.deep.equal([400, '请求体不是合法的 JSON：语法错误']);
  });

  it('are read whatever a client calls UTF-8, and with the mark of it at their beginning', async () => {
    const { id, cookie = '' } = user;
    for (const [charset, mark] of [
      ['; charset=utf8', ''],
      [';charset="UTF8"', ''],
      ['; charset=us-ascii', ''],
      ['; charset=UTF-8', '\ufeff'],
      ['', '\ufeff'],
    ] as const) {
      const headers = { cookie, 'new-api-user': String(id), 'content-type': `application/json${charset}` };
      const body = `${mark}{"name":"named"}`;
      const answer = await fetch(`${tollgate.origin}/api/token/`, { method: 'POST', headers, body });
      expect(await answer.json(), charset).to.deep.include({ success: true });
    }
  });

  it('are taken whole where only a parser could stumble: pairs of halves, escaped backslashes, names that every object has', async () => {
    for (const name of [String.raw`\ud83d\ude00`, String.raw`a\\ud83d`, String.raw`\\\ud83d\ude00`]) {
      const made = await user.ok<{ name: string }>('POST', '/api/token/', `{"name":"${name}"}`);
      expect(made.name).to.equal(JSON.parse(`"${name}"`));
    }
    const odd = '{"__proto__":{"role":100,"unlimited_quota":true},"constructor":{"prototype":{"role":100}},"name":"odd"}';
    expect(await user.ok('POST', '/api/token/', odd)).to.include({ name: 'odd', unlimited_quota: false });
    expect(({} as Record<string, unknown>).role).to.equal(undefined);
    const models = '__proto__,constructor,toString';
    const channel = { name: 'odd', type: 1, key: 'sk-x', base_url: 'https://up.example', models };
    await root.ok('POST', '/api/channel/', { ...channel, model_mapping: '{"__proto__":"a","constructor":"b"}', tag: '__proto__' });
    for (const path of [
      '/api/pricing',
      '/api/user/models',
      '/api/channel/',
      '/api/channel/?tag_mode=true',
      '/api/channel/facets',
      '/api/option/',
    ])
      expect((await root.send('GET', path)).success, path).to.equal(true);
    await root.ok('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    expect(await user.ok('GET', '/api/user/models')).to.have.members(models.split(','));
  });

  it('may hold no line breaks, nothing unseen and no end of the world in what people read on one line', async () => {
    const channel = { type: 1, key: 'k', models: 'm', base_url: 'https://up.example' };
    const asks: ((text: string) => [who: Visitor, ask: Ask])[] = [
      (name) => [user, ['POST', '/api/token/', { name }]],
      (group) => [user, ['POST', '/api/token/', { name: 'n', group }]],
      (display_name) => [user, ['PUT', '/api/user/self', { display_name }]],
      (username) => [root, ['POST', '/api/user/', { username, password: 'long enough' }]],
      (name) => [root, ['POST', '/api/redemption/', { name, quota: 1 }]],
      (name) => [root, ['POST', '/api/channel/', { ...channel, name }]],
      (tag) => [root, ['POST', '/api/channel/', { ...channel, name: 'n', tag }]],
      (new_tag) => [root, ['PUT', '/api/channel/tag', { tag: '__proto__', new_tag }]],
    ];
    for (const text of ['a\nb', 'a\r\nb', 'a\tb', 'a\u0000', 'a\u007fb', 'a\u0085b', 'a\u2028b', 'a\u202eb', 'a\u2066b', 'a\u200eb']) {
      for (const asked of asks) {
        const [who, ask] = asked(text);
        const { en } = await refusals(who, ask);
        expect(en.message, JSON.stringify(ask)).to.match(/: may hold no invisible control characters$/);
      }
    }
    for (const asked of asks) {
      const [who, ask] = asked('x'.repeat(1_500_000));
      expect((await refusals(who, ask)).en.message)
        .to.match(/characters$/)
        .and.to.have.length.below(200);
    }
  });

  it('of addresses are refused where their % signs stand for nothing, and where something stands twice that is one thing', async () => {
    for (const path of ['/api/user/%E0%A4%A', '/api/token/%', '/api/channel/%zz', '/api/oauth/%c3'])
      for (const method of ['GET', 'DELETE'])
        await refusals(root, [method, path]).then(({ en, zh }) => {
          if (en.code === 'not_found') return;
          expect([en.message, zh.message], path).to.deep.equal([
            'the address has a % sign that stands for nothing',
            '地址中的 % 编码不正确',
          ]);
        });
    await expectRefusal(user, ['GET', '/api/token/?keyword=a&keyword=b'], parameter('keyword: must be a text', 'keyword: 必须是文本'));
    for (const path of ['/api/token/', '/api/log/self/', '/api/order/self'])
      expect((await user.send<{ page: number }>('GET', `${path}?p=2&p=3`)).data, path).to.include({ page: 1 });
    await forgetLimits(tollgate, 'critical');
    expectOneLanguage(await refusals(tollgate.anonymous, ['GET', '/api/oauth/github?state=a&state=b']), ['state']);
  });

  it('of spans that end before they begin find nothing, and break nothing', async () => {
    const spans = routeNames.filter((name) => {
      const shape = (contractOf(name).query as { shape?: object } | undefined)?.shape ?? {};
      return name.startsWith('GET ') && 'start_timestamp' in shape && 'end_timestamp' in shape;
    });
    expect(spans).to.have.length.above(10);
    for (const name of spans) {
      const [, path] = partsOf(name);
      for (const span of [
        'start_timestamp=1800000000&end_timestamp=1700000000',
        'start_timestamp=1e11&end_timestamp=1',
        'start_timestamp=-1&end_timestamp=-1',
      ]) {
        const reply = await visitorFor(contractOf(name)).send<{ items?: unknown[]; total?: number }>('GET', `${path}?${span}`);
        expect(reply.status, `${name} ${span}`).to.equal(200);
        if (span.includes('-1')) continue;
        if (Array.isArray(reply.data)) expect(reply.data, name).to.deep.equal([]);
        if (reply.data?.items) expect([reply.data.items, reply.data.total], name).to.deep.equal([[], 0]);
      }
    }
  });
});
