import dns, { type LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';

/** Hosts that lead inside or nowhere, as numbers of all kinds: whoever reads the address can refuse them. */
const hostileHosts = [
  ...['127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '017700000001'],
  ...['0x7f.0x0.0x0.0x1', '127.0.0.1.', '127%2e0.0.1', '127。0。0。1', '①②⑦.⓪.⓪.①', '0.0.0.0', '0'],
  ...['10.0.0.1', '012.0.0.1', '0xa000001', '172.16.0.1', '172.31.255.255', '192.168.1.1', '3232235777', '100.64.0.1', '198.18.0.1'],
  ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.170.2', '100.100.100.200', '192.0.0.192'],
  ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '192.88.99.1', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255'],
  ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:a9fe:a9fe]', '[0:0:0:0:0:ffff:10.0.0.1]'],
  ...['[::127.0.0.1]', '[::a9fe:a9fe]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::7f00:1]'],
  ...['[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2001::1]', '[fe80::1]', '[fc00::1]', '[fd00:ec2::254]', '[fec0::1]', '[ff02::1]'],
  ...['[100::1]', '[2001:db8::1]', '[3fff::1]', '[4000::1]', '[5f00::1]'],
];

/** The name that a test's allow-list has. It leads to this machine, as others do that are not on the list. */
export const namedHost = 'named.example';

/** Names that look harmless and are found out when they are looked up. */
const hostileNames: Record<string, string[]> = {
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'www.localhost': ['127.0.0.1'],
  'four.example': ['127.0.0.1'],
  'six.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'compatible.example': ['::127.0.0.1'],
  'translated.example': ['64:ff9b::7f00:1'],
  'zero.example': ['0.0.0.0'],
  'private.example': ['10.0.0.1'],
  'half-public.example': ['1.1.1.1', '127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  'instance-data.ec2.internal': ['169.254.169.254'],
  '127.0.0.1.nip.example': ['127.0.0.1'],
  'xn--bcher-kva.example': ['127.0.0.1'],
  [`${namedHost}.`]: ['127.0.0.1'],
  [`sub.${namedHost}`]: ['127.0.0.1'],
};

export interface HostileUrls {
  /** That whoever reads the address can refuse. */
  read: string[];
  /** That are found out by a look-up. */
  lookedUp: string[];
}

/** Addresses that nothing of ours may follow, which lead to a listener at `port` of this machine where they lead to this machine. */
export function hostileUrls({ port, scheme }: { port: number; scheme: 'http' | 'https' }): HostileUrls {
  const tricks = [
    ...[`${scheme}://${namedHost}@127.0.0.1:${port}/`, `${scheme}://${namedHost}:80@127.0.0.1:${port}/`, `${scheme}:127.0.0.1:${port}/`],
    ...[`${scheme}://127.0.0.1:${port}#@${namedHost}/`, `${scheme}://127.0.0.1:${port}?@${namedHost}/`],
    ...[`${scheme}://127.0.0.1:${port}\\@${namedHost}/`, `${scheme}:/\\127.0.0.1:${port}/`, `${scheme.toUpperCase()}://127.0.0.1:${port}/`],
    ...[`${scheme}://127.0.0.1:22/`, `${scheme}://127.0.0.1:6379/`, `${scheme}://127.0.0.1:70000/`, `${scheme}://[::1`],
  ];
  const schemes = ['gopher', 'ftp', 'dict', 'ldap', 'tftp', 'jar:http'].map((each) => `${each}://127.0.0.1:${port}/`);
  const others = ['file:///etc/passwd', 'unix:/run/docker.sock', 'javascript:alert(1)', `//127.0.0.1:${port}/`];
  return {
    read: [...hostileHosts.map((host) => `${scheme}://${host}:${port}/`), ...tricks, ...schemes, ...others],
    lookedUp: Object.keys(hostileNames).map((name) => `${scheme}://${name}:${port}/`),
  };
}

/** Hostile names and `namedHost` have the addresses above in this process; names of `.example` and `.internal` besides are known to nobody. */
export function withHostileNames(): { restore(): void } {
  const { lookup } = dns;
  const { resolve4, resolve6 } = Resolver.prototype;
  const known = new Map(Object.entries({ ...hostileNames, [namedHost]: ['127.0.0.1'] }));
  const addressesOf = (name: string) => known.get(name) ?? [];
  const isOurs = (name: string) => known.has(name) || /\.(?:example|internal)$/.test(name);
  const unknown = (name: string) => Object.assign(new Error(`no address of ${name}`), { code: 'ENOTFOUND' });

  const asked = (name: string, options: { all?: boolean }, tell: (...answer: unknown[]) => void) => {
    if (!isOurs(name)) return (lookup as (...all: unknown[]) => void)(name, options, tell);
    const found: LookupAddress[] = addressesOf(name).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const [first] = found;
    setImmediate(() => {
      if (first === undefined) return tell(unknown(name));
      if (options.all) return tell(null, found);
      tell(null, first.address, first.family);
    });
  };
  const resolved = (isSix: boolean) => async (name: string) => {
    const found = addressesOf(name).filter((address) => address.includes(':') === isSix);
    if (found.length === 0) throw unknown(name);
    return found;
  };
  dns.lookup = ((name: string, ...rest: unknown[]) =>
    rest.length === 1 ? asked(name, {}, rest[0] as () => void) : asked(name, rest[0] as object, rest[1] as () => void)) as typeof lookup;
  Object.assign(Resolver.prototype, { resolve4: resolved(false), resolve6: resolved(true) });
  syncBuiltinESMExports();
  return {
    restore() {
      dns.lookup = lookup;
      Object.assign(Resolver.prototype, { resolve4, resolve6 });
      syncBuiltinESMExports();
    },
  };
}

/** Listens on all addresses of this machine and counts who comes: nobody should. */
export async function startTrap(): Promise<{ port: number; connections(): number; close(): Promise<void> }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  server.listen(0, '::');
  await once(server, 'listening').catch(async () => {
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
  });
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => count,
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}
