import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, faultClocks, startInstallation } from '@tollgate/testing';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { Agent } from 'undici';
import { audit } from './faults/audit.ts';
import { inDatabase, type Site, startSite } from './faults/site.ts';
import { oneCall, startTraffic } from './faults/traffic.ts';
import { cleanEnvironment } from './tollgate.ts';

describe('a backup', function () {
  this.timeout(300_000);
  let site: Site;
  let folder: string;
  let place: string | undefined;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-backups-'));
    site = await startSite({ RELAY_HOLD_MS: '5000', SWEEP_SECONDS: '1', ...faultClocks });
    site.provider.answers({ paceMs: 20 });
  });
  after(async () => {
    await site?.stop();
    for (const each of [folder, place]) if (each) await rm(each, { recursive: true, force: true, maxRetries: 5 });
  });

  const backupIn = (where: string) => join(where, readdirSync(where).find((name) => name.startsWith('tollgate-')) ?? '');

  it('of an installation under load comes back with exact books: nothing twice, and what is missing was answered later', async () => {
    const traffic = startTraffic(site, { perSecond: 40 });
    await eventually(() => expect(traffic.calls.length).to.be.at.least(30), { timeoutMs: 60_000 });
    const begunAt = Date.now();
    const { code, words } = await run(site.installation.dataDir, ['backup', '--to', join(folder, 'whole')]);
    const endedAt = Date.now();
    expect(code, words).to.equal(0);
    await eventually(() => expect(traffic.calls.filter(({ startedAt }) => startedAt > endedAt).length).to.be.at.least(20), {
      timeoutMs: 60_000,
    });
    const calls = await traffic.stop();
    expect(calls.filter(({ got }) => got !== 'whole')).to.deep.equal([]); // nobody was kept waiting for long
    await audit(site, calls);
    await site.installation.stop();

    place = await mkdtemp(join(tmpdir(), 'tollgate-restored-'));
    const restored = await run(place, ['restore', '--from', backupIn(join(folder, 'whole'))]);
    expect(restored.code, restored.words).to.equal(0);
    expect(restored.words)
      .to.match(/\d+ calls in the log/)
      .and.to.contain('Not in the backup: what was answered after');
    const again: Site = { ...site, installation: await startInstallation({ ...site.env, DATA_DIR: place }) };
    site.installation = again.installation; // for the end
    await audit(
      again,
      calls.filter((call) => call.endedAt < begunAt),
    );
    const logged = await loggedIn(again);
    const missing = calls.filter(({ requestId }) => !logged.has(requestId));
    expect(missing.map(({ endedAt }) => endedAt).filter((at) => at < begunAt)).to.deep.equal([]);
    expect(missing.length, 'lost, as the words say').to.be.at.least(20);

    const next = await oneCall(again, new Agent(), { mark: 'afterwards', isStream: false });
    expect(next.got, 'the key of the channel opens').to.equal('whole');
    await audit(again, [...calls.filter(({ requestId }) => logged.has(requestId)), next]);
  });

  it('is for its owner alone, and says what is in it', () => {
    const backup = backupIn(join(folder, 'whole'));
    expect(readdirSync(backup).sort()).to.deep.equal(['manifest.json', 'redis.rdb', 'secrets.json', 'store.sqlite']);
    expect(statSync(backup).mode & 0o777).to.equal(0o700);
    for (const file of readdirSync(backup)) expect(statSync(join(backup, file)).mode & 0o777, file).to.equal(0o600);
    expect(readFileSync(join(backup, 'manifest.json'), 'utf8')).to.contain('masterKeyId');
  });

  it('goes into no place that holds something or runs, and is not taken when it is damaged or for another master key', async () => {
    const backup = backupIn(join(folder, 'whole'));
    const running = await run(site.installation.dataDir, ['restore', '--from', backup]);
    expect([running.code, running.words]).to.satisfy(([code, words]: [number, string]) => code === 1 && words.includes('is running'));

    const filled = join(folder, 'filled');
    mkdirSync(join(filled, 'redis'), { recursive: true });
    writeFileSync(join(filled, 'redis/appendonly.aof'), 'of somebody');
    expect((await run(filled, ['restore', '--from', backup])).words).to.contain('holds an installation already');

    const damaged = join(folder, 'damaged');
    await cp(backup, damaged, { recursive: true });
    appendFileSync(join(damaged, 'store.sqlite'), 'x');
    expect((await run(join(folder, 'empty'), ['restore', '--from', damaged])).words).to.contain('is damaged. Nothing was restored');

    const anotherKey = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7)).toString('hex');
    const other = await run(join(folder, 'empty'), ['restore', '--from', backup], { MASTER_KEY: anotherKey });
    expect(other.words).to.contain('sealed with master key').and.to.contain('MASTER_KEYS_ALSO');
    expect(other.code).to.equal(1);
    expect(readdirSync(join(folder, 'empty/store'))).to.deep.equal([]);
    expect((await run(join(folder, 'empty'), ['restore', '--from', folder])).words).to.contain('is not a backup');
  });

  it('that was half restored is not started on, and restored whole by the next one', async () => {
    const backup = backupIn(join(folder, 'whole'));
    const half = join(folder, 'half');
    const programs = join(folder, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'redis-server'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const { PATH } = cleanEnvironment();
    const broken = await run(half, ['restore', '--from', backup], { PATH: `${programs}:${PATH}` });
    expect(broken.words).to.contain('redis could not start');

    for (const command of [['start'], ['copy-data', '--to', 'mongodb://127.0.0.1:9/x']]) {
      const { code, words } = await run(half, command, { PORT: '0' });
      expect(words).to.contain('A restore into').and.to.contain('was broken off');
      expect(code).to.equal(1);
    }
    const whole = await run(half, ['restore', '--from', backup]);
    expect(whole.words).to.match(/Restored: \d+ accounts/);
    expect(readdirSync(half)).to.not.include('restore-unfinished');
  });

  it('is made one at a time, and one that is told to end leaves nothing behind', async () => {
    const { dataDir } = site.installation;
    const to = join(folder, 'given-up');
    const pid = await site.installation.pidOf('redis');
    process.kill(pid, 'SIGSTOP'); // so it is under way for long
    try {
      const first = begin(dataDir, ['backup', '--to', to]);
      await eventually(() => expect(readdirSync(to)).to.have.length(1), { timeoutMs: 60_000 });
      const second = await run(dataDir, ['backup', '--to', to]);
      expect(second.words).to.contain('Another backup of this installation is under way');
      expect(second.code).to.equal(1);
      first.child.kill('SIGTERM');
      const { code, words } = await first.ended;
      expect([code, words]).to.satisfy(([ended, said]: [number, string]) => ended === 1 && said.includes('Nothing was kept'));
      expect(readdirSync(to)).to.deep.equal([]);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    const killed = join(to, 'tollgate-2026-01-31T12-00-00-000Z.partial');
    mkdirSync(killed);
    const next = await run(dataDir, ['backup', '--to', to]);
    expect(next.code, next.words).to.equal(0);
    expect(next.words).to.contain(`${killed} is left of a backup that was broken off`);
  });

  it('of a newer release, which this one would misread, is refused in words', async () => {
    await inDatabase(site, (database) =>
      database.collection<{ _id: string; least: number }>('schema').updateOne({ _id: 'schema' }, { $set: { least: 99 } }),
    );
    const to = join(folder, 'newer');
    expect((await run(site.installation.dataDir, ['backup', '--to', to])).code).to.equal(0);
    const { code, words } = await run(join(folder, 'of-newer'), ['restore', '--from', backupIn(to)]);
    expect(words)
      .to.contain('Start a newer release')
      .and.to.not.match(/^\s+at .*:\d+/m);
    expect(code).to.equal(1);
  });

  it('is of the engines of the data folder, while they run', async () => {
    const elsewhere = await run(join(folder, 'empty'), ['backup', '--to', folder]);
    expect(elsewhere.words).to.contain('Tollgate is not running');
    const foreign = await run(site.installation.dataDir, ['backup', '--to', folder], { MONGODB_URI: 'mongodb://db.example/x' });
    expect(foreign.words).to.contain('MONGODB_URI names an engine of your own').and.to.contain('BACKUPS.md');
    expect((await run(site.installation.dataDir, ['backup'])).words).to.contain('npm run backup -- --to');
  });
});

interface Ended {
  code: number;
  words: string;
}

function run(dataDir: string, args: string[], env: Record<string, string> = {}): Promise<Ended> {
  return begin(dataDir, args, env).ended;
}

function begin(dataDir: string, args: string[], env: Record<string, string> = {}): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../bootstrap.mjs'), ...args], {
    env: { ...cleanEnvironment(), DATA_DIR: dataDir, ENV_FILE: '/dev/null', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let words = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (words += chunk.toString()));
  return { child, ended: new Promise((resolve) => child.once('close', (code) => resolve({ code: code ?? -1, words }))) };
}

async function loggedIn(site: Site): Promise<Set<string>> {
  const client = await MongoClient.connect(site.installation.mongodbUri);
  try {
    const rows = await client
      .db()
      .collection<{ _id: string }>('usage_logs')
      .find({ type: 2 }, { projection: { _id: 1 } })
      .toArray();
    return new Set(rows.map(({ _id }) => _id));
  } finally {
    await client.close();
  }
}
