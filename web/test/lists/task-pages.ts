import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { allFindings, cutColumns, prefer, sidewaysOverflow } from '../support/browser.ts';
import { getsFocus } from '../support/keys.ts';
import { keepPicture } from '../support/looks.ts';
import { intercept, type Site } from '../support/site.ts';

const widths = [360, 768, 1280];
/** One white pixel. */
const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=', 'base64');

const task = {
  user_id: 1,
  username: 'root',
  channel_id: 7,
  fail_reason: '',
  quota: 50_000,
  refund: '',
  start_time: 0,
};
const drawing = (id: number, change: object) => ({
  ...task,
  id,
  action: 'IMAGINE',
  mj_id: `1720000000000${id}`,
  code: 1,
  prompt: 'a <b>cat</b>',
  prompt_en: 'a cat',
  description: '',
  state: '',
  image_url: '',
  buttons: '',
  properties: '',
  submit_time: Date.now() - 60_000,
  finish_time: 0,
  status: 'IN_PROGRESS',
  progress: '42%',
  ...change,
});
const picture = 'https://elsewhere.example/mj/image/t2?expires=1&v=2&sign=3';
const failed = { status: 'FAILURE', progress: '100%', code: 24, fail_reason: 'banned words', refund: 'done', finish_time: Date.now() };
const song = {
  ...task,
  id: 9,
  action: 'MUSIC',
  task_id: 'suno-1',
  platform: 'suno',
  created_at: 1,
  updated_at: 1,
  submit_time: Math.floor(Date.now() / 1000) - 30,
  finish_time: Math.floor(Date.now() / 1000),
  status: 'SUCCESS',
  progress: '100%',
  properties: { input: 'a song of rain' },
  data: [{ title: '</pre><script>alert(1)</script>' }],
};
const job = {
  id: 'j1',
  name: 'probe-all',
  attempts: 3,
  created_time: 1,
  started_time: 1_760_000_000,
  ended_time: 1_760_000_004,
  console: 'pod-2:17',
};

/** What a browser shows of drawings, music and jobs, on a product that runs already. */
export function taskPages(site: () => Site): void {
  const page = () => site().page;
  const answers = (items: () => object[]) => ({
    json: { success: true, message: '', data: { items: items(), page: 1, page_size: 10, total: items().length } },
  });
  const row = (name: string) => page().locator('[data-row]', { hasText: name });

  it('Drawings move on while they are looked at, and their pictures open in the page', async () => {
    let rows = [drawing(1, {}), drawing(3, failed)];
    await intercept(page(), /\/api\/mj\b/, (route) => route.fulfill(answers(() => rows)));
    await intercept(page(), /\/mj\/image\/t2/, (route) => route.fulfill({ contentType: 'image/png', body: pixel }));
    await site().open('/midjourney');
    await page().getByText('Callbacks are off').waitFor();
    await row('42%').getByText('In progress').waitFor();
    expect(await row('Failed').textContent())
      .to.contain('Rejected (24)')
      .and.to.contain('banned words');
    await row('Failed').locator('[data-primary]').click();
    await page().getByText('$0.10, given back').waitFor();
    expect(await row('Failed').getByRole('progressbar').count()).to.equal(0);
    rows = [drawing(1, { status: 'SUCCESS', progress: '100%', finish_time: Date.now(), image_url: picture }), drawing(3, failed)];
    const view = page().getByRole('button', { name: 'View image of 17200000000001' });
    await view.waitFor();
    await view.focus();
    await page().keyboard.press('Enter');
    const dialog = page().getByRole('dialog', { name: 'Image' });
    // Read from where the page came from, whatever name the site has elsewhere.
    await eventually(async () => expect(await dialog.getByRole('img').getAttribute('src')).to.equal('/mj/image/t2?expires=1&v=2&sign=3'));
    await dialog.getByRole('img', { name: 'a <b>cat</b>' }).waitFor();
    expect(await allFindings(page())).to.deep.equal([]);
    await page().keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await getsFocus(view);
  });

  it('A task of which its provider has said nothing yet is being submitted', async () => {
    await intercept(page(), /\/api\/task\b/, (route) => route.fulfill(answers(() => [{ ...song, status: '', progress: '' }])));
    await site().open('/task');
    await row('root').getByText('Submitting', { exact: true }).waitFor();
  });

  it('The filters of drawings and tasks are asked for as the server has them, in milliseconds and in seconds', async () => {
    const asked: URL[] = [];
    await intercept(page(), /\/api\/(mj|task)\b/, (route) => {
      asked.push(new URL(route.request().url()));
      return route.fulfill(answers(() => []));
    });
    await site().open('/midjourney?from=1760000000&to=1760000600&status=SUCCESS&id=abc&channel=7');
    await page().getByText('No images yet').waitFor();
    const drawn = Object.fromEntries(asked.at(-1)?.searchParams ?? []);
    expect(drawn).to.include({ start_timestamp: '1760000000000', end_timestamp: '1760000600000', status: 'SUCCESS' });
    expect(drawn).to.include({ mj_id: 'abc', channel_id: '7', p: '1' });
    await site().open('/task?from=1760000000&id=abc');
    await page().getByText('No tasks yet').waitFor();
    expect(Object.fromEntries(asked.at(-1)?.searchParams ?? [])).to.include({ start_timestamp: '1760000000', task_id: 'abc' });
  });

  it('Drawings and tasks are downloaded whole, as the filters have them', async () => {
    const asked: URL[] = [];
    await intercept(page(), /\/api\/(mj|task)\b/, (route) => {
      const url = new URL(route.request().url());
      if (!url.pathname.includes('/export'))
        return route.fulfill(answers(() => (url.pathname.includes('/mj') ? [drawing(1, failed)] : [song])));
      asked.push(url);
      return route.continue();
    });
    const download = async (path: string) => {
      await site().open(path);
      await page().getByRole('button', { name: 'Columns and density' }).click();
      const [file] = await Promise.all([
        page().waitForEvent('download'),
        page().getByRole('menuitem', { name: 'Download all rows (CSV)' }).click(),
      ]);
      return { name: file.suggestedFilename(), text: Buffer.concat(await (await file.createReadStream()).toArray()).toString('utf8') };
    };
    const drawings = await download('/midjourney?from=1760000000&status=SUCCESS&id=abc&channel=7');
    expect(drawings.name).to.match(/^drawings.*\.csv$/);
    expect(drawings.text).to.match(/^.?ID,User ID,Username,Channel ID,/);
    expect(Object.fromEntries(asked[0]?.searchParams ?? [])).to.deep.equal({
      start_timestamp: '1760000000000',
      status: 'SUCCESS',
      mj_id: 'abc',
      channel_id: '7',
      format: 'csv',
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    });
    const music = await download('/task?from=1760000000&id=abc');
    expect(music.name).to.match(/^music.*\.csv$/);
    expect(music.text.split('\r\n')[0]).to.contain(',Task ID,');
    expect(Object.fromEntries(asked[1]?.searchParams ?? [])).to.deep.equal({
      start_timestamp: '1760000000',
      task_id: 'abc',
      format: 'csv',
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    });
  });

  it('The navigation shows drawings and tasks while the options are on', async () => {
    const option = (key: string, value: string) => site().installation.console('/api/option/', { method: 'PUT', body: { key, value } });
    await option('DrawingEnabled', 'false');
    await site().open('/token');
    const navigation = page().getByRole('navigation');
    await navigation.getByRole('link', { name: 'Tasks' }).waitFor();
    expect(await navigation.getByRole('link', { name: 'Images' }).count()).to.equal(0);
    await option('DrawingEnabled', 'true');
    await site().open('/token');
    await navigation.getByRole('link', { name: 'Images' }).click();
    await page().getByRole('heading', { name: 'Images', level: 1 }).waitFor();
  });

  it('The board of jobs shows what begins by itself and what has failed, and runs it again', async () => {
    await site().open('/jobs?view=schedules');
    await row('pay-owed').getByText('15 sec').waitFor();
    await eventually(async () => expect(await row('pay-owed').textContent()).to.match(/:\d+/)); // the console that had it
    const { counts, schedules } = await site().installation.console<{ counts: object; schedules: object[] }>('/api/job');
    const items = [{ ...job, state: 'failed', reason: 'the upstream is away' }];
    let ran = '';
    await intercept(page(), /\/api\/job\b/, (route) => {
      if (route.request().method() === 'POST') ran = new URL(route.request().url()).pathname;
      return route.fulfill({ json: { success: true, message: '', data: { counts, schedules, items: ran ? [] : items } } });
    });
    await page().getByRole('tab', { name: 'Runs' }).click();
    await row('the upstream is away').getByText('pod-2:17').waitFor();
    expect(await allFindings(page())).to.deep.equal([]);
    await page().getByRole('button', { name: 'Run probe-all again' }).click();
    await page().getByText('probe-all started').waitFor();
    expect(ran).to.equal('/api/job/j1/run');
    await page().getByText('No runs yet').waitFor();
  });

  it('Drawings, tasks and jobs fit 360, 768 and 1280 px in both languages and themes, opened rows too, without findings', async function () {
    this.timeout(120_000);
    const states = ['running', 'waiting', 'delayed', 'failed', 'completed'];
    const items = states.map((state, n) => ({ ...job, id: String(n), state, reason: state === 'failed' ? 'x'.repeat(300) : '' }));
    const counts = Object.fromEntries(states.map((state) => [state, 1]));
    const schedules = [{ name: 'pay-owed', every: 15, next_time: 1_760_000_000, last_time: 0, last_console: '' }];
    await intercept(page(), /\/api\/job\b/, (route) =>
      route.fulfill({ json: { success: true, message: '', data: { counts, schedules, items } } }),
    );
    const drawn = [drawing(1, {}), drawing(2, { status: 'SUCCESS', progress: '100%', image_url: picture }), drawing(3, failed)];
    await intercept(page(), /\/api\/mj\b/, (route) => route.fulfill(answers(() => drawn)));
    await intercept(page(), /\/api\/task\b/, (route) => route.fulfill(answers(() => [song])));
    // Something of this page's rows, which none of the others has.
    const seen = { '/midjourney': drawing(1, {}).mj_id, '/task': song.task_id, '/jobs': job.name, '/jobs?view=schedules': 'pay-owed' };
    for (const [language, theme] of [
      ['en', 'light'],
      ['zh', 'dark'],
    ] as const) {
      await prefer(page(), { i18nextLng: language, 'theme-mode': theme });
      await site().open('/token');
      for (const path of ['/midjourney', '/task', '/jobs', '/jobs?view=schedules'] as const) {
        await site().go(path);
        await row(seen[path]).first().waitFor();
        for (const width of widths) {
          await page().setViewportSize({ width, height: 800 });
          expect(await sidewaysOverflow(page()), `${path} ${width} ${language}`).to.be.at.most(0);
          await eventually(async () => expect(await cutColumns(page()), `columns of ${path} ${width} ${language}`).to.be.at.most(0));
          await keepPicture(site(), `tasks ${path} ${width} ${language}`);
        }
        if (path === '/task') {
          await row('Suno').locator('td').first().click();
          await page().locator('[data-detail]').getByText('a song of rain').first().waitFor();
        }
        expect(await allFindings(page()), `${path} ${language}`).to.deep.equal([]);
      }
    }
  });
}
