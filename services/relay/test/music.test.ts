import { Task } from '@tollgate/db';
import { eventually, type FakeTaskProvider, startFakeTaskProvider } from '@tollgate/testing';
import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser } from './support/gateway.ts';

describe('Music', () => {
  let gateway: Gateway;
  let suno: FakeTaskProvider;
  let user: TestUser;
  let channel: number;

  before(async () => {
    gateway = await startGateway();
    suno = await startFakeTaskProvider();
    user = await gateway.user({ balance: 100_000_000 });
    channel = await gateway.channel({ type: 36, baseUrl: suno.url, key: 'suno-key', models: ['suno_music', 'suno_lyrics'] });
    await eventually(async () => expect((await post('/suno/submit/music', { prompt: 'x' })).status).to.equal(200), { timeoutMs: 20_000 });
  });
  after(async () => {
    await gateway.stop();
    await suno.close();
  });
  beforeEach(() => suno.reset());

  const post = (path: string, body: unknown, owner = user) => gateway.post(path, body, { authorization: owner.token.authorization });
  const get = (path: string, owner = user) => fetch(gateway.url + path, { headers: { authorization: owner.token.authorization } });

  it('is submitted with what the provider expects, charged and kept in a row', async () => {
    const owner = await gateway.user();
    const answer = (await (await post('/suno/submit/music', { gpt_description_prompt: 'rain', tags: 'calm' }, owner)).json()) as {
      data: string;
    };
    expect(answer).to.include({ code: 'success', message: '' });
    const [{ path, headers, json }] = suno.asked as [(typeof suno.asked)[0]];
    expect([path, headers.authorization]).to.deep.equal(['/suno/submit/MUSIC', 'Bearer suno-key']);
    expect(json).to.deep.equal({ gpt_description_prompt: 'rain', tags: 'calm', mv: 'chirp-v3-0', make_instrumental: false });
    expect(await gateway.bill(owner)).to.include({ mode: 'music', model: 'suno_music', quota: 50_000, channelId: channel });
    const row = await Task.findOne({ upstreamId: answer.data }).lean();
    expect(row).to.include({ kind: 'music', action: 'MUSIC', prompt: 'rain', status: 'SUBMITTED', isOpen: true });
    const task = (await (await get(`/suno/fetch/${answer.data}`, owner)).json()) as { code: string; data: Record<string, unknown> };
    expect(task.code).to.equal('success');
    expect(task.data).to.include({
      task_id: answer.data,
      action: 'MUSIC',
      status: 'SUBMITTED',
      progress: '0%',
      finish_time: 0,
      data: null,
    });
    const list = (await (await post('/suno/fetch', { ids: [answer.data, 'other'] }, owner)).json()) as { data: unknown[] };
    expect(list.data).to.deep.equal([task.data]);
    expect((await get(`/suno/fetch/${answer.data}`)).status).to.equal(400);
    expect(await (await post('/suno/fetch', { ids: [answer.data] })).json()).to.deep.equal({ code: 'success', message: '', data: [] });
  });

  it('writes lyrics, and goes on with a song where it was made', async () => {
    const first = (await (await post('/suno/submit/LYRICS', { prompt: 'rain' })).json()) as { data: string };
    expect(suno.asked.at(-1)?.json).to.deep.equal({ prompt: 'rain', make_instrumental: false });
    const more = { prompt: 'and sun', continue_clip_id: 'clip-1', continue_at: 30 };
    expect((await post('/suno/submit/music', more)).status).to.equal(400);
    expect((await post('/suno/submit/music', { ...more, task_id: 'no-such' })).status).to.equal(400);
    expect((await post('/suno/submit/music', { ...more, task_id: first.data })).status).to.equal(200);
  });

  it('says in its own words what is wrong, and charges nothing', async () => {
    const owner = await gateway.user();
    const refused: [string, unknown, number, string][] = [
      ['/suno/submit/lyrics', {}, 400, 'invalid_request'],
      ['/suno/submit/dance', { prompt: 'x' }, 400, 'invalid_request'],
      ['/suno/submit/music', { prompt: 'x', make_instrumental: 'yes' }, 400, 'invalid_request'],
    ];
    for (const [path, body, status, code] of refused) {
      const answer = await post(path, body, owner);
      expect(answer.status, path).to.equal(status);
      expect(await answer.json(), path).to.include({ code, data: null });
    }
    suno.answers(() => ({ body: { code: 'insufficient_credits', message: 'no credits left', data: null } }));
    const refusal = await post('/suno/submit/music', { prompt: 'x' }, owner);
    expect([refusal.status, await refusal.json()]).to.deep.equal([
      500,
      { code: 'insufficient_credits', message: 'no credits left', data: null },
    ]);
    for (const broken of ['hang up', '{}', '[1]']) {
      suno.answers(() => (broken === 'hang up' ? 'cut' : { body: broken }));
      expect((await post('/suno/submit/music', { prompt: 'x' }, owner)).status, broken).to.equal(502);
    }
    expect(await gateway.held(owner)).to.equal(0);
    expect(await Task.countDocuments({ userId: owner.id, status: 'FAILURE', refund: 'none' })).to.equal(4);
  });
});
