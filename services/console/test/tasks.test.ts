import { type DrawingView, type Page, type TaskView, taskStatuses } from '@tollgate/contracts';
import { Task } from '@tollgate/db';
import { expect } from 'chai';
import { startConsole, type TestConsole, type Visitor } from './support/console.ts';

describe('drawings and music', () => {
  let tollgate: TestConsole;
  let user: Visitor & { username: string };
  let other: Visitor & { username: string };
  let admin: Visitor;
  const at = 1_760_000_000_000;

  before(async () => {
    tollgate = await startConsole();
    [user, other] = [await tollgate.newUser(), await tollgate.newUser()];
    admin = await tollgate.newUser({ admin: true });
    await tollgate.root.ok('PUT', '/api/option/', { key: 'ServerAddress', value: 'https://site.example' });
    const drawing = { kind: 'drawing', action: 'IMAGINE', updatedAt: new Date(at), userId: user.id, username: user.username, channelId: 7 };
    const done = {
      status: 'SUCCESS',
      progress: '100%',
      imageUrl: 'https://cdn.example/a.png',
      startedAt: new Date(at + 1000),
      endedAt: new Date(at + 9000),
    };
    const buttons = [{ customId: 'MJ::JOB::upsample::1', label: 'U1' }];
    await Task.insertMany([
      {
        ...drawing,
        ...done,
        _id: 't1',
        id: 1,
        upstreamId: 'mj-1',
        at: new Date(at),
        prompt: 'a cat',
        promptEn: 'cat',
        code: 1,
        quota: 50,
        buttons,
      },
      {
        ...drawing,
        _id: 't2',
        id: 2,
        upstreamId: 'mj-2',
        at: new Date(at + 60_000),
        status: 'IN_PROGRESS',
        progress: '42%',
        channelId: 8,
        isOpen: true,
      },
      { ...drawing, _id: 't3', id: 3, at: new Date(at + 120_000), action: 'BLEND', isOpen: true },
      { ...drawing, _id: 't4', id: 4, upstreamId: 'mj-4', at: new Date(at + 180_000), userId: other.id, username: other.username },
      {
        ...drawing,
        _id: 't5',
        id: 5,
        kind: 'music',
        action: 'MUSIC',
        upstreamId: 'su-1',
        at: new Date(at),
        status: 'SUCCESS',
        prompt: 'a song',
        data: [{ id: 'clip' }],
      },
      {
        ...drawing,
        _id: 't6',
        id: 6,
        kind: 'music',
        action: 'LYRICS',
        upstreamId: 'su-2',
        at: new Date(at + 60_000),
        status: 'FAILURE',
        failReason: 'no',
      },
    ]);
  });
  after(() => tollgate.close());

  const drawings = async (visitor: Visitor, path: string) => (await visitor.ok<Page<DrawingView>>('GET', path)).items;
  const music = async (visitor: Visitor, path: string) => (await visitor.ok<Page<TaskView>>('GET', path)).items;
  const ids = (rows: { id: number }[]) => rows.map(({ id }) => id);

  it('are listed newest first: everybody’s to administrators, to others their own, without where they were sent', async () => {
    expect(ids(await drawings(admin, '/api/mj/'))).to.deep.equal([4, 3, 2, 1]);
    const own = await drawings(user, '/api/mj/self');
    expect(ids(own)).to.deep.equal([3, 2, 1]);
    expect(own.map(({ channel_id }) => channel_id)).to.deep.equal([0, 0, 0]);
    expect((await drawings(admin, '/api/mj/')).map(({ channel_id }) => channel_id)).to.deep.equal([7, 7, 8, 7]);
    expect(ids(await music(user, '/api/task/self/'))).to.deep.equal([6, 5]);
    expect(ids(await music(other, '/api/task/self'))).to.deep.equal([]);
    for (const path of ['/api/mj', '/api/task']) expect((await user.send('GET', path)).success, path).to.equal(false);
    for (const path of ['/api/mj/self', '/api/task/self']) expect((await tollgate.anonymous.send('GET', path)).status).to.equal(401);
  });

  it('have an empty page beyond their end, with their number, and a first one below 1', async () => {
    for (const [visitor, path, total] of [
      [admin, '/api/mj/', 4],
      [user, '/api/mj/self', 3],
      [admin, '/api/task/', 2],
      [user, '/api/task/self', 2],
    ] as const) {
      const beyond = await visitor.ok<Page<object>>('GET', `${path}?p=99&page_size=10`);
      expect(beyond, path).to.deep.equal({ items: [], page: 99, page_size: 10, total });
      expect((await visitor.ok<Page<object>>('GET', `${path}?p=-3&page_size=10`)).page, path).to.equal(1);
    }
  });

  it('say what the product family’s rows say, drawings in milliseconds and music in seconds', async () => {
    const [first] = (await drawings(user, '/api/mj/self?mj_id=mj-1')) as [DrawingView];
    expect(first).to.include({
      id: 1,
      mj_id: 'mj-1',
      code: 1,
      action: 'IMAGINE',
      prompt: 'a cat',
      prompt_en: 'cat',
      status: 'SUCCESS',
      quota: 50,
      refund: '',
    });
    expect(first).to.include({ submit_time: at, start_time: at + 1000, finish_time: at + 9000, username: user.username, properties: '' });
    expect(JSON.parse(first.buttons)).to.deep.equal([{ customId: 'MJ::JOB::upsample::1', label: 'U1' }]);
    const [song] = (await music(user, '/api/task/self?task_id=su-1')) as [TaskView];
    expect(song).to.include({ platform: 'suno', task_id: 'su-1', submit_time: at / 1000, finish_time: 0 });
    expect(song.properties).to.deep.equal({ input: 'a song' });
    expect(song.data).to.deep.equal([{ id: 'clip' }]);
  });

  it('are filtered by provider’s id, time, status, action and, for administrators, channel', async () => {
    const found = async (query: string, visitor: Visitor = admin, list = 'mj/') => ids(await drawings(visitor, `/api/${list}?${query}`));
    expect(await found('channel_id=8')).to.deep.equal([2]);
    expect(await found('channel_id=8', user, 'mj/self')).to.deep.equal([3, 2, 1]);
    expect(await found(`start_timestamp=${at + 60_000}&end_timestamp=${at + 120_000}`)).to.deep.equal([3, 2]);
    expect(await found('status=NOT_START')).to.deep.equal([4, 3]);
    expect(await found('action=BLEND')).to.deep.equal([3]);
    expect(await found('mj_id=mj-4', user, 'mj/self')).to.deep.equal([]);
    expect(await found('p=2&page_size=3')).to.deep.equal([1]);
    expect(await found('p=99&start_timestamp=x&channel_id[$gt]=0')).to.deep.equal([]);
    expect(await found(`start_timestamp=${at / 1000 + 60}`, admin, 'task')).to.deep.equal([6]);
    expect(await found('platform=suno&status=SUCCESS', admin, 'task')).to.deep.equal([5]);
    expect(await found('platform=other', admin, 'task')).to.deep.equal([]);
  });

  it('lead to their pictures through this server while that is on, and only those that have one', async () => {
    const urls = async () => Object.fromEntries((await drawings(user, '/api/mj/self')).map(({ id, image_url }) => [id, image_url]));
    const forwarded = await urls();
    expect(forwarded[1]).to.match(/^https:\/\/site\.example\/mj\/image\/t1\?expires=\d+&v=[0-9a-f]{8}&sign=[\w-]{43}$/);
    expect(forwarded[2]).to.equal('');
    await tollgate.root.ok('PUT', '/api/option/', { key: 'MjForwardUrlEnabled', value: 'false' });
    expect((await urls())[1]).to.equal('https://cdn.example/a.png');
    await tollgate.root.ok('PUT', '/api/option/', { key: 'MjForwardUrlEnabled', value: 'true' });
  });

  it('are not sent again to whoever has them, until one has moved on', async () => {
    const first = await user.send<Page<DrawingView>>('GET', '/api/mj/self');
    const tag = first.headers.get('etag') ?? '';
    expect(tag).to.match(/^W\/"[\w-]{22}"$/);
    const again = await user.send('GET', '/api/mj/self', undefined, { 'if-none-match': tag });
    expect([again.status, again.message]).to.deep.equal([304, '']);
    await Task.updateOne({ _id: 't2' }, { $set: { progress: '58%' } });
    const moved = await user.send<Page<DrawingView>>('GET', '/api/mj/self', undefined, { 'if-none-match': tag });
    expect(moved.status).to.equal(200);
    expect(moved.data.items.find(({ id }) => id === 2)?.progress).to.equal('58%');
    expect((await other.send('GET', '/api/mj/self', undefined, { 'if-none-match': tag })).status).to.equal(200);
  });

  it('are answered in every state and of every action, as the provider’s rows name them', async () => {
    const owner = await tollgate.newUser();
    const template = { ...(await Task.findOne({ _id: 't1' }).lean()), userId: owner.id };
    const actions =
      'IMAGINE UPSCALE VARIATION HIGH_VARIATION LOW_VARIATION PAN DESCRIBE BLEND UPLOAD SHORTEN REROLL INPAINT ZOOM CUSTOM_ZOOM MODAL SWAP_FACE';
    const made = [
      ...actions.split(' ').map((action) => ({ kind: 'drawing', action, status: 'SUCCESS', code: 1 })),
      ...['NOT_START', 'SUBMITTED', 'IN_PROGRESS', 'FAILURE', 'MODAL'].map((status) => ({
        kind: 'drawing',
        action: 'IMAGINE',
        status,
        code: 21,
      })),
      ...[0, 1, 21, 22].map((code) => ({ kind: 'drawing', action: 'IMAGINE', status: 'SUBMITTED', code })),
      ...taskStatuses.flatMap((status) => ['MUSIC', 'LYRICS'].map((action) => ({ kind: 'music', action, status, code: 1 }))),
    ].map((row, index) => ({ ...template, ...row, _id: `s${index}`, id: 1000 + index, upstreamId: `state-${index}` }));
    await Task.insertMany(made);
    const shown = [...(await drawings(owner, '/api/mj/self?page_size=100')), ...(await music(owner, '/api/task/self?page_size=100'))].map(
      (row) => `${row.action} ${row.status}`,
    );
    expect(shown.sort()).to.deep.equal(made.map(({ action, status }) => `${action} ${status || 'NOT_START'}`).sort());
    const codes = (await drawings(owner, '/api/mj/self?page_size=100')).map(({ code }) => code);
    expect([...new Set(codes)].sort((a, b) => a - b)).to.deep.equal([0, 1, 21, 22]);
  });
});
