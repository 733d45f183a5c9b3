import { once } from 'node:events';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { findProgram, startRedis } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { type Installation, installation } from './tollgate.ts';

describe('a start that cannot work', function () {
  this.timeout(180_000);
  let here: Installation;

  beforeEach(async () => {
    here = await installation();
  });
  afterEach(() => here.remove());

  async function refusal(env: Record<string, string>): Promise<string> {
    const command = here.run(['start'], { env });
    expect(await command.ended).to.equal(1);
    expect(command.output()).to.not.match(/^\s+at .*\.ts:\d+/m); // words, not a stack
    return command.output();
  }

  it('lists every wrong setting by its name', async () => {
    const words = await refusal({ LOG_LEVEL: 'loud', PORT: 'http', REDIS_URL: 'localhost', DATA_DIR: '~/tollgate' });
    for (const name of ['LOG_LEVEL', 'PORT', 'REDIS_URL', 'DATA_DIR']) expect(words).to.contain(`${name}:`);
  });

  it('lists those, too, that only one service or another reads', async () => {
    const words = await refusal({
      TRUSTED_PROXIES: 'nonsense',
      SWEEP_SECONDS: 'often',
      RELAY_QUEUE_MS: '-1',
      API_REQUESTS_PER_MINUTE: 'few',
    });
    for (const name of ['TRUSTED_PROXIES', 'SWEEP_SECONDS', 'RELAY_QUEUE_MS', 'API_REQUESTS_PER_MINUTE'])
      expect(words).to.contain(`${name}:`);
  });

  it('names an option that no command has: a slip in one must not be taken for its absence', async () => {
    for (const [slip, ...args] of [
      ['--fresch', 'start', '--fresch'],
      ['--without-secret', 'backup', '--to', here.dataDir, '--without-secret'],
      ['--form', 'restore', '--form', here.dataDir],
      ['--agian', 'copy-data', '--to', 'mongodb://127.0.0.1:9/tollgate', '--agian'],
    ]) {
      const command = here.run(args);
      expect(await command.ended, command.output()).to.equal(1);
      expect(command.output())
        .to.contain(`'${slip}'`)
        .and.to.contain(`npm ${args[0] === 'start' ? '' : 'run '}${args[0]} `);
    }
  });

  it('names those, too, that say how a given engine is reached', async () => {
    const file = join(here.dataDir, 'missing.pem');
    const redis = { REDIS_URL: 'rediss://127.0.0.1:9' };
    expect(await refusal({ ...redis, REDIS_CA_FILE: file })).to.contain(`REDIS_CA_FILE: ${file} cannot be read (ENOENT)`);
    expect(await refusal({ MONGODB_URI: 'mongodb://127.0.0.1:9/tollgate', MONGODB_CA_FILE: file })).to.contain('MONGODB_CA_FILE:');
    expect(await refusal({ BUS_URL: 'kafka://127.0.0.1:9', KAFKA_TLS: 'true', KAFKA_CA_FILE: file })).to.contain('KAFKA_CA_FILE:');
    expect(await refusal({ ...redis, REDIS_SENTINELS: ':' })).to.contain('REDIS_SENTINELS:');
  });

  it('names the folder for large uploads that cannot be written to', async () => {
    const folder = join(here.dataDir, 'missing');
    expect(await refusal({ RELAY_SPOOL_DIR: folder })).to.contain(`RELAY_SPOOL_DIR: ${folder} cannot be written to (ENOENT)`);
  });

  it('names the file of settings that was named and is not there, or is none', async () => {
    for (const file of [join(here.dataDir, 'missing'), here.dataDir]) {
      expect(await refusal({ ENV_FILE: file }))
        .to.contain(file)
        .and.to.contain('ENV_FILE');
    }
  });

  it('says why the data folder cannot be used', async () => {
    const file = join(here.dataDir, 'file');
    writeFileSync(file, '');
    const tooLong = join(here.dataDir, ...Array.from({ length: 5 }, () => 'x'.repeat(100)));
    for (const place of [join(file, 'data'), tooLong, ...(existsSync('/proc/self') ? ['/proc/tollgate/data'] : [])])
      expect(await refusal({ DATA_DIR: place }))
        .to.contain(place)
        .and.to.contain('DATA_DIR');
  });

  it('names HOST when this machine has no such address', async () => {
    for (const address of ['192.0.2.1', 'fe80::1', 'no-such-host.invalid'])
      expect(await refusal({ HOST: address }))
        .to.contain(`no address ${address}`)
        .and.to.contain('HOST=127.0.0.1 npm start');
  });

  it('names METRICS_PORT when one of its ports is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await refusal({ METRICS_PORT: String(port) }))
      .to.contain(`METRICS_PORT`)
      .and.to.contain(`port ${port} is taken`);
    other.close();
  });

  it('names MONGODB_URI when nothing answers there, and hides its password', async () => {
    const words = await refusal({ MONGODB_URI: 'mongodb://someone:hunter2@127.0.0.1:9/tollgate' });
    expect(words).to.contain('MONGODB_URI').and.to.contain('127.0.0.1:9').and.to.not.contain('hunter2');
  });

  it('names REDIS_URL when nothing answers there, and hides its password', async () => {
    const words = await refusal({ REDIS_URL: 'redis://:hunter2@127.0.0.1:9' });
    expect(words).to.contain('REDIS_URL').and.to.contain('ECONNREFUSED').and.to.not.contain('hunter2');
  });

  it('takes REDIS_URL from a file, and then needs no redis-server on this machine', async () => {
    const file = join(here.dataDir, 'redis-url');
    writeFileSync(file, 'redis://:hunter2@127.0.0.1:9\n');
    symlinkSync((await findProgram('mkfifo')) ?? '', join(here.dataDir, 'mkfifo'));
    const words = await refusal({ REDIS_URL_FILE: file, PATH: here.dataDir });
    expect(words).to.contain('REDIS_URL').and.to.contain('ECONNREFUSED').and.to.not.contain('hunter2');
  });

  it('names BUS_URL when no Kafka answers there', async () => {
    expect(await refusal({ BUS_URL: 'kafka://127.0.0.1:9' })).to.contain('BUS_URL');
  });

  it('refuses a Redis that evicts, with the command that repairs it', async () => {
    const redis = await startRedis({ args: ['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru'] });
    const words = await refusal({ REDIS_URL: redis.url });
    expect(words).to.contain('allkeys-lru').and.to.contain('CONFIG SET maxmemory-policy noeviction');
    await redis.stop();
  });

  it('refuses a Redis user without rights, and a Redis that wants a password', async () => {
    const redis = await startRedis();
    const admin = new Redis(redis.url);
    await admin.acl('SETUSER', 'reader', 'on', '>secret-reader', '~*', '+@read', '+@connection');
    const { port } = redis;
    expect(await refusal({ REDIS_URL: `redis://reader:secret-reader@127.0.0.1:${port}` }))
      .to.contain('lacks rights')
      .and.to.contain('ACL SETUSER')
      .and.to.not.contain('secret-reader');
    await admin.config('SET', 'requirepass', 'needed');
    expect(await refusal({ REDIS_URL: `redis://127.0.0.1:${port}` })).to.contain('password');
    admin.disconnect();
    await redis.stop();
  });
});
