import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { createEgress, type Egress } from '../src/index.ts';

/** The targets and credentials that a proxy received. */
interface Seen {
  targets: string[];
  credentials: string[];
}

const listening = async (server: {
  listen(port: number, host: string, done: () => void): unknown;
  address(): unknown;
}): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

function httpProxy(seen: Seen, { status = 200 } = {}): Server {
  return createServer().on('connect', (request, client: Socket) => {
    seen.targets.push(request.url ?? '');
    seen.credentials.push(request.headers['proxy-authorization'] ?? '');
    if (status !== 200) return void client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const [host, port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
}

/** SOCKS 5 with username and password. Source: RFC 1928 and 1929 */
function socksProxy(seen: Seen) {
  return createTcpServer(async (client) => {
    client.on('error', () => undefined);
    const read = async () => (await new Promise<Buffer>((resolve) => client.once('data', resolve))) as Buffer;
    await read();
    client.write(Buffer.from([5, 2]));
    const login = await read();
    const nameLength = login[1] ?? 0;
    seen.credentials.push(`${login.toString('utf8', 2, 2 + nameLength)}:${login.toString('utf8', 3 + nameLength)}`);
    client.write(Buffer.from([1, 0]));
    const asked = await read();
    const address = [...asked.subarray(4, 8)].join('.');
    const port = asked.readUInt16BE(8);
    seen.targets.push(asked[3] === 1 ? `${address}:${port}` : `a name: ${asked.toString()}`);
    const upstream = connect(port, address, () => {
      client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
      upstream.pipe(client).pipe(upstream);
    });
    client.on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
}

describe('a way out through a proxy', () => {
  const seen: Seen = { targets: [], credentials: [] };
  let egress: Egress;
  let port: number;
  const servers: { close(): unknown; closeAllConnections?(): void }[] = [];
  const start = async (server: Parameters<typeof listening>[0] & { close(): unknown }) => {
    servers.push(server);
    return listening(server);
  };
  before(async () => {
    port = await start(createServer((_request, response) => response.end('hello')));
    egress = createEgress({ allow: ['127.0.0.0/8', 'localhost'], connectTimeoutMs: 2000 });
  });
  after(async () => {
    await egress.destroy();
    for (const server of servers) {
      server.closeAllConnections?.();
      server.close();
    }
  });
  beforeEach(() => {
    seen.targets = [];
    seen.credentials = [];
  });

  it('is HTTP’s CONNECT: the proxy is told an address, never a name', async () => {
    const proxy = `http://user:p%40ss@127.0.0.1:${await start(httpProxy(seen))}`;
    const answer = await egress.exchange(`http://localhost:${port}/`, { proxy });
    expect(answer.body.toString()).to.equal('hello');
    expect(seen.targets).to.deep.equal([`127.0.0.1:${port}`]);
    expect(seen.credentials).to.deep.equal([`Basic ${Buffer.from('user:p@ss').toString('base64')}`]);
  });

  it('is told a password as it was typed where its % stand for nothing', async () => {
    const proxy = `http://user:50%off@127.0.0.1:${await start(httpProxy(seen))}`;
    expect((await egress.exchange(`http://127.0.0.1:${port}/`, { proxy })).body.toString()).to.equal('hello');
    expect(seen.credentials).to.deep.equal([`Basic ${Buffer.from('user:50%off').toString('base64')}`]);
  });

  it('is SOCKS 5, with name and password', async () => {
    const proxy = `socks5://user:secret@127.0.0.1:${await start(socksProxy(seen))}`;
    const answers = await Promise.all([1, 2].map(() => egress.exchange(`http://localhost:${port}/`, { proxy })));
    for (const { body } of answers) expect(body.toString()).to.equal('hello');
    expect(seen.targets).to.include(`127.0.0.1:${port}`);
    expect(seen.credentials).to.include('user:secret');
  });

  it('leads nowhere that may not be called directly, and through no proxy that may not be', async () => {
    const proxy = `http://127.0.0.1:${await start(httpProxy(seen))}`;
    const failures = [
      egress.exchange('http://10.0.0.1/', { proxy }),
      egress.exchange(`http://localhost:${port}/`, { proxy: 'http://10.0.0.1:3128' }),
      egress.exchange(`http://localhost:${port}/`, { proxy: 'socks5://169.254.169.254:1080' }),
    ];
    for (const failure of failures) expect(await failure.catch((error: unknown) => error)).to.have.property('code', 'egress_refused');
    expect(seen.targets).to.deep.equal([]);
    for (const address of ['ftp://127.0.0.1', 'nothing', 'socks4://127.0.0.1:1080']) {
      expect(() => egress.through(address), address).to.throw('must be an address');
    }
  });

  it('fails when the proxy refuses, says nothing, or talks without end', async () => {
    const refusing = await start(httpProxy(seen, { status: 407 }));
    const silent = await start(createTcpServer(() => undefined));
    const endless = await start(createTcpServer((client) => void client.on('error', () => undefined).write('x'.repeat(100_000))));
    for (const proxyPort of [refusing, silent, endless]) {
      const failure = await egress
        .exchange(`http://127.0.0.1:${port}/`, { proxy: `http://127.0.0.1:${proxyPort}`, timeoutMs: 5000 })
        .catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(Error);
    }
  });

  it('fails at once when the proxy says a page behind its yes, as those of hotels do: no server speaks first', async () => {
    let connections = 0;
    const talking = createTcpServer((client) => {
      connections += 1;
      client.on('error', () => undefined);
      client.once('data', () => client.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>welcome</html>'));
    });
    const proxy = `http://127.0.0.1:${await start(talking)}`;
    const failure = await egress.exchange(`http://127.0.0.1:${port}/`, { proxy, timeoutMs: 1000 }).catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'the proxy answered with a page of its own');
    expect(connections).to.equal(1);
  });
});
