import { createSocket } from 'node:dgram';
import dns from 'node:dns';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type BundledMongo, orSkip, startBundledMongo, startTlsFront, type TlsFront } from '@tollgate/testing';
import { expect } from 'chai';
import { connectDatabase, disconnectDatabase, pingDatabase } from '../src/connect.ts';

const host = 'store-1.cluster.tollgate.test';

describe('a MongoDB behind TLS', function () {
  this.timeout(60_000);
  let store: BundledMongo;
  let front: TlsFront;
  let ca: string;

  before(async function () {
    store = await startBundledMongo();
    front = await orSkip(this, () => startTlsFront({ to: store.port, name: host }));
    ca = await readFile(front.caFile, 'utf8');
  });
  afterEach(disconnectDatabase);
  after(async () => {
    await front?.stop();
    await store?.stop();
  });

  it('is entered with the certificates of who has signed its own, and not without them', async () => {
    const uri = `mongodb://127.0.0.1:${front.port}/encrypted`;
    await connectDatabase(uri, { tls: true, ca });
    await pingDatabase();
    await disconnectDatabase();
    for (const trust of [{ tls: true }, {}]) {
      const refusal = await refused(uri, trust);
      expect(refusal).to.contain('MongoDB does not answer at the address in MONGODB_URI');
    }
    expect(await refused(uri, { tls: true })).to.match(/certificate/);
    expect(await refused(`${uri}?tls=false`, { tls: true, ca })).to.contain('tls');
  });

  it('is found by mongodb+srv://, as the records of its name say', async () => {
    const names = await startNames(front.port);
    try {
      await connectDatabase('mongodb+srv://cluster.tollgate.test/encrypted', { tls: true, ca });
      await pingDatabase();
    } finally {
      names.stop();
    }
  });

  async function refused(uri: string, trust: { tls?: boolean; ca?: string }): Promise<string> {
    return connectDatabase(uri, { timeoutMs: 500, ...trust }).then(
      () => expect.fail('it was entered'),
      (error: Error) => error.message,
    );
  }
});

/** A DNS server that knows one cluster and serves this process until `stop`. The cluster's one host is this machine. */
async function startNames(port: number): Promise<{ stop(): void }> {
  const [servers, { lookup }] = [dns.getServers(), dns];
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => socket.send(answerTo(question, port), from.port, from.address));
  await once(socket.bind(0, '127.0.0.1'), 'listening');
  dns.setServers([`127.0.0.1:${socket.address().port}`]);
  dns.lookup = ((name: string, ...rest: Parameters<typeof lookup> extends [string, ...infer Rest] ? Rest : never) =>
    lookup(name === host ? '127.0.0.1' : name, ...rest)) as typeof lookup;
  return {
    stop() {
      dns.setServers(servers);
      dns.lookup = lookup;
      socket.close();
    },
  };
}

/** The SRV record of `_mongodb._tcp` and a TXT record, https://datatracker.ietf.org/doc/html/rfc2782 */
function answerTo(question: Buffer, port: number): Buffer {
  const asked = question.subarray(12, question.indexOf(0, 12) + 5); // name, type, class
  const isSrv = asked.readUInt16BE(asked.length - 4) === 33;
  const head = Buffer.from([0, 0, 0x85, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
  question.copy(head, 0, 0, 2);
  const target = Buffer.concat([...host.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])), Buffer.from([0])]);
  const text = Buffer.from('authSource=admin');
  const data = isSrv ? Buffer.concat([Buffer.from([0, 0, 0, 0, port >> 8, port & 255]), target]) : Buffer.from([text.length, ...text]);
  const record = Buffer.from([0xc0, 12, 0, isSrv ? 33 : 16, 0, 1, 0, 0, 0, 1, 0, data.length]);
  return Buffer.concat([head, asked, record, data]);
}
