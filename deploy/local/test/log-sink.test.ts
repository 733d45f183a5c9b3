import { closeSync, fstatSync, mkdirSync, openSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { logSink } from '../supervisor/log-sink.ts';

describe('the log of a process', () => {
  const mostBytes = 10 * 1024 * 1024;
  const megabyte = Buffer.alloc(1024 * 1024, 'x'.repeat(1023).concat('\n'));
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-logs-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is two files of 10 MB at most, for its owner alone', () => {
    const sink = logSink(folder, 'relay', () => undefined);
    for (let written = 0; written < 35; written += 1) sink.stdout.write(megabyte);
    sink.close();
    for (const name of ['relay.log', 'relay.log.1']) {
      const { size, mode } = statSync(join(folder, name));
      expect(size, name).to.be.at.most(mostBytes).and.at.least(megabyte.length);
      expect(mode & 0o777, name).to.equal(0o600);
    }
  });

  it('stays within its bounds where the older one cannot be put aside, and leaves the files of others alone', () => {
    mkdirSync(join(folder, 'relay.log.1/in-the-way'), { recursive: true });
    const sink = logSink(folder, 'relay', () => undefined);
    for (let written = 0; written < 11; written += 1) sink.stdout.write(megabyte);
    const others = openSync(join(folder, 'of-somebody-else'), 'w'); // gets the number that the full log had
    sink.stdout.write(megabyte);
    expect(fstatSync(others).size).to.equal(0);
    closeSync(others);
    sink.close();
    expect(statSync(join(folder, 'relay.log')).size).to.be.at.most(mostBytes);
  });
});
