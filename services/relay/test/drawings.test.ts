import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rows, Task, type TaskRow } from '@tollgate/db';
import { eventually, type FakeTaskProvider, startFakeTaskProvider } from '@tollgate/testing';
import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser } from './support/gateway.ts';

const picture = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64')}`;
const models = ['mj_imagine', 'mj_blend', 'mj_describe', 'mj_shorten', 'mj_upload', 'mj_edits', 'swap_face'];
const imagine = 50_000;

describe('Drawings', () => {
  let gateway: Gateway;
  let proxy: FakeTaskProvider;
  let user: TestUser;
  let channel: number;

  before(async () => {
    gateway = await startGateway();
    proxy = await startFakeTaskProvider();
    user = await gateway.user({ balance: 100_000_000 });
    channel = await gateway.channel({ type: 5, baseUrl: proxy.url, key: 'mj-key', models });
    await eventually(async () => expect((await post('/mj/submit/imagine', { prompt: 'x' })).status).to.equal(200), { timeoutMs: 20_000 });
  });
  after(async () => {
    await gateway.stop();
    await proxy.close();
  });
  beforeEach(async () => {
    proxy.reset();
    await Task.deleteMany({ userId: user.id });
  });

  const post = (path: string, body: unknown, owner = user) => gateway.post(path, body, { authorization: owner.token.authorization });
  const get = (path: string, owner = user) => fetch(gateway.url + path, { headers: { authorization: owner.token.authorization } });
  const submitted = async (path: string, body: unknown, owner = user) => {
    const answer = await post(path, body, owner);
    const json = (await answer.json()) as Record<string, unknown>;
    expect(answer.status, JSON.stringify(json)).to.equal(200);
    return json;
  };
  const drawn = async (owner = user) => {
    const { result } = await submitted('/mj/submit/imagine', { prompt: 'a tiny house' }, owner);
    await rows
      .tasks()
      .updateOne({ upstreamId: result as string }, { $set: { status: 'SUCCESS', progress: '100%' }, $unset: { isOpen: '' } });
    return result as string;
  };
  const rowOf = async (upstreamId: unknown) => (await rows.tasks().findOne({ upstreamId: upstreamId as string })) as TaskRow;
  const optionsNow = async (values: Parameters<Gateway['options']>[0], isSeen: () => Promise<boolean>) => {
    await gateway.options(values);
    await eventually(async () => expect(await isSeen()).to.equal(true));
  };

  it('draws: the body travels as it came but for what the options hold back, the task is charged and stands in a row', async () => {
    const owner = await gateway.user();
    const body = {
      prompt: 'a tiny house',
      accountFilter: { modes: ['FAST'] },
      notifyHook: 'http://me.example/hook',
      state: 'mine',
      unknown: 7,
    };
    const answer = await submitted('/mj-fast/mj/submit/imagine', body, owner);
    expect(answer).to.include({ code: 1, description: 'Submit success' });
    const { path, headers, json } = proxy.asked.at(-1) as (typeof proxy.asked)[0];
    expect([path, headers['mj-api-secret'], headers.authorization]).to.deep.equal(['/mj/submit/imagine', 'mj-key', undefined]);
    expect(json).to.deep.equal({ prompt: 'a tiny house', state: 'mine', unknown: 7 });
    const bill = await gateway.bill(owner);
    expect(bill).to.include({ mode: 'drawing', model: 'mj_imagine', quota: imagine, channelId: channel });
    const row = await rowOf(answer.result);
    expect(row).to.include({
      _id: bill.id,
      kind: 'drawing',
      action: 'IMAGINE',
      status: 'SUBMITTED',
      isOpen: true,
      quota: imagine,
      mode: 'mj-fast',
    });
    expect(await gateway.openHolds(owner)).to.equal(0);
  });

  it('takes the key from mj-api-secret, where clients put it', async () => {
    const secret = user.token.authorization.slice('Bearer '.length);
    for (const authorization of [undefined, 'midjourney-proxy']) {
      const headers = { 'mj-api-secret': secret, ...(authorization && { authorization }) };
      expect((await gateway.post('/mj/submit/imagine', { prompt: 'x' }, headers)).status).to.equal(200);
    }
    const refused = await gateway.post('/mj/submit/imagine', { prompt: 'x' }, { 'mj-api-secret': 'nobody' });
    expect(refused.status).to.equal(401);
    expect(await refused.json()).to.include({ code: 4 });
  });

  it('serves every submission, each as its own model', async () => {
    const origin = await drawn();
    const asked: [string, Record<string, unknown>, string][] = [
      ['imagine', { prompt: 'x', base64Array: [picture] }, 'IMAGINE'],
      ['describe', { base64: picture }, 'DESCRIBE'],
      ['shorten', { prompt: 'x' }, 'SHORTEN'],
      ['blend', { base64Array: [picture, picture] }, 'BLEND'],
      ['edits', { prompt: 'x', base64: picture }, 'EDITS'],
      ['change', { taskId: origin, action: 'UPSCALE', index: 2 }, 'UPSCALE'],
      ['simple-change', { content: `${origin} V3` }, 'VARIATION'],
      ['simple-change', { content: `${origin} R` }, 'REROLL'],
      ['action', { taskId: origin, customId: 'MJ::JOB::upsample::1::uuid' }, 'UPSCALE'],
      ['action', { taskId: origin, customId: 'MJ::Outpaint::50::1::uuid::SOLO' }, 'ZOOM'],
      ['action', { taskId: origin, customId: 'MJ::JOB::pan_left::1::uuid::SOLO' }, 'PAN'],
      ['action', { taskId: origin, customId: 'MJ::JOB::high_variation::1::uuid::SOLO' }, 'HIGH_VARIATION'],
      ['modal', { taskId: origin, prompt: 'and a door', maskBase64: picture }, 'MODAL'],
    ];
    for (const [path, body, action] of asked) {
      const { result } = await submitted(`/mj/submit/${path}`, body);
      const row = await rowOf(result);
      expect(row, path).to.include({ action, channelId: channel });
      expect(proxy.asked.at(-1)?.json, path).to.deep.equal(body);
    }
    const swapped = await submitted('/mj/insight-face/swap', { sourceBase64: picture, targetBase64: picture });
    expect(await rowOf(swapped.result)).to.include({ action: 'SWAP_FACE', quota: 25_000 });
    const uploaded = await submitted('/mj/submit/upload-discord-images', { base64Array: [picture] });
    expect(uploaded.result).to.deep.equal(['https://cdn.example.com/up/1.png']);
    const row = await Task.findOne({ userId: user.id, action: 'UPLOAD' }).lean();
    expect(row).to.include({ status: 'SUCCESS', progress: '100%' });
    expect(row).not.to.have.property('isOpen');
  });

  it('asks the channel that made a picture, whichever serves its model now', async () => {
    const other = await startFakeTaskProvider();
    const second = await gateway.channel({ type: 2, baseUrl: other.url, models: ['mj_upscale'], priority: 10 });
    try {
      const origin = await drawn();
      await submitted('/mj/submit/change', { taskId: origin, action: 'UPSCALE', index: 1 });
      expect(other.asked).to.have.length(0);
      expect(proxy.asked.at(-1)?.path).to.equal('/mj/submit/change');
    } finally {
      await gateway.changeChannel(second, { status: 2 });
      await other.close();
    }
  });

  it('passes on what a provider refuses, charges nothing and keeps the reason', async () => {
    const owner = await gateway.user();
    for (const [code, description] of [
      [24, 'May contain a sensitive word'],
      [23, 'The queue is full'],
      [4, 'wrong'],
    ] as const) {
      proxy.answers(() => ({ body: { code, description, result: '', properties: { bannedWord: 'x' } } }));
      const answer = await submitted('/mj/submit/imagine', { prompt: 'x' }, owner);
      expect(answer).to.deep.equal({ code, description, result: '', properties: { bannedWord: 'x' } });
      expect(await Task.findOne({ userId: owner.id, code }).lean()).to.include({
        status: 'FAILURE',
        failReason: description,
        refund: 'none',
      });
    }
    proxy.answers(() => ({ body: { code: 22, description: 'In queue', result: '1741001500777002', properties: {} } }));
    expect(await submitted('/mj/submit/imagine', { prompt: 'x' }, owner)).to.include({ code: 1, result: '1741001500777002' });
    expect(await gateway.events(owner)).to.have.length(1);
    expect(await gateway.held(owner)).to.equal(imagine);
  });

  it('charges a task that was submitted before only once, and keeps one row of it', async () => {
    const owner = await gateway.user();
    const exists = { code: 21, description: 'Task already exists', result: '1741001500000001' };
    proxy.answers(() => ({ body: { ...exists, properties: { status: 'SUCCESS', imageUrl: 'https://cdn.example.com/1.png' } } }));
    for (let round = 0; round < 2; round += 1) {
      expect(await submitted('/mj/submit/imagine', { prompt: 'x' }, owner)).to.include({ code: 1, result: exists.result });
    }
    expect(await gateway.events(owner)).to.have.length(1);
    expect(await gateway.held(owner)).to.equal(imagine);
    const kept = await Task.find({ userId: owner.id }).lean();
    expect(kept).to.have.length(1);
    expect(kept[0]).to.include({ status: 'SUCCESS', imageUrl: 'https://cdn.example.com/1.png' });
  });

  it('charges what goes on under the name of a task that had failed', async () => {
    const owner = await gateway.user();
    const id = await drawn(owner);
    await rows.tasks().updateOne({ upstreamId: id }, { $set: { status: 'FAILURE', refund: 'done' } });
    proxy.answers(() => ({ body: { code: 1, description: 'Submit success', result: id, properties: {} } }));
    expect(await submitted('/mj/submit/imagine', { prompt: 'once more' }, owner)).to.include({ code: 1, result: id });
    expect(await gateway.held(owner)).to.equal(2 * imagine);
    expect(await rowOf(id)).to.include({ status: 'SUBMITTED', prompt: 'once more' });
    expect(await Task.findOne({ userId: owner.id, status: 'FAILURE' }).lean()).to.include({ refund: 'done' });
  });

  it('shows nobody the picture of somebody else, when a provider calls a new task by its name', async () => {
    const [owner, other] = [await gateway.user(), await gateway.user()];
    const id = await drawn(other);
    proxy.answers(() => ({ body: { code: 1, description: 'Submit success', result: id, properties: {} } }));
    expect((await post('/mj/submit/imagine', { prompt: 'x' }, owner)).status).to.equal(502);
    expect((await get(`/mj/task/${id}/fetch`, owner)).status).to.equal(400);
    expect(await gateway.held(owner)).to.equal(0);
    expect(await Task.findOne({ userId: owner.id }).lean()).to.include({ status: 'FAILURE', refund: 'none' });
  });

  it('leaves a modal to pay for the button that opened it, which keeps its code', async () => {
    const owner = await gateway.user();
    const origin = await drawn(owner);
    const id = '1741001500009999';
    proxy.answers(() => ({ body: { code: 21, description: 'Waiting', result: id, properties: { status: 'MODAL' } } }));
    const pressed = await submitted('/mj/submit/action', { taskId: origin, customId: 'MJ::Inpaint::1::uuid::SOLO' }, owner);
    expect(pressed).to.include({ code: 21, result: id });
    proxy.answers(() => ({ body: { code: 1, description: 'Submit success', result: id, properties: {} } }));
    expect(await submitted('/mj/submit/modal', { taskId: id, prompt: 'a door' }, owner)).to.include({ code: 1, result: id });
    const quotas = (await gateway.events(owner)).map(({ model, quota }) => [model, quota]);
    expect(quotas).to.have.deep.members([
      ['mj_imagine', imagine],
      ['mj_inpaint', 0],
      ['mj_modal', imagine],
    ]);
  });

  it('charges each confirmation of a modal that begins new work, and keeps a row of each', async () => {
    const owner = await gateway.user();
    const origin = await drawn(owner);
    const id = '1741001500008888';
    proxy.answers(() => ({ body: { code: 21, description: 'Waiting', result: id, properties: { status: 'MODAL' } } }));
    await submitted('/mj/submit/action', { taskId: origin, customId: 'MJ::CustomZoom::1::uuid::SOLO' }, owner);
    for (const code of [1, 1, 22, 1]) {
      proxy.answers(() => ({ body: { code, description: 'Submit success', result: id, properties: {} } }));
      await submitted('/mj/submit/modal', { taskId: id, prompt: 'a door' }, owner);
    }
    proxy.answers(() => ({ body: { code: 21, description: 'Task already exists', result: id, properties: {} } }));
    await submitted('/mj/submit/modal', { taskId: id, prompt: 'a door' }, owner);
    const quotas = (await gateway.events(owner)).map(({ quota }) => Number(quota));
    expect(quotas.sort((a, b) => a - b)).to.deep.equal([0, imagine, imagine, imagine, imagine, imagine]);
    expect(await gateway.held(owner)).to.equal(5 * imagine);
    const modals = await rows.tasks().find({ userId: owner.id, action: 'MODAL' }).toArray();
    expect(modals.map(({ quota }) => quota)).to.deep.equal([imagine, imagine, imagine, imagine]);
    expect(modals.filter(({ upstreamId }) => upstreamId === id)).to.have.length(1);
    expect(modals.filter(({ isOpen }) => isOpen)).to.have.length(1);
  });

  it('charges a button that needs no modal, whatever its name promises', async () => {
    const names = ['MJ::CustomZoom::1::uuid::SOLO', 'MJ::Inpaint::1::uuid::SOLO'];
    for (const [code, customId] of [1, 22].flatMap((each) => names.map((name) => [each, name] as const))) {
      const owner = await gateway.user();
      proxy.answers(undefined);
      const origin = await drawn(owner);
      proxy.answers(() => ({
        body: { code, description: 'Submit success', result: `17410015${code}${owner.id}${names.indexOf(customId)}`, properties: {} },
      }));
      await submitted('/mj/submit/action', { taskId: origin, customId }, owner);
      const quotas = (await gateway.events(owner)).map(({ quota }) => quota);
      expect(quotas, customId).to.deep.equal([imagine, imagine]);
    }
  });

  it('tries the next channel where one has no account, and tells the console of it', async () => {
    const other = await startFakeTaskProvider();
    const second = await gateway.channel({ type: 2, baseUrl: other.url, models: ['mj_imagine'], priority: 20, autoBan: true });
    other.answers(() => ({ body: { code: 3, description: 'No available account instance', result: '', properties: {} } }));
    try {
      await gateway.options({ RetryTimes: '2' });
      await gateway.redis.del('channel:failures');
      await eventually(async () => {
        const { result } = await submitted('/mj/submit/imagine', { prompt: 'x' });
        expect(await rowOf(result)).to.include({ channelId: channel });
        expect(other.asked.length).to.be.greaterThan(0);
      });
      await eventually(async () => {
        const told = (await gateway.redis.lrange('channel:failures', 0, -1)).map((text) => JSON.parse(text) as { channelId: number });
        expect(told.map(({ channelId }) => channelId)).to.include(second);
      });
    } finally {
      await gateway.changeChannel(second, { status: 2 });
      await gateway.options({ RetryTimes: '0' });
      await other.close();
    }
  });

  it('refuses bad input before anybody is asked, and charges nothing', async () => {
    const owner = await gateway.user();
    const open = (await submitted('/mj/submit/imagine', { prompt: 'x' })).result as string; // has not ended
    const foreign = await drawn();
    const asked = proxy.asked.length;
    const bad: [string, unknown, RegExp][] = [
      ['submit/imagine', {}, /prompt_is_required/],
      ['submit/imagine', { prompt: 7 }, /prompt/],
      ['submit/imagine', { prompt: 'x', Prompt: 'y' }, /must be written prompt/],
      ['submit/imagine', { prompt: 'x', NOTIFYHOOK: 'http://me.example' }, /must be written notifyHook/],
      ['submit/change', { taskId: open, taskid: foreign, action: 'REROLL' }, /must be written taskId/],
      ['submit/imagine', { prompt: 'x', base64Array: ['no picture at all'] }, /no picture/],
      ['submit/imagine', { prompt: 'x', base64Array: 'text' }, /list/],
      ['submit/blend', { base64Array: [picture, 'data:text/html;base64,PGI+'] }, /no picture/],
      ['submit/blend', {}, /base64Array/],
      ['insight-face/swap', { sourceBase64: picture }, /targetBase64_is_required/],
      ['submit/change', { taskId: foreign, action: 'UPSCALE' }, /index_is_required/],
      ['submit/change', { taskId: foreign, action: 'UPSCALE', index: 5 }, /index/],
      ['submit/change', { taskId: foreign, action: 'EXPLODE', index: 1 }, /unknown_action/],
      ['submit/change', { action: 'REROLL' }, /taskId_is_required/],
      ['submit/simple-change', { content: 'U9' }, /content_parse_failed/],
      ['submit/action', { taskId: foreign, customId: 'MJ::Nonsense' }, /unknown_action:MJ::Nonsense/],
      ['submit/action', { taskId: foreign, customId: 'MJ::JOB::upsample::7::uuid' }, /index/],
      ['submit/modal', {}, /taskId_is_required/],
      ['submit/change', { taskId: foreign, action: 'REROLL' }, /task_not_found/],
      ['submit/change', { taskId: 'no-such', action: 'REROLL' }, /task_not_found/],
    ];
    for (const [path, body, words] of bad) {
      const answer = await post(`/mj/${path}`, body, owner);
      const json = (await answer.json()) as { code: number; description: string };
      expect([answer.status, json.code], path).to.deep.equal([400, 4]);
      expect(json.description, path).to.match(words);
    }
    const unfinished = await post('/mj/submit/change', { taskId: open, action: 'REROLL' });
    expect(await unfinished.text()).to.match(/task_status_not_success/);
    const large = await post('/mj/submit/blend', { base64Array: [picture + 'A'.repeat(50 * 1024 * 1024)] }, owner).catch(() => undefined);
    expect(large?.status ?? 413).to.equal(413);
    expect(proxy.asked).to.have.length(asked);
    expect(await gateway.held(owner)).to.equal(0);
    expect(await Task.countDocuments({ userId: owner.id })).to.equal(0);
  });

  it('carries pictures of megabytes as they came', async () => {
    const large = picture + 'A'.repeat(3 * 1024 * 1024);
    await submitted('/mj/submit/blend', { base64Array: [large, picture] });
    const [sent] = proxy.asked.slice(-1);
    expect((sent?.json.base64Array as string[] | undefined)?.[0]).to.equal(large);
  });

  it('tells of own tasks only, alone and in lists', async () => {
    const stranger = await gateway.user();
    const id = await drawn();
    await rows.tasks().updateOne({ upstreamId: id }, { $set: { imageUrl: 'https://cdn.example.com/1.png' } });
    const task = (await (await get(`/mj/task/${id}/fetch`)).json()) as Record<string, unknown>;
    expect(task).to.include({ id, action: 'IMAGINE', status: 'SUCCESS', progress: '100%', prompt: 'a tiny house' });
    expect(task.imageUrl).to.match(/\/mj\/image\/\w+\?expires=\d+&v=\w+&sign=/);
    expect(task).to.have.all.keys(
      ...['id', 'action', 'customId', 'botType', 'prompt', 'promptEn', 'description', 'state', 'submitTime', 'startTime', 'finishTime'],
      ...['imageUrl', 'status', 'progress', 'failReason', 'buttons', 'maskBase64', 'properties'],
    );
    const list = (await (await post('/mj/task/list-by-condition', { ids: [id, 'other'] })).json()) as unknown[];
    expect(list).to.have.length(1);
    expect((await get(`/mj/task/${id}/fetch`, stranger)).status).to.equal(400);
    expect(await (await post('/mj/task/list-by-condition', { ids: [id] }, stranger)).json()).to.deep.equal([]);
    expect(await (await get(`/mj/task/${id}/image-seed`)).json()).to.deep.equal({ code: 1, description: 'Success', result: '3740201' });
    expect((await get(`/mj/task/${id}/image-seed`, stranger)).status).to.equal(400);
  });

  it('forwards a picture by a signed link alone, as a picture', async () => {
    const id = await drawn();
    const bytes = Buffer.from('89504e470d0a1a0a', 'hex');
    const source = createServer((request, response) => {
      response.writeHead(200, { 'content-type': request.url === '/1.png' ? 'image/png' : 'text/html' }).end(bytes);
    });
    await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
    const drawnAt = (url: string) => rows.tasks().updateOne({ upstreamId: id }, { $set: { imageUrl: url } });
    try {
      await drawnAt(`${address}/1.png`);
      const { imageUrl } = (await (await get(`/mj/task/${id}/fetch`)).json()) as { imageUrl: string };
      const { pathname, search } = new URL(imageUrl);
      const forwarded = await fetch(gateway.url + pathname + search);
      expect(Buffer.from(await forwarded.arrayBuffer())).to.deep.equal(bytes);
      expect(forwarded.headers.get('content-type')).to.equal('image/png');
      for (const query of ['', search.replace(/sign=./, 'sign=~'), search.replace(/expires=\d+/, 'expires=9999999999')]) {
        expect((await fetch(gateway.url + pathname + query)).status, query).to.equal(403);
      }
      // What is no picture does not reach a browser that is on the console's own host, nor does what stands in the house.
      for (const url of [`${address}/page`, 'http://10.0.0.1/1.png', 'file:///etc/passwd']) {
        await drawnAt(url);
        expect((await fetch(gateway.url + pathname + search)).status, url).to.equal(502);
      }
    } finally {
      source.closeAllConnections();
      source.close();
    }
  });

  it('gives a callback address of its own to each task, and believes nothing that is said there', async () => {
    await gateway.options({ MjNotifyEnabled: 'true', ServerAddress: 'https://gate.example' });
    const heard: string[] = [];
    const listener = gateway.redis.duplicate();
    try {
      await listener.subscribe('task:hints');
      listener.on('message', (_channel, message) => heard.push(message));
      let hook = '';
      await eventually(async () => {
        await submitted('/mj/submit/imagine', { prompt: 'x' });
        hook = (proxy.asked.at(-1)?.json.notifyHook as string) ?? '';
        expect(hook).to.match(/^https:\/\/gate\.example\/mj\/notify\/\w+\/[\w-]+$/);
      });
      const { pathname } = new URL(hook);
      const taskId = pathname.split('/')[3];
      const lie = { id: 'x', status: 'FAILURE', failReason: 'pay me back', progress: '100%' };
      for (const path of [pathname.slice(0, -3), `${pathname.slice(0, pathname.lastIndexOf('/'))}`, '/mj/notify']) {
        expect((await gateway.post(path, lie)).status, path).to.equal(403);
      }
      expect((await gateway.post(pathname, lie)).status).to.equal(200);
      await eventually(() => expect(heard).to.deep.equal([JSON.stringify({ taskId, upstreamId: 'x' })]));
      expect(await Task.findById(taskId).lean()).to.include({ status: 'SUBMITTED' });
      // A caller who wants to be told himself is.
      await submitted('/mj/submit/imagine', { prompt: 'x', notifyHook: 'http://me.example/hook' });
      expect(proxy.asked.at(-1)?.json.notifyHook).to.equal('http://me.example/hook');
    } finally {
      listener.disconnect();
      await gateway.options({ MjNotifyEnabled: 'false', ServerAddress: '' });
    }
  });

  it('does what its options say', async () => {
    const imagineWith = async (prompt: string) => {
      await submitted('/mj/submit/imagine', { prompt, accountFilter: { modes: ['FAST'] } });
      return proxy.asked.at(-1)?.json as Record<string, unknown>;
    };
    await optionsNow(
      { MjModeClearEnabled: 'true' },
      async () => (await imagineWith('a --fast --ar 1:1 --TURBO \u2014Relax')).prompt === 'a --ar 1:1',
    );
    await optionsNow({ MjAccountFilterEnabled: 'true' }, async () => 'accountFilter' in (await imagineWith('a')));
    const open = (await submitted('/mj/submit/imagine', { prompt: 'x' })).result as string;
    const rerolls = async () => (await post('/mj/submit/change', { taskId: open, action: 'REROLL' })).status === 200;
    expect(await rerolls()).to.equal(false);
    await optionsNow({ MjActionCheckSuccessEnabled: 'false' }, rerolls);
    await rows.tasks().updateOne({ upstreamId: open }, { $set: { imageUrl: 'https://cdn.example.com/1.png' } });
    const isDirect = async () =>
      ((await (await get(`/mj/task/${open}/fetch`)).json()) as { imageUrl: string }).imageUrl === 'https://cdn.example.com/1.png';
    await optionsNow({ MjForwardUrlEnabled: 'false' }, isDirect);
    await optionsNow({ DrawingEnabled: 'false' }, async () => (await post('/mj/submit/imagine', { prompt: 'x' })).status === 403);
    expect((await get(`/mj/task/${open}/fetch`)).status).to.equal(200);
    await gateway.options({
      MjModeClearEnabled: 'false',
      MjAccountFilterEnabled: 'false',
      MjActionCheckSuccessEnabled: 'true',
      MjForwardUrlEnabled: 'true',
      DrawingEnabled: 'true',
    });
    await eventually(async () => expect((await post('/mj/submit/imagine', { prompt: 'x' })).status).to.equal(200));
  });

  it('lets a token draw in its own modes alone, however another is asked for', async () => {
    const owner = await gateway.user({ token: { drawingModes: ['relax'] } });
    expect((await post('/mj-relax/mj/submit/imagine', { prompt: 'x --relax' }, owner)).status).to.equal(200);
    expect((await post('/mj-fast/mj/submit/imagine', { prompt: 'x' }, owner)).status).to.equal(403);
    for (const prompt of ['x --turbo', 'x --Turbo', 'x \u2014fast'])
      expect((await post('/mj/submit/imagine', { prompt }, owner)).status, prompt).to.equal(403);
  });

  it('asks nobody for whom nothing is left, and one task of ten at once finds what there is', async () => {
    const poor = await gateway.user({ balance: imagine });
    const answers = await Promise.all(Array.from({ length: 10 }, () => post('/mj/submit/imagine', { prompt: 'x' }, poor)));
    const taken = answers.filter(({ status }) => status === 200);
    expect(taken).to.have.length(1);
    expect(proxy.asked).to.have.length(1);
    expect(await gateway.held(poor)).to.equal(imagine);
  });
});
