import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import { eventually, orSkip, type RedisServer, sharedKafka, startRedis } from '../src/index.ts';

describe('a redis-server of the test', () => {
  let server: RedisServer;
  before(async () => {
    server = await startRedis({ appendfsync: 'always' });
  });
  after(() => server.stop());

  it('keeps what was written over a kill -9 and a restart', async () => {
    const client = new Redis(server.url, { retryStrategy: () => 20 });
    client.on('error', () => undefined);
    await client.set('a', '1');
    const before = server.pid;
    await server.kill9();
    await server.restart();
    await eventually(async () => expect(await client.get('a')).to.equal('1'));
    expect(server.pid).not.to.equal(before);
    expect(await client.config('GET', 'maxmemory-policy')).to.deep.equal(['maxmemory-policy', 'noeviction']);
    client.disconnect();
  });

  it('removes its folder when it is stopped', async () => {
    const other = await startRedis();
    expect(existsSync(other.dir)).to.equal(true);
    await other.stop();
    expect(existsSync(other.dir)).to.equal(false);
    expect(isAlive(other.pid)).to.equal(false);
  });
});

describe('a test process that dies', () => {
  const script = `
    const { startRedis } = await import(${JSON.stringify(join(import.meta.dirname, '../src/index.ts'))});
    const server = await startRedis();
    console.log(JSON.stringify({ pid: server.pid, dir: server.dir }));
    if (process.argv[1] === 'hang') setInterval(() => {}, 1000);
    if (process.argv[1] === 'exit') process.exit(1);
    if (process.argv[1] === 'throw') setTimeout(() => { throw new Error('on purpose'); }, 10);
  `;

  for (const ending of ['end', 'exit', 'throw']) {
    it(`takes its engines along (${ending})`, async () => {
      const output = await new Promise<string>((resolve) => {
        execFile(process.execPath, ['--input-type=module', '-e', script, ending], (_error, stdout) => resolve(stdout));
      });
      const { pid, dir } = JSON.parse(output) as { pid: number; dir: string };
      await eventually(() => expect(isAlive(pid)).to.equal(false));
      await eventually(() => expect(existsSync(dir)).to.equal(false));
    });
  }

  it('takes its engines along, also by kill -9', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, 'hang'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const { pid, dir } = JSON.parse(String(await new Promise((resolve) => child.stdout.once('data', resolve)))) as {
      pid: number;
      dir: string;
    };
    expect(isAlive(pid)).to.equal(true);
    child.kill('SIGKILL');
    await eventually(() => expect(isAlive(pid)).to.equal(false));
    await eventually(() => expect(existsSync(dir)).to.equal(false));
  });
});

describe('a Kafka of the test', () => {
  it('answers, and says what to install where it cannot run', async function () {
    const { brokers } = await orSkip(this, sharedKafka);
    const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    expect((await admin.describeCluster()).brokers).to.have.length(1);
    await admin.disconnect();
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
