import { rows } from '@tollgate/db';
import { eventually, type FakeTaskProvider, startFakeTaskProvider } from '@tollgate/testing';
import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser } from './support/gateway.ts';

type Answer = Record<string, unknown> & { code: unknown; result: string; data: string };
interface Task {
  id: string;
  status: string;
}

const picture = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64')}`;
const modal = { code: 21, description: 'Waiting for window confirm', result: '1741001599999999', properties: { finalPrompt: 'a cat' } };

/**
 * What public clients send, field by field, in the order of a session:
 * https://github.com/Dooy/chatgpt-web-midjourney-proxy (src/api/mjapi.ts), https://github.com/lobehub/lobe-midjourney-webui
 * (src/services/Midjourney.ts), and callers of Suno-API, who name all of its fields, empty or null.
 */
describe('Clients of midjourney-proxy and Suno-API', () => {
  let gateway: Gateway;
  let provider: FakeTaskProvider;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    provider = await startFakeTaskProvider();
    user = await gateway.user({ balance: 100_000_000 });
    const drawing = ['mj_imagine', 'mj_blend', 'mj_describe', 'mj_shorten', 'swap_face'];
    await gateway.channel({ type: 5, baseUrl: provider.url, key: 'mj-key', models: drawing });
    await gateway.channel({ type: 36, baseUrl: provider.url, key: 'suno-key', models: ['suno_music', 'suno_lyrics'] });
    for (const path of ['/mj/submit/imagine', '/suno/submit/music']) {
      await eventually(async () => expect((await ask(path, { prompt: 'x' })).status).to.equal(200), { timeoutMs: 20_000 });
    }
  });
  after(async () => {
    await gateway.stop();
    await provider.close();
  });

  /** As they do: the type of content with every question, the key in the header of theirs. */
  const ask = async (path: string, body?: unknown): Promise<{ status: number; json: unknown }> => {
    const key = user.token.authorization.slice('Bearer '.length);
    const credentials = path.startsWith('/mj') ? { 'mj-api-secret': key } : { authorization: `Bearer ${key}` };
    const answer = await fetch(gateway.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...credentials },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, json: await answer.json() };
  };
  const told = async <T = Answer>(path: string, body?: unknown): Promise<T> => {
    const { status, json } = await ask(path, body);
    expect(status, `${path} ${JSON.stringify(json)}`).to.equal(200);
    return json as T;
  };
  const ends = (upstreamId: string, change: Record<string, unknown>) =>
    rows.tasks().updateOne({ upstreamId }, { $set: { status: 'SUCCESS', progress: '100%', ...change }, $unset: { isOpen: '' } });

  it('draw, look, press buttons, confirm, and find their pictures again', async () => {
    const { code, result } = await told('/mj/submit/imagine', {
      base64Array: [],
      notifyHook: '',
      prompt: 'a cat',
      state: '',
      botType: 'MID_JOURNEY',
    });
    expect(code).to.equal(1);
    const queued = await told<Task[]>('/mj/task/queue');
    expect(queued.map(({ id }) => id)).to.include(result);
    await ends(result, { imageUrl: 'https://cdn.example.com/1.png' });
    expect(await told(`/mj/task/${result}/fetch`)).to.include({ id: result, status: 'SUCCESS', progress: '100%' });
    expect((await told<Task[]>('/mj/task/queue')).map(({ id }) => id)).not.to.include(result);

    const submissions: [string, Record<string, unknown>][] = [
      ['submit/simple-change', { content: `${result} U2` }],
      ['submit/change', { action: 'VARIATION', index: 3, taskId: result }],
      ['submit/change', { action: 'REROLL', taskId: result }],
      ['submit/shorten', { prompt: 'a cat', botType: 'MID_JOURNEY' }],
      ['submit/describe', { base64: picture }],
      ['submit/blend', { base64Array: [picture, picture], dimensions: 'SQUARE', notifyHook: '', botType: 'MID_JOURNEY' }],
      ['insight-face/swap', { sourceBase64: picture, targetBase64: picture }],
    ];
    for (const [path, body] of submissions) expect(await told(`/mj/${path}`, body), path).to.include({ code: 1 });

    provider.answers(() => ({ body: modal }));
    const action = { chooseSameChannel: true, customId: 'MJ::CustomZoom::1', taskId: result };
    const pressed = await told('/mj/submit/action', action);
    expect(pressed).to.deep.include(modal);
    provider.answers(undefined);
    expect(await told('/mj/submit/modal', { taskId: pressed.result, prompt: 'a cat', maskBase64: '' })).to.include({ code: 1 });

    expect(Number((await told(`/mj/task/${result}/image-seed`)).result)).to.be.above(0);
    for (const ids of [[result], [Number(result)]]) {
      expect((await told<Task[]>('/mj/task/list-by-condition', { ids })).map(({ id }) => id)).to.deep.equal([result]);
    }
    const latest = await told<Task[]>('/mj/task/list');
    expect(latest.map(({ id }) => id)).to.include.members([result, pressed.result]);
    const stranger = await gateway.user();
    const theirs = await fetch(`${gateway.url}/mj/task/list`, { headers: { authorization: stranger.token.authorization } });
    expect(await theirs.json()).to.deep.equal([]);
  });

  it('find one account, which stands for all channels and tells of none', async () => {
    const accounts = await told<Record<string, unknown>[]>('/mj/account/list');
    expect(accounts).to.deep.equal([
      {
        id: 'tollgate',
        guildId: '',
        channelId: '',
        userToken: '',
        userAgent: '',
        enable: true,
        timeoutMinutes: 60,
        properties: {},
      },
    ]);
    expect(await told('/mj/account/tollgate/fetch')).to.deep.equal(accounts[0]);
    expect((await fetch(`${gateway.url}/mj/account/list`)).status).to.equal(401);
    const elsewhere = await gateway.user({ group: 'without drawers' });
    const theirs = await fetch(`${gateway.url}/mj/account/list`, { headers: { authorization: elsewhere.token.authorization } });
    expect(await theirs.json()).to.deep.equal([{ ...accounts[0], enable: false }]);
  });

  it('make music with all fields named, and fetch it until it is there', async () => {
    const asked: Record<string, unknown>[] = [
      { mv: 'chirp-v4', make_instrumental: true, tags: 'cinematic,epic', title: 'Rain', gpt_description_prompt: 'calm' },
      {
        prompt: 'la la',
        mv: 'chirp-v4',
        title: 'Rain',
        tags: 'pop',
        make_instrumental: false,
        seed: 3,
        continue_clip_id: null,
        continue_at: null,
        continued_aligned_prompt: null,
        infill_start_s: null,
        infill_end_s: null,
      },
      {
        prompt: '',
        gpt_description_prompt: 'rain',
        tags: '',
        title: '',
        mv: 'chirp-v3-5',
        make_instrumental: false,
        continue_clip_id: '',
        task_id: '',
        generation_type: 'TEXT',
        wait_audio: false,
      },
    ];
    for (const body of asked) {
      const { code, data } = await told('/suno/submit/music', body);
      expect(code).to.equal('success');
      const clip = { id: 'clip', status: 'complete', audio_url: 'https://cdn.example.com/1.mp3' };
      await ends(data, { data: [clip] });
      const fetched = await told<{ code: string; data: { status: string; data: unknown[] } }>(`/suno/fetch/${data}`);
      expect(fetched).to.include({ code: 'success' });
      expect(fetched.data).to.deep.include({ status: 'SUCCESS', data: [clip] });
    }
    expect(await told('/suno/submit/lyrics', { prompt: 'rain', notify_hook: '' })).to.include({ code: 'success' });
  });
});
