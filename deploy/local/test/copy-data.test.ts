import { type BundledMongo, orSkip, startBundledMongo, startTlsFront } from '@tollgate/testing';
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

  it('copies every collection with its documents and indexes', async () => {
    const { code, words } = await copy('--to', to);
    expect(words).to.contain('Copied').and.to.contain('secrets.json');
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
