import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Route, routeNames, routes } from '@tollgate/contracts';
import { expect } from 'chai';
import { startConsole, type TestConsole, type Visitor } from './support/console.ts';
import { forgetLimits } from './support/limits.ts';
import { setOptions } from './support/options.ts';

interface Answer {
  status: number;
  code: string;
  message: string;
}

/** What browsers send for what is no script, from a page of our own: over https and on loopback, and over plain http. */
const initiators: Record<string, { accept: string; destination: string; mode: string }> = {
  image: { accept: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', destination: 'image', mode: 'no-cors' },
  frame: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', destination: 'iframe', mode: 'navigate' },
  link: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', destination: 'document', mode: 'navigate' },
  stylesheet: { accept: 'text/css,*/*;q=0.1', destination: 'style', mode: 'no-cors' },
  script: { accept: '*/*', destination: 'script', mode: 'no-cors' },
  video: { accept: '*/*', destination: 'video', mode: 'no-cors' },
};

describe('what sends a request', () => {
  let tollgate: TestConsole;
  let user: Visitor;
  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    user = await tollgate.newUser();
  });
  after(() => tollgate.close());
  beforeEach(() => forgetLimits(tollgate, 'critical'));

  /** Exactly these headers: fetch adds some of its own. */
  async function ask(method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> {
    const { hostname, port } = new URL(tollgate.origin);
    const sent = request({ hostname, port, method, path, headers: { ...(body && { 'content-length': body.length }), ...headers } });
    sent.end(body);
    const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) =>
      sent.on('response', resolve).on('error', reject),
    );
    const said = await text(answer);
    const { code = '', message = '' } = said.startsWith('{') ? (JSON.parse(said) as Partial<Answer>) : {};
    return { status: answer.statusCode ?? 0, code, message };
  }

  const isRefused = ({ status, code }: Answer) => status === 401 || code === 'navigation_refused';
  const open = (route: Route) => route.csrfExempt === true;
  const pathOf = (name: string) => (name.split(' ')[1] ?? '').replace(/:\w+/, '1');

  for (const [initiator, { accept, destination, mode }] of Object.entries(initiators))
    it(`is refused at every address that is not exempt when it is ${initiator === 'image' ? 'an image' : `a ${initiator}`}`, async () => {
      const metadata = { 'sec-fetch-dest': destination, 'sec-fetch-mode': mode, 'sec-fetch-site': 'same-origin' };
      for (const name of routeNames.filter((each) => each.startsWith('GET ') && !open(routes[each])))
        for (const more of [metadata, {}]) {
          const answer = await ask('GET', pathOf(name), {
            accept,
            cookie: user.cookie ?? '',
            referer: `${tollgate.origin}/playground`,
            ...more,
          });
          expect(isRefused(answer), `${name} ${JSON.stringify(more)}`).to.equal(true);
        }
      await user.ok('GET', '/api/user/self');
    });

  it('is refused at every address that is not exempt when it is a form', async () => {
    const headers = {
      accept: initiators.link?.accept ?? '',
      cookie: user.cookie ?? '',
      origin: tollgate.origin,
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'same-origin',
    };
    for (const name of routeNames.filter((each) => !open(routes[each]))) {
      const [method = ''] = name.split(' ');
      const answer = await ask(method, pathOf(name), headers, method === 'GET' ? undefined : 'username=root&password=x');
      expect(isRefused(answer), name).to.equal(true);
    }
  });

  it('needs no proof only where nothing changes, or where the message is the proof', () => {
    const keyed = ['GET /api/log/token', 'POST /api/token/child'];
    const signed = [...keyed, 'POST /api/user/stripe/webhook', 'GET /api/user/epay/notify', 'POST /api/user/epay/notify'];
    const exempt = routeNames.filter((name) => open(routes[name]));
    expect(exempt.filter((name) => !name.startsWith('GET ') && !signed.includes(name))).to.deep.equal([]);
    for (const name of exempt) expect((routes[name] as Route).access, name).to.be.oneOf(['anyone', 'visitor']);
    expect(exempt.filter((name) => (routes[name] as Route).limiter)).to.deep.equal([]);
  });

  it('may be any client that names its user, asks for JSON, or is a script by its own account', async () => {
    const proofs: Record<string, string>[] = [
      { 'new-api-user': '-1' },
      { 'x-requested-with': 'XMLHttpRequest' },
      { accept: 'application/json, text/plain, */*' },
      { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin' },
    ];
    for (const proof of proofs) expect((await ask('GET', '/api/oauth/state', proof)).status, JSON.stringify(proof)).to.equal(200);
    expect(await ask('GET', '/api/oauth/state')).to.include({ code: 'navigation_refused' });
    const authorization = await user.ok<string>('GET', '/api/user/token');
    expect((await ask('GET', '/api/user/self', { authorization, 'new-api-user': String(user.id) })).status).to.equal(200);
  });

  it('passes where its Origin is the site’s own address or its browser calls it same-origin', async () => {
    await setOptions(tollgate, { ServerAddress: 'https://site.example' });
    const write = (headers: Record<string, string>) =>
      ask(
        'PUT',
        '/api/user/self',
        { cookie: user.cookie ?? '', 'new-api-user': String(user.id), 'content-type': 'application/json', ...headers },
        '{"display_name":"x"}',
      );
    expect((await write({ origin: 'https://site.example', host: '127.0.0.1:3000' })).code, 'proxy_pass alone').to.equal('');
    expect((await write({ origin: 'https://site.example:8443', host: 'site.example', 'sec-fetch-site': 'same-origin' })).status).to.equal(
      200,
    );
    const foreign: (Record<string, string> & { origin: string })[] = [
      { origin: 'https://evil.example' },
      { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' },
      { origin: 'null' },
      { origin: 'https://site.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.site.example', 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of foreign) {
      const answer = await write({ host: 'site.example', ...headers });
      expect(answer.code, JSON.stringify(headers)).to.equal('origin_refused');
      expect(answer.message).to.contain(headers.origin).and.contain('site.example');
    }
    await setOptions(tollgate, { ServerAddress: '' });
  });
});
