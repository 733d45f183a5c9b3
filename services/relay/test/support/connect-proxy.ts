import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** An HTTP proxy that tunnels, and keeps what it was asked for. */
export interface ConnectProxy {
  /** With a name and a password. */
  url: string;
  /** `host:port credentials` of each tunnel. */
  through: string[];
  close(): void;
}

export const proxyCredentials = `Basic ${Buffer.from('user:secret').toString('base64')}`;

export async function startConnectProxy(): Promise<ConnectProxy> {
  const through: string[] = [];
  const tunnels: Socket[] = [];
  const server = createServer().on('connect', (request, client: Socket) => {
    through.push(`${request.url} ${request.headers['proxy-authorization']}`);
    const [host, port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    tunnels.push(client, upstream);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://user:secret@127.0.0.1:${(server.address() as AddressInfo).port}`,
    through,
    close() {
      for (const socket of tunnels) socket.destroy();
      server.close();
    },
  };
}
