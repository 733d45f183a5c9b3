import { eventually, startBundledMongo, startRedis } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { startConsole, type TestConsole } from './support/console.ts';

describe('without its engines', () => {
  it('says 503 and when to come back while Redis is away, and goes on when it is there again', async () => {
    const redis = await startRedis();
    const tollgate = await startConsole({ REDIS_URL: redis.url });
    try {
      await redis.kill9();
      const self = await tollgate.root.send('GET', '/api/user/self');
      expect(self).to.include({ status: 503, success: false, message: 'The service is unavailable, please try again soon' });
      expect(self.headers.get('retry-after')).to.equal('2');
      expect((await tollgate.anonymous.send('POST', '/api/user/login', { username: 'root', password: 'x' })).status).to.equal(503);
      expect((await tollgate.anonymous.send('GET', '/api/status')).status).to.equal(200);
      const probe = await fetch(`${tollgate.origin}/readyz`);
      expect([probe.status, await probe.text()]).to.deep.equal([503, 'not ready\n']);
      await redis.restart();
      await untilSignedIn(tollgate);
    } finally {
      await tollgate.close();
      await redis.stop();
    }
  });

  it('says 503 while Redis has no room to write, or will not write for another reason', async () => {
    const redis = await startRedis();
    const tollgate = await startConsole({ REDIS_URL: redis.url });
    const client = new Redis(redis.url);
    try {
      await client.config('SET', 'min-replicas-to-write', '1');
      const login = await tollgate.anonymous.send('POST', '/api/user/login', { username: 'root', password: 'root for tests' });
      expect(login).to.include({ status: 503, success: false, code: 'service_unavailable' });
      await client.config('SET', 'min-replicas-to-write', '0');
      await untilSignedIn(tollgate);
    } finally {
      client.disconnect();
      await tollgate.close();
      await redis.stop();
    }
  });

  it('says 503 while the database is away, and goes on when it is there again', async function () {
    this.timeout(120_000);
    const store = await startBundledMongo();
    const tollgate = await startConsole({ MONGODB_URI: `${store.uri}console` });
    try {
      await store.kill9();
      expect(await tollgate.root.send('GET', '/api/user/self')).to.include({ status: 503, success: false });
      expect((await tollgate.anonymous.send('GET', '/api/status')).status).to.equal(200);
      await store.restart();
      await untilSignedIn(tollgate);
    } finally {
      await tollgate.close();
      await store.stop();
    }
  });

  async function untilSignedIn(tollgate: TestConsole): Promise<void> {
    await eventually(async () => {
      const { success } = await (await tollgate.signIn('root', 'root for tests')).send('GET', '/api/user/self');
      expect(success).to.equal(true);
    });
  }
});
