import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { damagedAof } from '../supervisor/aof-damage.ts';
import { dataFolder, prepareDataFolder } from '../supervisor/data-folder.ts';
import { localRedis } from '../supervisor/engines.ts';

const command = (...words: string[]) => `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
const set = command('SET', 'a key', 'a value\r\nof two lines');
const transaction = command('MULTI') + set + set + command('EXEC');
const sound = `${set}#TS:1795000000\r\n${transaction}${set}`;

describe('an append-only file of Redis', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-aof-'));
    mkdirSync(join(folder, 'appendonlydir'));
  });
  after(() => rm(folder, { recursive: true }));

  async function found(text: string): Promise<boolean> {
    const file = join(folder, 'appendonlydir/appendonly.aof.1.incr.aof');
    writeFileSync(file, text);
    const damaged = await damagedAof(folder);
    expect(damaged).to.be.oneOf([undefined, file]);
    return damaged !== undefined;
  }

  it('that is whole, empty or missing is fine', async () => {
    expect(await damagedAof(join(folder, 'elsewhere'))).to.equal(undefined);
    expect(await found('')).to.equal(false);
    expect(await found(sound)).to.equal(false);
    expect(await found(sound + command('SET', 'long', 'x'.repeat(3_000_000)) + sound.repeat(30_000))).to.equal(false);
  });

  it('may be torn anywhere at its end, also within a transaction', async () => {
    for (let bytes = 0; bytes < transaction.length; bytes += 1)
      expect(await found(sound + transaction.slice(0, bytes)), String(bytes)).to.equal(false);
  });

  it('is damaged where a command leads beyond the file, or is none, and others stand behind it', async () => {
    for (const each of [set, transaction]) {
      const bad = each.replace('$5\r\na', '$50000000\r\na');
      expect(await found(bad + sound), bad).to.equal(true);
      expect(await found(sound + bad + set), bad).to.equal(true);
    }
    expect(await found(`${sound}${'\0'.repeat(4_096)}\r\n${sound}`)).to.equal(true);
  });

  it('for which there was no room is not called damaged: who mended it would lose what it holds', async () => {
    const place = dataFolder(join(folder, 'full'));
    prepareDataFolder(place);
    const { advice } = localRedis(place, { program: 'redis-server', password: 'any', appendfsync: 'always', env: {} }).spec;
    expect(advice?.('# Bad file format reading the append only file appendonly.aof.1.incr.aof')).to.contain('is damaged');
    expect(advice?.('# Write error writing append only file on disk: No space left on device')).to.equal(undefined);
  });
});
