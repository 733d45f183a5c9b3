import { wireBytes, wireSamples } from '@tollgate/testing';
import { expect } from 'chai';
import { followUpOf, providerOf, simpleChangeOf } from '../src/index.ts';

const target = { baseUrl: 'https://up.example.com', key: 'test-key', model: '' };
const tasksOf = (type: number) => {
  const tasks = providerOf(type)?.tasks;
  if (tasks === undefined) throw new Error(`type ${type} has no tasks`);
  return tasks;
};
const json = (file: string): unknown => JSON.parse(wireBytes(file).toString());

describe('Tasks, as they were recorded', () => {
  for (const sample of wireSamples()) {
    for (const type of sample.channelTypes) {
      if (providerOf(type)?.tasks === undefined) continue;
      it(`${sample.provider}/${sample.case} (type ${type})`, () => {
        const tasks = tasksOf(type);
        const { path, headers = {}, bodyFile } = sample.request;
        expect(tasks.submitUrl(path, target)).to.equal(`https://up.example.com${path}`);
        for (const [name, value] of Object.entries(headers)) {
          expect(providerOf(type)?.headers(target)).to.have.property(name, value.replace(/\$\{key\}/, 'test-key'));
        }
        const answer = json(sample.response.bodyFile);
        if (/list-by-condition|fetch$/.test(path)) {
          const asked = json(bodyFile as string) as { ids: string[] };
          expect(tasks.list(asked.ids, target)).to.deep.equal({ url: `https://up.example.com${path}`, body: asked });
          const news = tasks.news(answer);
          expect(news.map(({ upstreamId }) => upstreamId)).to.deep.equal(asked.ids);
          expect(news.map(({ status }) => status)).to.deep.equal(['SUCCESS', 'FAILURE']);
          expect(news[1]?.failReason).to.match(/moderator|timeout/);
          expect(news[0]?.endedAtMs).to.be.greaterThan(1_741_001_500_000);
          return;
        }
        const { code, taken, upstreamId } = tasks.submission(answer);
        expect(taken).to.equal([1, 21, 22].includes(code));
        expect(upstreamId !== '').to.equal(taken);
      });
    }
  }
});

describe('What providers of tasks say', () => {
  it('is refused when it is no answer at all', () => {
    for (const answer of [null, [], 'no', { code: 'x' }, {}]) expect(() => tasksOf(2).submission(answer)).to.throw(/code/);
    for (const answer of [null, { code: 'success', data: [] }, 'no']) expect(() => tasksOf(2).news(answer)).to.throw(/list/);
    for (const answer of [null, [], { code: 7 }]) expect(() => tasksOf(36).submission(answer)).to.throw(/code/);
    for (const answer of [null, { code: 'error' }, { code: 'success', data: 'x' }]) expect(() => tasksOf(36).news(answer)).to.throw();
  });

  it('is left out where it is no task, and cut to what can be kept', () => {
    expect(tasksOf(2).news([null, 7, {}, { id: '../x' }, { id: 'x'.repeat(200) }])).to.deep.equal([]);
    const [task] = tasksOf(2).news([{ id: 7, status: 'PAID_BACK', progress: '140%', startTime: 'soon', buttons: 'x'.repeat(300_000) }]);
    expect(task).to.include({ upstreamId: '7', status: '', progress: '', startedAtMs: undefined, buttons: undefined });
  });

  it('takes no code for success that names no task', () => {
    expect(tasksOf(2).submission({ code: 1, description: 'ok', result: '' }).taken).to.equal(false);
    expect(tasksOf(36).submission({ code: 'success', data: null }).taken).to.equal(false);
  });
});

describe('Buttons of a drawing', () => {
  const known: [string, string | undefined, number][] = [
    ['MJ::JOB::upsample::2::3dbbd469-demo', 'UPSCALE', 2],
    ['MJ::JOB::upsample_v6_2x_subtle::1::uuid::SOLO', 'UPSCALE', 1],
    ['MJ::JOB::variation::4::uuid', 'VARIATION', 4],
    ['MJ::JOB::low_variation::1::uuid::SOLO', 'LOW_VARIATION', 1],
    ['MJ::JOB::high_variation::1::uuid::SOLO', 'HIGH_VARIATION', 1],
    ['MJ::JOB::pan_left::1::uuid::SOLO', 'PAN', 1],
    ['MJ::JOB::reroll::0::uuid::SOLO', 'REROLL', 1],
    ['MJ::Outpaint::50::1::uuid::SOLO', 'ZOOM', 1],
    ['MJ::CustomZoom::uuid', 'CUSTOM_ZOOM', 1],
    ['MJ::Inpaint::1::uuid::SOLO', 'INPAINT', 1],
    ['MJ::BOOKMARK::uuid', undefined, 0],
    ['', undefined, 0],
  ];
  for (const [customId, action, index] of known) {
    it(`${customId || 'nothing'} is ${action ?? 'unknown'}`, () => {
      expect(followUpOf(customId)).to.deep.equal(action === undefined ? undefined : { action, index });
    });
  }

  it('may be said in short', () => {
    expect(simpleChangeOf('1741001500000001 U2')).to.deep.equal({ taskId: '1741001500000001', action: 'UPSCALE', index: 2 });
    expect(simpleChangeOf(' x v4 ')).to.deep.equal({ taskId: 'x', action: 'VARIATION', index: 4 });
    expect(simpleChangeOf('x R')).to.deep.equal({ taskId: 'x', action: 'REROLL', index: 1 });
    for (const wrong of ['', 'x', 'x U', 'x U5', 'x R2', 'U2']) expect(simpleChangeOf(wrong), wrong).to.equal(undefined);
  });
});
