import { appendFileSync, globSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Installation, installation } from './tollgate.ts';

/** A data folder that somebody, or a dying disk, has been at. What cannot be used is left as it is and named; the rest starts. */
describe('a damaged data folder', function () {
  this.timeout(120_000);
  let here: Installation;

  before(async () => {
    here = await installation();
    await startAndStop();
  });
  after(() => here.remove());

  async function startAndStop(): Promise<string> {
    const running = await here.start();
    running.child.kill('SIGTERM');
    expect(await running.ended).to.equal(0);
    return running.output();
  }

  /** Damages a file, tries to start, and puts the file back. What the start said. */
  async function refusalWith(file: string, damaged: string | Buffer): Promise<string> {
    const sound = readFileSync(file);
    writeFileSync(file, damaged);
    try {
      const command = here.run(['start']);
      expect(await command.ended, command.output()).to.equal(1);
      expect(readFileSync(file).equals(Buffer.from(damaged)), 'the file was left as it was').to.equal(true);
      expect(command.output()).to.not.match(/^\s+at .*\.ts:\d+/m); // words, not a stack
      return command.output();
    } finally {
      writeFileSync(file, sound);
    }
  }

  it('secrets that are none: refused, for a new key would open nothing', async () => {
    for (const damaged of ['', '{"masterKey":', '{"masterKey":"short","redisPassword":"x"}', Buffer.from([0xff, 0x00, 0x80])]) {
      expect(await refusalWith(join(here.dataDir, 'secrets.json'), damaged))
        .to.contain('secrets.json')
        .and.to.contain('backup');
    }
  });

  it('a lock that is no lock: refused, with what to do', async () => {
    const words = await refusalWith(join(here.dataDir, 'run/lock'), 'something that someone may still need, '.repeat(100));
    expect(words).to.contain('run/lock').and.to.contain('delete it');
  });

  it("a store file that is another program's or damaged: refused, with the words of the store", async () => {
    const file = join(here.dataDir, 'store/store.sqlite');
    expect(await refusalWith(file, 'something that someone may still need, '.repeat(100))).to.contain('not a file of the bundled store');
    const sound = readFileSync(file);
    expect(await refusalWith(file, Buffer.concat([sound.subarray(0, 100), Buffer.alloc(sound.length - 100, 7)]))).to.contain('damaged');
  });

  it('a damaged file of Redis: refused, with how to mend it', async () => {
    const [file = ''] = globSync(join(here.dataDir, 'redis/appendonlydir/*.incr.aof'));
    const sound = readFileSync(file);
    const between = sound.indexOf('\r\n*', sound.length / 2) + 2;
    const length = sound.indexOf('\r\n$', between) + 3; // one that leads beyond the file looks to Redis as if its end had been torn
    for (const damaged of [
      Buffer.concat([sound.subarray(0, between), Buffer.alloc(200, 7), sound.subarray(between)]),
      Buffer.concat([sound.subarray(0, length), Buffer.from('99999999'), sound.subarray(length)]),
      Buffer.concat([Buffer.from('*1\r\n$4\r\nNOPE\r\n'), sound]),
    ]) {
      const words = await refusalWith(file, damaged);
      expect(words).to.contain('redis could not start').and.to.contain('redis-check-aof');
    }
  });

  it('a file of Redis whose end is torn, state that cannot be read, files of others: it starts', async () => {
    const [file = ''] = globSync(join(here.dataDir, 'redis/appendonlydir/*.incr.aof'));
    appendFileSync(file, '*3\r\n$3\r\nSET\r\n$5\r\nhalf');
    writeFileSync(join(here.dataDir, 'run/state.json'), '{"supervisor":');
    writeFileSync(join(here.dataDir, 'family-photo.jpg'), 'keep me');
    truncateSync(join(here.dataDir, 'logs/relay.log'), 0);
    const words = await startAndStop();
    expect(words).to.contain('Tollgate is ready');
    expect(readFileSync(join(here.dataDir, 'family-photo.jpg'), 'utf8')).to.equal('keep me');
  });
});
