import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Channel } from '@tollgate/db';
import { copiedDeletedAndTagged } from './channels/copied-deleted-and-tagged.ts';
import { keysAndProxies } from './channels/keys-and-proxies.ts';
import { madeFoundAndEdited } from './channels/made-found-and-edited.ts';
import { measured } from './channels/measured.ts';
import { models } from './channels/models.ts';
import { refused } from './channels/refused.ts';
import { body, type Scene } from './channels/scene.ts';
import { severalKeys } from './channels/several-keys.ts';
import { startConsole, type TestConsole, type Visitor } from './support/console.ts';

describe('channels', () => {
  let tollgate: TestConsole;
  let admin: Visitor;
  let upstream: Server;
  let upstreamUrl: string;

  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0', EGRESS_ALLOW: '127.0.0.1' });
    admin = await tollgate.newUser({ admin: true });
    upstream = createServer((request, response) => {
      const good = request.headers.authorization === `Bearer ${body.key}`;
      response.writeHead(good ? 200 : 401, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          good
            ? { object: 'list', data: [{ id: 'm1' }, { id: 'm2' }] }
            : { error: { message: `Incorrect key ${request.headers.authorization}`, type: 'x' } },
        ),
      );
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  });
  after(async () => {
    upstream.close();
    await tollgate.close();
  });
  beforeEach(() => Channel.deleteMany({}));

  const scene = (): Scene => ({ tollgate, admin, upstreamUrl });
  madeFoundAndEdited(scene);
  refused(scene);
  keysAndProxies(scene);
  copiedDeletedAndTagged(scene);
  models(scene);
  measured(scene);
  describe('with several keys', () => severalKeys(scene));
});
