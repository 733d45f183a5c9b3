import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { AppError, addressPolicy, createEgress, egressEnv, loadConfig, openEgress } from '../src/index.ts';

const inside = [
  ...[
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0.0.0.0',
    '0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
  ],
  ...[
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
  ],
  ...[
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:10.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd12:3456::1]',
    '[fec0::1]',
    '[ff02::1]',
  ],
  ...['[2002:7f00:1::]', '[64:ff9b::7f00:1]', '[64:ff9b:1::1]', '[2001::1]', '[2001:db8::1]', '[100::1]', '[3fff::1]', '[5f00::1]'],
  ...['[::127.0.0.1]', '[::a9fe:a9fe]', '[::ffff:0:127.0.0.1]', '[1::1]', '[4000::1]', '[8000::1]'],
].map((host) => `http://${host}/v1`);
const malformed = [
  ...[
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://example.com/',
    'javascript:alert(1)',
    'data:text/plain,x',
    'ws://example.com/',
    'unix:/run/docker.sock',
  ],
  ...[
    'http://user:pass@example.com/',
    'http://user@example.com/',
    'https://:x@example.com/',
    '',
    'not an address',
    '//example.com/',
    'http://',
    'http://[::1',
    'http://exa mple.com/',
  ],
];
const outside = ['http://1.1.1.1/', 'https://8.8.8.8/', 'https://[2606:4700:4700::1111]/', 'https://api.openai.com/v1'];

describe('egress', () => {
  const strict = createEgress({ allow: [] });
  after(() => strict.close());

  for (const address of inside) {
    it(`refuses ${address}, which leads inside`, () => {
      expect(() => strict.check(address))
        .to.throw(AppError)
        .with.property('code', 'egress_refused');
    });
  }
  for (const address of malformed) {
    it(`refuses "${address}", which is no plain http(s) address`, () => {
      expect(() => strict.check(address)).to.throw(AppError);
    });
  }
  for (const address of outside) it(`lets ${address} pass`, () => expect(strict.check(address).href).to.be.a('string'));

  it('takes allowed ranges and names literally', () => {
    const policy = addressPolicy(['10.1.0.0/16', '::1', 'ollama.internal']);
    expect(policy.allowsAddress('10.1.2.3')).to.equal(true);
    expect(policy.allowsAddress('10.2.0.1')).to.equal(false);
    expect(policy.allowsAddress('::1')).to.equal(true);
    expect(policy.allowsName('OLLAMA.internal')).to.equal(true);
    expect(policy.allowsName('evil.internal')).to.equal(false);
  });
  it('refuses to start with an entry that means nothing', () => {
    const wrong = { EGRESS_ALLOW: '10.0.0.0/99', EGRESS_ALLOW_SERVICES: 'http://localhost', EGRESS_ALLOW_USERS: 'a b' };
    for (const [name, value] of Object.entries(wrong)) expect(() => loadConfig(egressEnv, { [name]: value })).to.throw(`${name}: ${value}`);
  });

  describe('by who typed the address', () => {
    const allowed = (env: Record<string, string>) => {
      const egress = openEgress(loadConfig(egressEnv, env));
      after(() => egress.close());
      return (['channels', 'services', 'users'] as const).map((origin) => {
        try {
          egress[origin].check('http://10.0.0.1/');
          return true;
        } catch (error) {
          return (error as AppError).message;
        }
      });
    };
    const refusedBy = (setting: string) => `The address 10.0.0.1 is in a private range; allow it with ${setting}`;

    it('reaches public addresses only where nothing is allowed', () => {
      expect(allowed({})).to.deep.equal(['EGRESS_ALLOW', 'EGRESS_ALLOW', 'EGRESS_ALLOW_USERS'].map(refusedBy));
    });
    it('opens nothing to callers that is allowed to channels', () => {
      expect(allowed({ EGRESS_ALLOW: '10.0.0.0/8' })).to.deep.equal([true, true, refusedBy('EGRESS_ALLOW_USERS')]);
    });
    it('takes each list for its own origin alone', () => {
      const services = { EGRESS_ALLOW: '10.0.0.0/8', EGRESS_ALLOW_SERVICES: '192.168.0.1' };
      expect(allowed(services)).to.deep.equal([true, refusedBy('EGRESS_ALLOW_SERVICES'), refusedBy('EGRESS_ALLOW_USERS')]);
      expect(allowed({ EGRESS_ALLOW_USERS: '10.0.0.1' })).to.deep.equal([refusedBy('EGRESS_ALLOW'), refusedBy('EGRESS_ALLOW'), true]);
    });
  });

  describe('at connect', () => {
    let server: Server;
    let port: number;
    before(async () => {
      server = createServer((request, response) => {
        if (request.url === '/big') return void response.end('x'.repeat(5000));
        if (request.url === '/away') return void response.writeHead(302, { location: 'http://127.0.0.1/' }).end();
        response.end('hello');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      port = (server.address() as AddressInfo).port;
    });
    after(() => server.close());

    it('refuses a name that resolves inside, though the name itself looks harmless', async () => {
      const error = await strict.exchange(`http://localhost:${port}/`).catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(AppError).with.property('code', 'egress_refused');
    });
    it('reaches what is allowed, by name and by range, and follows no redirect', async () => {
      for (const [allow, host] of [
        ['localhost', 'localhost'],
        ['127.0.0.0/8', '127.0.0.1'],
      ] as const) {
        const egress = createEgress({ allow: [allow] });
        expect((await egress.exchange(`http://${host}:${port}/`)).body.toString()).to.equal('hello');
        expect((await egress.exchange(`http://${host}:${port}/away`)).status).to.equal(302);
        await egress.close();
      }
    });
    it('lets nobody wait for another one’s question, be it one that HTTP does not allow or one to a host that says nothing', async () => {
      const silent = createTcpServer();
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const address = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
      const egress = createEgress({ allow: ['127.0.0.1'], connectTimeoutMs: 200 });
      const ask = (headers: Record<string, string> = {}) => egress.exchange(address, { headers }).catch((caught: Error) => caught.name);
      expect(await ask({ authorization: 'Bearer e\u0301' })).to.equal('InvalidArgumentError');
      const all = Promise.all(Array.from({ length: 30 }, () => ask()));
      expect(await Promise.race([all, delay(10_000, 'still waiting')])).to.deep.equal(Array(30).fill('ConnectTimeoutError'));
      await egress.close();
      silent.close();
    });
    it('stops reading an answer that is too large', async () => {
      const egress = createEgress({ allow: ['127.0.0.1'] });
      const error = await egress.exchange(`http://127.0.0.1:${port}/big`, { maxBytes: 1000 }).catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(AppError).with.property('code', 'upstream_bad_answer');
      await egress.close();
    });
  });
});
