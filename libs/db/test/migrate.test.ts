import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { engines } from '@tollgate/testing';
import { expect } from 'chai';
import { connectDatabase, disconnectDatabase } from '../src/connect.ts';
import { type Migration, migrate } from '../src/migrate.ts';
import { refuseEndedRelease, schemaRows, schemaVersion } from '../src/schema-version.ts';
import { migratedThings, steps } from './migrating-process.ts';

describe('migrations of the database', function () {
  this.timeout(60_000);
  const quiet = { logger: { info: () => {} }, silentMs: 500, pollMs: 10 };
  const stands = () => schemaRows().findOne({ _id: 'schema' });

  let uri: string;

  before(async () => {
    uri = (await engines()).mongodbUri();
    await connectDatabase(uri);
  });
  beforeEach(async () => {
    await schemaRows().deleteMany({});
    await migratedThings().deleteMany({});
  });
  after(async () => {
    await schemaRows().deleteMany({});
    await disconnectDatabase();
  });

  const migration = (version: number, run: Migration['run'] = async () => {}): Migration => ({ version, name: `number ${version}`, run });

  it('run once and in order, however many processes start at the same time', async () => {
    const ran: number[] = [];
    const list = [1, 2, 3].map((version) => migration(version, async () => void ran.push(version)));
    await Promise.all([1, 2, 3, 4].map(() => migrate(list, quiet)));
    expect(ran).to.deep.equal([1, 2, 3]);
    expect(await stands()).to.include({ version: 3, owner: null });
    await migrate(list, quiet);
    expect(ran).to.deep.equal([1, 2, 3]);
  });

  it('go on from their last note when one fails or its process dies', async () => {
    const begun: unknown[] = [];
    const rows = [1, 2, 3, 4, 5, 6];
    const failing = (last: number) =>
      migration(1, async ({ from, note }) => {
        begun.push(from);
        for (const _id of rows.filter((each) => each > Number(from ?? 0))) {
          if (_id > last) throw new Error('the store is away');
          await migratedThings().insertOne({ _id, written: 1 });
          await note(_id);
        }
      });
    const refusal = await migrate([failing(2)], quiet).catch((error: Error) => error.message);
    expect(refusal).to.equal('the store is away');
    expect(await stands()).to.include({ version: 0, at: 2, owner: null });
    // The state that a killed process leaves: it owns the migration and its heartbeat has stopped.
    await schemaRows().updateOne({ _id: 'schema' }, { $set: { owner: 'dead' } });
    await migrate([failing(6)], quiet);
    expect(begun).to.deep.equal([null, 2]);
    expect(await migratedThings().countDocuments()).to.equal(6);
    expect(await stands()).to.include({ version: 1, at: null, owner: null });
  });

  it('are whole and done once when their processes are killed, before and after a note, and when two go on at once', async () => {
    const begun: ChildProcess[] = [];
    const start = () => {
      const child = fork(join(import.meta.dirname, 'migrating-process.ts'), [uri], {
        execArgv: ['--disable-warning=ExperimentalWarning'],
      });
      begun.push(child);
      return child;
    };
    try {
      for (const last of ['wrote 1', 'noted 1', 'wrote 3', 'noted 5']) await killAt(start(), last);
      expect(await stands()).to.include({ version: 0, at: steps });
      const two = [start(), start()].map(untilItEnds);
      expect(await Promise.all(two)).to.deep.equal([0, 0]);
      expect(await stands()).to.include({ version: 1, at: null, owner: null });
      const written = await migratedThings().find().sort({ _id: 1 }).toArray();
      const twice = [1, 3]; // killed between the work and its note
      expect(written).to.deep.equal([1, 2, 3, 4, 5].map((_id) => ({ _id, written: twice.includes(_id) ? 2 : 1 })));
    } finally {
      for (const child of begun) child.kill('SIGKILL');
    }
  });

  it('of a process that was taken for dead write no further', async () => {
    let wake = () => {};
    const asleep = new Promise<void>((resolve) => {
      wake = resolve;
    });
    let began = () => {};
    const isAtWork = new Promise<void>((resolve) => {
      began = resolve;
    });
    const sleeper = migrate(
      [
        migration(1, async ({ note }) => {
          began();
          await asleep;
          await note('too late');
        }),
      ],
      quiet,
    ).catch((error: Error) => error.message);
    await isAtWork;
    await schemaRows().updateOne({ _id: 'schema' }, { $set: { owner: 'another' } });
    wake();
    expect(await sleeper).to.contain('another process has taken over');
    expect(await stands()).to.include({ version: 0, owner: 'another', at: null });
  });

  it('that end older releases keep those from starting, and nothing else does', async () => {
    await migrate([migration(1), { ...migration(2), endsReleasesBefore: 2 }], quiet);
    const refusal = await refuseEndedRelease(1).catch((error: Error) => error.message);
    expect(refusal).to.contain('at version 2').and.to.contain('this one knows 1');
    expect(await migrate([migration(1)], quiet).catch((error: Error) => error.message)).to.contain('newer release');
    await refuseEndedRelease(2);
    await schemaRows().updateOne({ _id: 'schema' }, { $set: { version: 9, least: 1 } });
    await refuseEndedRelease(1);
    await migrate([migration(1)], quiet);
    expect(schemaVersion).to.be.at.least(1);
  });
});

/** Lets the process run until it prints this line, then kills it. */
async function killAt(child: ChildProcess, last: string): Promise<void> {
  const ended = once(child, 'exit');
  child.on('message', (words) => (words === last ? child.kill('SIGKILL') : child.send('go on')));
  const [code, signal] = await ended;
  expect({ code, signal }).to.deep.equal({ code: null, signal: 'SIGKILL' });
}

async function untilItEnds(child: ChildProcess): Promise<number> {
  const ended = once(child, 'exit');
  child.on('message', () => child.send('go on'));
  const [code] = (await ended) as [number];
  return code;
}
