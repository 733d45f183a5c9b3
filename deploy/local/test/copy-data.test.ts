import { type BundledMongo, eventually, orSkip, startBundledMongo, startTlsFront } from '@tollgate/testing';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { type Installation, installation } from './tollgate.ts';

describe('npm run copy-data', function () {
  this.timeout(120_000);
  let here: Installation;
  let target: BundledMongo;
  let to: string;

  before(async () => {
    here = await installation();
    target = await startBundledMongo();
    to = `${target.uri}copied`;
  });
  after(async () => {
    await here.remove();
    await target.stop();
  });

  const copy = (...args: string[]) => copyWith({}, ...args);

  async function copyWith(env: Record<string, string>, ...args: string[]): Promise<{ code: number; words: string }> {
    const command = here.run(['copy-data', ...args], { env });
    return { code: await command.ended, words: command.output() };
  }

  it('refuses while Tollgate runs', async () => {
    const running = await here.start();
    const { code, words } = await copy('--to', to);
    expect(code).to.equal(1);
    expect(words).to.contain('stop it first');
    running.child.kill('SIGTERM');
    await running.ended;
  });

  it('says how it is used, and names a target that does not answer', async () => {
    expect((await copy()).words).to.contain('--to mongodb://');
    expect((await copy('--to', 'mongodb://someone:hunter2@127.0.0.1:9/x')).words).to.contain('--to (mongodb://***@127.0.0.1:9/x)');
  });

  it('refuses a target that names no database, and hides its password', async () => {
    for (const bare of [`${target.uri}`, 'mongodb://someone:hunter2@127.0.0.1:9', 'mongodb://someone:hunter2@127.0.0.1:9/?tls=false']) {
      const { code, words } = await copy('--to', bare);
      expect(code).to.equal(1);
      expect(words).to.contain('names no database').and.to.not.contain('hunter2');
    }
  });

  it('copies every collection with its documents and indexes', async () => {
    const { code, words } = await copy('--to', to);
    expect(words, words).to.contain('Copied').and.to.contain('secrets.json');
    expect(code).to.equal(0);
    const client = await MongoClient.connect(to);
    const users = client.db().collection('users');
    expect(await users.countDocuments({ username: 'root' })).to.equal(1);
    expect((await users.indexes()).filter(({ unique }) => unique)).to.not.have.lengthOf(0);
    await client.close();
  });

  it('refuses a target that holds data, and goes on with it when told to', async () => {
    expect((await copy('--to', to)).words)
      .to.contain('holds data already')
      .and.to.contain('--again');
    expect((await copy('--to', to, '--again')).code).to.equal(0);
  });

  it('that broke off is not started on, tells no document, and names what is there that is not from here', async () => {
    const half = `${target.uri}half`;
    const client = await MongoClient.connect(half);
    const users = client.db().collection<{ _id: string; id: number; username: string; password: string }>('users');
    await users.insertOne({ _id: 'of-before', id: 1, username: 'somebody', password: 'a digest of long ago' });
    await users.createIndex({ id: 1 }, { unique: true }); // root has this number
    const broken = await copy('--to', half, '--again');
    expect(broken.words).to.contain('The copy was broken off').and.to.contain('--again');
    expect(broken.words)
      .to.not.contain('$argon2')
      .and.to.not.match(/^\s+at .*:\d+/m);
    expect(broken.code).to.equal(1);

    const started = here.run(['start'], { env: { MONGODB_URI: half } });
    expect(await started.ended).to.equal(1);
    expect(started.output()).to.contain('an unfinished copy');

    await users.updateOne({ _id: 'of-before' }, { $set: { id: 999 } });
    const other = await copy('--to', half, '--again');
    expect(other.words).to.match(/users: 1 documents were copied, but the target holds 2/);
    await users.deleteOne({ _id: 'of-before' });
    expect((await copy('--to', half, '--again')).code).to.equal(0);
    expect(await client.db().collection<{ _id: string }>('schema').findOne({ _id: 'schema' })).to.not.have.property('isUnfinishedCopy');
    await client.close();
  });

  it('that was killed is waited for by the next start, until its store is gone', async () => {
    const killed = here.run(['copy-data', '--to', to, '--again']);
    await eventually(() => expect(here.state().processes[0]?.state).to.be.oneOf(['starting', 'ready']), { timeoutMs: 60_000, everyMs: 1 });
    process.kill(target.pid, 'SIGSTOP'); // so it is under way for long
    await eventually(() => expect(here.state().processes[0]?.state).to.equal('ready'), { timeoutMs: 60_000 });
    const { supervisor } = here.state();
    const store = here.pidOf('store');
    process.kill(store, 'SIGSTOP');
    process.kill(supervisor.pid, 'SIGKILL');
    process.kill(target.pid, 'SIGCONT');
    await killed.ended;
    const started = here.run(['start']);
    await eventually(() => expect(started.output()).to.contain(`what is left of it to finish: store (pid ${store})`), {
      timeoutMs: 60_000,
    });
    process.kill(store, 'SIGCONT');
    await eventually(() => expect(started.output()).to.contain('Tollgate is ready'), { timeoutMs: 60_000 });
    started.child.kill('SIGTERM');
    expect(await started.ended).to.equal(0);
  });

  it('reaches a target by TLS whose certificates it was told to trust', async function () {
    const encrypted = await orSkip(this, () => startTlsFront({ to: target.port }));
    const { code, words } = await copyWith(
      { MONGODB_CA_FILE: encrypted.caFile },
      '--to',
      `mongodb://127.0.0.1:${encrypted.port}/encrypted`,
    );
    expect(words).to.contain('Copied');
    expect(code).to.equal(0);
    await encrypted.stop();
  });
});
