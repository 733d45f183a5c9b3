import { randomBytes } from 'node:crypto';
import type { TaskKind } from '@tollgate/contracts';
import { Channel, configureSealing, nextId, rows, seal, type TaskRow } from '@tollgate/db';
import { createEgress, createLogger } from '@tollgate/runtime';
import { eventually, type FakeTaskProvider, freshId, startFakeTaskProvider, withMoneyStores } from '@tollgate/testing';
import { expect } from 'chai';
import { hearHints } from '../src/task-sync/hear-hints.ts';
import { noteRefunds } from '../src/task-sync/note-refunds.ts';
import { type SyncContext, syncTasks } from '../src/task-sync/sync-tasks.ts';

const minuteMs = 60_000;
const picture = 'https://cdn.example.com/1.png';

describe('the sync of tasks', () => {
  const stores = withMoneyStores();
  const egress = createEgress({ allow: ['127.0.0.0/8'] });
  const signal = new AbortController().signal;
  let context: SyncContext;
  let proxy: FakeTaskProvider;
  let channelId: number;

  before(async () => {
    configureSealing(randomBytes(32));
    context = { egress, wallet: stores.wallet, log: createLogger({ service: 'console', level: process.env.TEST_LOG_LEVEL ?? 'silent' }) };
    proxy = await startFakeTaskProvider();
  });
  after(async () => {
    await proxy.close();
    await egress.close();
  });
  beforeEach(async () => {
    proxy.reset();
    await rows.tasks().deleteMany({});
    channelId = await channelAt(proxy.url);
  });

  async function channelAt(baseUrl: string, type = 5): Promise<number> {
    const id = await nextId('channels');
    const keySealed = seal('mj-key', `channel:${id}:key`);
    await Channel.create({
      id,
      type,
      name: `c-${id}`,
      keySealed,
      baseUrl,
      models: ['mj_imagine'],
      groups: ['default'],
      createdAt: new Date(),
    });
    return id;
  }

  /** An open task of a channel, which the provider knows unless `unknown`. */
  async function task(fields: Partial<TaskRow> = {}, provider: FakeTaskProvider | undefined = proxy): Promise<TaskRow> {
    const at = new Date(Date.now() - 2 * minuteMs);
    const number = freshId();
    const row: TaskRow = {
      _id: `task-${number}`,
      id: number,
      kind: 'drawing',
      upstreamId: `up-${number}`,
      action: 'IMAGINE',
      status: 'SUBMITTED',
      progress: '0%',
      failReason: '',
      at,
      startedAt: null,
      endedAt: null,
      updatedAt: at,
      userId: 1,
      username: 'ada',
      tokenId: 1,
      channelId,
      quota: 50,
      isOpen: true,
      prompt: 'a house',
      ...fields,
    };
    // What is undefined is missing.
    await rows.tasks().insertOne(Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as unknown as TaskRow);
    const { upstreamId } = row;
    if (upstreamId !== undefined) provider?.tasks.set(upstreamId, { id: upstreamId, status: 'IN_PROGRESS', progress: '10%' });
    return row;
  }
  const sync = (kind: TaskKind = 'drawing') => syncTasks(context, kind, signal);
  const stored = async ({ _id }: TaskRow) => (await rows.tasks().findOne({ _id })) as TaskRow;
  const says = ({ upstreamId = '' }: TaskRow, change: Record<string, unknown>) => proxy.moves(upstreamId, change);

  it('follows tasks to their ends, asking each channel once for all of its own', async () => {
    const [good, bad, going] = [await task(), await task(), await task()];
    says(good, {
      status: 'SUCCESS',
      progress: '100%',
      imageUrl: picture,
      promptEn: 'house',
      buttons: [{ customId: 'x' }],
      finishTime: 1_741_001_560_000,
    });
    says(bad, { status: 'FAILURE', progress: '10%', failReason: 'Blocked by moderator' });
    says(going, { status: 'IN_PROGRESS', progress: '42%', startTime: 1_741_001_502_000 });
    expect(await sync()).to.deep.equal({ looked: 3, changed: 3 });
    expect(proxy.asked.map(({ path, headers }) => [path, headers['mj-api-secret']])).to.deep.equal([
      ['/mj/task/list-by-condition', 'mj-key'],
    ]);
    const ended = await stored(good);
    expect(ended).to.include({ status: 'SUCCESS', progress: '100%', imageUrl: picture, promptEn: 'house' });
    expect(ended.endedAt?.getTime()).to.equal(1_741_001_560_000);
    expect(ended).not.to.have.any.keys('isOpen', 'refund');
    expect(await stored(bad)).to.include({ status: 'FAILURE', progress: '100%', failReason: 'Blocked by moderator', refund: 'due' });
    expect(await stored(going)).to.include({ status: 'IN_PROGRESS', progress: '42%', isOpen: true });
    expect(await sync()).to.deep.equal({ looked: 1, changed: 0 });
  });

  it('follows music, and waits for what there is to hear', async () => {
    const suno = await channelAt(proxy.url, 36);
    const [song, failed] = [
      await task({ kind: 'music', action: 'MUSIC', channelId: suno }),
      await task({ kind: 'music', action: 'LYRICS', channelId: suno }),
    ];
    says(failed, { status: 'FAILURE', fail_reason: 'timeout', data: null });
    for (const nothing of [null, '', 0, true, {}, [], [null], [{}], [[], '']]) {
      says(song, { status: 'SUCCESS', progress: '100%', fail_reason: '', data: nothing });
      await sync('music');
      expect(await stored(song), JSON.stringify(nothing)).to.include({ status: 'SUBMITTED', isOpen: true });
    }
    expect(await stored(failed)).to.include({ status: 'FAILURE', failReason: 'timeout', refund: 'due' });
    const clips = [{ id: 'clip-1', audio_url: 'https://cdn.example.com/1.mp3' }];
    says(song, { data: clips, finish_time: 1_741_001_700 });
    await sync('music');
    const ended = await stored(song);
    expect([ended.status, ended.data, ended.endedAt?.getTime()]).to.deep.equal(['SUCCESS', clips, 1_741_001_700_000]);
  });

  it('ends what was cancelled as what failed, and keeps the prompt that a provider tells where the caller gave none', async () => {
    const [cancelled, described, asked] = [await task(), await task({ prompt: '' }), await task()];
    says(cancelled, { status: 'CANCEL' });
    for (const each of [described, asked]) says(each, { prompt: 'a lighthouse' });
    await sync();
    expect(await stored(cancelled)).to.include({ status: 'FAILURE', refund: 'due' });
    expect(await stored(described)).to.include({ prompt: 'a lighthouse' });
    expect(await stored(asked)).to.include({ prompt: 'a house' });
  });

  it('believes no lies: backwards states, falling progress, success without a picture, ids that nobody asked for', async () => {
    const [going, empty, ended, twice] = [await task({ status: 'IN_PROGRESS', progress: '60%' }), await task(), await task(), await task()];
    says(going, { status: 'NOT_START', progress: '5%' });
    says(empty, { status: 'SUCCESS', progress: '100%', imageUrl: 'javascript:alert(1)' });
    await rows.tasks().updateOne({ _id: ended._id }, { $set: { status: 'SUCCESS', progress: '100%' }, $unset: { isOpen: '' } });
    proxy.answers(({ path }) => {
      if (!path.endsWith('list-by-condition')) return undefined;
      const lies = [
        { id: ended.upstreamId, status: 'FAILURE', failReason: 'give it back' },
        { id: 'somebody-elses', status: 'SUCCESS' },
        { id: twice.upstreamId, status: 'FAILURE', failReason: 'once' },
        { id: twice.upstreamId, status: 'FAILURE', failReason: 'and again' },
        null,
        7,
      ];
      return { body: [...proxy.tasks.values(), ...lies] };
    });
    await sync();
    expect(await stored(going)).to.include({ status: 'IN_PROGRESS', progress: '60%' });
    expect(await stored(empty)).to.include({ status: 'SUBMITTED', isOpen: true });
    expect(await stored(twice)).to.include({ status: 'FAILURE', failReason: 'and again', refund: 'due' });
    expect(await stored(ended))
      .to.include({ status: 'SUCCESS' })
      .and.not.have.property('refund');
  });

  it('ends by age what stalls, what has no picture, and what nobody can be asked about', async () => {
    const old = new Date(Date.now() - 61 * minuteMs);
    const dead = await channelAt('http://127.0.0.1:1');
    const gone = freshId();
    const all = [
      await task({ at: old }),
      await task({ at: old }),
      await task({ at: old, channelId: dead }),
      await task({ channelId: gone }),
      await task({ at: new Date(Date.now() - 11 * minuteMs), upstreamId: undefined, status: '' }),
    ];
    says(all[1] as TaskRow, { status: 'SUCCESS', progress: '100%', imageUrl: '' });
    const young = [await task({ channelId: dead }), await task({ upstreamId: undefined, status: '' })];
    await sync();
    for (const each of all) expect(await stored(each)).to.include({ status: 'FAILURE', progress: '100%', refund: 'due' });
    for (const each of young) expect(await stored(each)).to.include({ isOpen: true });
  });

  it('lets a task go that its provider has forgotten, but not for one bad answer', async () => {
    const lost = await task({}, undefined);
    proxy.tasks.clear();
    for (let look = 0; look < 3; look += 1) await sync();
    expect(await stored(lost)).to.include({ isOpen: true, misses: 3 });
    proxy.tasks.set(lost.upstreamId as string, { id: lost.upstreamId as string, status: 'IN_PROGRESS', progress: '20%' });
    await sync();
    expect(await stored(lost)).to.include({ isOpen: true, misses: 0 });
    proxy.tasks.clear();
    for (let look = 0; look < 4; look += 1) await sync();
    expect(await stored(lost)).to.include({ status: 'FAILURE', refund: 'due' });
  });

  it('goes on with the other channels where one hangs, breaks, lies or is switched off', async () => {
    const broken: { status?: number; body: unknown }[] = [
      ...['{"no":"list"}', 'half a [', '<html>', '', 'null', '7'].map((body) => ({ body })),
      ...[204, 301, 401, 404, 429, 500].map((status) => ({ status, body: status === 204 ? '' : [] })),
    ];
    const fakes: FakeTaskProvider[] = [];
    try {
      for (const answer of broken) {
        const fake = await startFakeTaskProvider();
        fakes.push(fake);
        fake.answers(() => answer);
        await task({ channelId: await channelAt(fake.url) }, fake);
      }
      await Channel.updateOne({ id: channelId }, { $set: { status: 2 } });
      const good = await task();
      says(good, { status: 'SUCCESS', imageUrl: picture });
      await sync();
      expect(await stored(good)).to.include({ status: 'SUCCESS' });
      expect(await rows.tasks().countDocuments({ isOpen: true })).to.equal(broken.length);
    } finally {
      for (const fake of fakes) await fake.close();
    }
  });

  it('notes a refund as done when it stands in the log, as none when nothing was charged, and waits while it may yet be', async () => {
    const failed = { status: 'FAILURE', refund: 'due', isOpen: undefined } as const;
    const long = new Date(Date.now() - 20 * minuteMs);
    const owner = await stores.userWith({ balance: 1_000, remain: 500 });
    const [given, never, held, fresh] = [
      await task({ ...failed }),
      await task({ ...failed, updatedAt: long }),
      await task({ ...failed, updatedAt: long, userId: owner.userId }),
      await task({ ...failed }),
    ];
    const call = { ...owner, requestId: held._id };
    await stores.wallet.reserve({ ...call, amount: 50, deadlineMs: Date.now() + minuteMs });
    const log = {
      at: new Date(),
      userId: 1,
      tokenId: 1,
      model: 'mj_imagine',
      channelId,
      promptTokens: 0,
      completionTokens: 0,
      uncollected: 0,
    };
    await rows.usageLogs().insertOne({ _id: `task-refund:${given._id}`, type: 4, refundOf: given._id, quota: -50, ...log });
    expect(await noteRefunds(context)).to.equal(2);
    const refunds = await Promise.all([given, never, held, fresh].map(async (each) => (await stored(each)).refund));
    expect(refunds).to.deep.equal(['done', 'none', 'due', 'due']);
  });

  it('looks at once when a provider calls, and learns the name of a task whose relay died', async () => {
    const { redis } = stores;
    const subscriber = redis.duplicate();
    const hints = await hearHints(context, { redis, subscriber });
    try {
      const tell = (taskId: string, upstreamId = '') => redis.publish('task:hints', JSON.stringify({ taskId, upstreamId }));
      const known = await task();
      says(known, { status: 'SUCCESS', imageUrl: picture });
      const orphan = await task({ upstreamId: undefined, status: '' });
      proxy.tasks.set('orphan-1', { id: 'orphan-1', status: 'IN_PROGRESS', progress: '30%' });
      const thief = await task({ upstreamId: undefined, status: '', userId: 2 });
      await redis.publish('task:hints', 'no JSON');
      await tell(known._id);
      await tell(orphan._id, 'orphan-1');
      await eventually(async () => {
        expect(await stored(known)).to.include({ status: 'SUCCESS' });
        expect(await stored(orphan)).to.include({ upstreamId: 'orphan-1', status: 'IN_PROGRESS', progress: '30%' });
      });
      await tell(thief._id, 'orphan-1');
      await tell(await task({ upstreamId: undefined, status: '' }).then(({ _id }) => _id), 'unheard-of');
      await eventually(async () => expect(await redis.exists(`task:hint:${thief._id}`)).to.equal(1));
      expect(await stored(thief)).not.to.have.property('upstreamId');
    } finally {
      await hints.stop();
      subscriber.disconnect();
    }
  });

  it('takes less than 2 s of CPU for 1 000 open tasks of 20 channels', async () => {
    const channels = await Promise.all(Array.from({ length: 20 }, () => channelAt(proxy.url)));
    const all = await Promise.all(Array.from({ length: 1_000 }, (_, i) => task({ channelId: channels[i % 20] as number })));
    proxy.ends(() => ({ status: 'IN_PROGRESS', progress: '50%', buttons: [{ customId: 'MJ::JOB::upsample::1::uuid', label: 'U1' }] }));
    const before = process.cpuUsage();
    expect(await sync()).to.deep.equal({ looked: all.length, changed: all.length });
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1000;
    if (process.env.SHOW_FIGURES) console.log(`      1 000 open tasks: ${ms.toFixed(0)} ms of CPU, the provider's among it`);
    expect(ms).to.be.below(2_000);
    expect(await rows.tasks().countDocuments({ progress: '50%' })).to.equal(1_000);
  });
});
