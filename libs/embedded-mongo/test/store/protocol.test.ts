import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { serialize } from 'bson';
import { expect } from 'chai';
import { MongoClient, startStore } from '../servers.ts';

describe('Bytes that no driver sends', () => {
  let store: Awaited<ReturnType<typeof startStore>>;
  before(async () => {
    store = await startStore();
  });
  after(() => store.stop());

  /** What comes back on a connection of its own, until the server closes it or the answer is whole. */
  async function exchange(...chunks: Buffer[]): Promise<Buffer> {
    const socket: Socket = connect(store.port, '127.0.0.1');
    await once(socket, 'connect');
    let answer = Buffer.alloc(0);
    const finished = new Promise<void>((resolve) => {
      socket.on('close', () => resolve());
      socket.on('error', () => resolve());
      socket.on('data', (chunk: Buffer) => {
        answer = Buffer.concat([answer, chunk]);
        if (answer.length >= 4 && answer.length >= answer.readInt32LE(0)) resolve();
      });
    });
    for (const chunk of chunks) socket.write(chunk);
    await finished;
    socket.destroy();
    return answer;
  }
  const framed = (opCode: number, body: Buffer): Buffer => {
    const head = Buffer.alloc(16);
    for (const [i, value] of [16 + body.length, 7, 0, opCode].entries()) head.writeInt32LE(value, i * 4);
    return Buffer.concat([head, body]);
  };
  const message = (document: Uint8Array, flags = 0): Buffer => framed(2013, Buffer.concat([Buffer.from([flags, 0, 0, 0, 0]), document]));
  const errorOf = (answer: Buffer) => answer.toString('latin1');

  it('close the connection when the length is impossible', async () => {
    for (const length of [0, 5, -1, 2_000_000_000]) {
      const head = Buffer.alloc(16);
      head.writeInt32LE(length, 0);
      expect(await exchange(head)).to.have.length(0);
    }
  });

  it('are answered with an error when the document is damaged', async () => {
    const document = Buffer.from(serialize({ ping: 1, $db: 'admin', text: 'abc' }));
    for (const at of [0, 4, document.length - 9]) {
      const damaged = Buffer.from(document);
      damaged[at] = 0xee;
      expect(errorOf(await exchange(message(damaged)))).to.match(/errmsg/);
    }
    expect(errorOf(await exchange(framed(2012, Buffer.alloc(20))))).to.contain('unsupported message kind');
    expect(errorOf(await exchange(message(Buffer.from(serialize({})))))).to.contain('no such command');
  });

  it('are understood in any pieces, several at once, and with a checksum', async () => {
    const ping = message(serialize({ ping: 1, $db: 'admin' }));
    expect(errorOf(await exchange(...Array.from(ping, (byte) => Buffer.from([byte]))))).to.contain('ok');
    const summed = message(Buffer.concat([serialize({ ping: 1, $db: 'admin' }), Buffer.alloc(4)]), 1);
    expect(errorOf(await exchange(summed))).to.contain('ok');
    expect(errorOf(await exchange(Buffer.concat([ping, ping])))).to.contain('ok');
  });

  it('that ask for no answer are obeyed in silence', async () => {
    const silent = message(serialize({ insert: 'quiet', documents: [{ _id: 1 }], $db: 't' }), 2);
    const answer = await exchange(Buffer.concat([silent, message(serialize({ count: 'quiet', $db: 't' }))]));
    expect(answer.readInt32LE(0)).to.equal(answer.length);
    expect(errorOf(answer)).to.match(/n\0/);
  });

  it('nested too deeply are refused', async () => {
    let document: Record<string, unknown> = {};
    for (let i = 0; i < 200; i++) document = { a: document };
    expect(errorOf(await exchange(message(serialize({ insert: 'deep', documents: [document], $db: 't' }))))).to.contain('nested deeper');
  });

  it('disturb no other client', async () => {
    const client = await MongoClient.connect(store.uri);
    expect(await client.db('t').collection<{ _id: number }>('quiet').findOne({ _id: 1 })).to.deep.equal({ _id: 1 });
    await client.close();
  });
});
