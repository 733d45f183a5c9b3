import { expect } from 'chai';
import { sidewaysOverflow } from '../support/browser.ts';
import { intercept, type Site } from '../support/site.ts';

/** What people may type where a name is asked for. Whatever of it ran would leave `broken` behind. */
const hostile = [
  '<img src=x onerror="window.broken=1">',
  '"><script>window.broken=1</script>',
  'javascript:window.broken=1//',
  '\u202Egnp.exe\u202C \u200Fabc\u2066',
  '\u{1F469}\u200D\u{1F469}\u200D\u{1F467}{{constructor}}\u{1F3F3}\uFE0F\u200D\u{1F308}$t(shared:save)',
  'x'.repeat(10_000),
];

/** Words of the product, which no person types: what a row is, not what it is called. */
const ours = new Set([
  'id',
  'status',
  'state',
  'type',
  'verdict',
  'currency',
  'notify_type',
  'platform',
  'message',
  'service',
  'ip',
  'kind',
]);
/** Of options only their values are typed. */
const typedOfOptions = new Set(['value']);

const widths = [360, 1280];
/** Pages and editors, each editor after its page, and what of them must be there before one looks. */
const places = [
  ['/token', '[data-row]'],
  ['/token/edit/:id', '[role="dialog"] button[type="submit"]'],
  ['/channel', '[data-row]'],
  ['/channel/edit/:id', '[role="dialog"] button[type="submit"]'],
  ['/user', '[data-row]'],
  ['/user/edit/:id', '[role="dialog"] button[type="submit"]'],
  ['/channel?view=tags', '[data-row]'],
  ['/redemption', '[data-row]'],
  ['/redemption/edit/:id', '[role="dialog"] button[type="submit"]'],
  ['/log?range=all', '[data-row]'],
  ['/midjourney', '[data-row]'],
  ['/task', '[data-row]'],
  ['/order', '[data-row]'],
  ['/topup', '[data-row]'],
  ['/audit', '[data-row]'],
  ['/jobs', 'main h1'],
  ['/detail', 'main h1'],
  ['/pricing', 'main h1'],
  ['/playground', 'main h1'],
  ['/user/edit', 'main section'],
  ['/setting?tab=operation', '[data-option]'],
  ['/system', 'main table'],
] as const;

/** What they show is the product’s own, or there is none of it here: no model has a price. */
const wordless: readonly string[] = ['/jobs', '/pricing', '/detail', '/system'];

const moment = 1_760_000_000;
const everyTask = {
  user_id: 1,
  username: '',
  channel_id: 1,
  quota: 1,
  submit_time: moment,
  start_time: 0,
  finish_time: moment,
  progress: '',
  action: '',
};
/** One row of each list that is empty in a new installation. */
const rows: [RegExp, object][] = [
  [
    /^\/api\/mj/,
    {
      ...everyTask,
      id: 1,
      mj_id: '',
      code: 1,
      prompt: '',
      prompt_en: '',
      description: '',
      fail_reason: '',
      image_url: '',
      buttons: '',
      properties: '',
      status: 'FAILURE',
    },
  ],
  [
    /^\/api\/task/,
    {
      ...everyTask,
      id: 1,
      task_id: '',
      platform: 'suno',
      fail_reason: '',
      status: 'SUCCESS',
      properties: { input: '' },
      data: [{ title: '', audio_url: '' }],
    },
  ],
  [
    /^\/api\/order/,
    {
      id: 'o1',
      trade_no: '',
      user_id: 1,
      username: '',
      amount: 1,
      quota: 1,
      money: '1.00',
      currency: 'USD',
      payment_method: '',
      status: 'success',
      refunded: '0.00',
      create_time: moment,
      paid_time: moment,
      complete_time: moment,
      completed_by: '',
      callbacks: [{ time: moment, verdict: 'paid', address: '', content: '' }],
    },
  ],
];

/** A server whose every text is hostile, and every page that shows one. */
export function hostileAnswers(site: () => Site): void {
  it('show whatever the server has as text, in every column and every field', async function () {
    this.timeout(240_000);
    const { page, complaints } = site();
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await site().installation.console('/api/redemption/', { method: 'POST', body: { name: 'gift', quota: 1, count: 1 } });
    const already = complaints.length;
    const stop = await intercept(page, /\/api\/(?!status|notice|about|home_page_content)/, async (route) => {
      const { pathname } = new URL(route.request().url());
      if (route.request().method() !== 'GET') return route.continue();
      const answer = await route.fetch();
      if (!answer.headers()['content-type']?.includes('json')) return route.fulfill({ response: answer });
      const body = (await answer.json()) as { data?: { items?: object[]; total?: number } };
      const sample = rows.find(([path]) => path.test(pathname))?.[1];
      if (sample && body.data?.items?.length === 0) Object.assign(body.data, { items: [sample], total: 1 });
      return route.fulfill({ response: answer, json: { ...body, data: poisoned(body.data, pathname.startsWith('/api/option')) } });
    });
    await site().open('/about');
    /** Loading each would take eight times as long: the browser has no cache while calls are intercepted. */
    const come = (path: string): Promise<unknown> => (/edit\/\d/.test(path) ? site().go(path) : site().goOn(path));
    for (const [place, there] of places) {
      const path = await withId(site(), place);
      await come(path);
      await page.locator(there).first().waitFor();
      if (!wordless.includes(place))
        await page.waitForFunction(isHostileShown).catch((error: Error) => Promise.reject(new Error(place, { cause: error })));
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        const found = await page.evaluate(() => ({
          ran: 'broken' in window,
          title: document.querySelector('h1')?.textContent,
          planted: document.querySelectorAll('[onerror], body script:not([src]), a[href^="javascript:" i], iframe[src^="javascript:" i]')
            .length,
        }));
        expect(found.title, path).to.not.equal('This page could not be displayed');
        expect({ path, ran: found.ran, planted: found.planted, dialogs }).to.deep.equal({ path, ran: false, planted: 0, dialogs: [] });
        expect(await sidewaysOverflow(page), `${path} ${width}`).to.be.at.most(0);
      }
    }
    await stop();
    expect(complaints.slice(already).filter((text) => /Content.Security.Policy|broken/i.test(text))).to.deep.equal([]);
  });
}

/** Runs in the page. */
function isHostileShown(): boolean {
  const texts = [...document.querySelectorAll('main, [role="dialog"]')].map((part) => part.textContent);
  const typed = [...document.querySelectorAll<HTMLInputElement>('input, textarea')].map((field) => field.value);
  return /onerror=|<\/script>|javascript:|gnp\.exe|constructor|x{100}/.test([...texts, ...typed].join(' '));
}

/** The address of an editor, of whichever row there is. */
async function withId({ installation }: Site, place: string): Promise<string> {
  const [, list] = /^\/(\w+)\/edit\/:id$/.exec(place) ?? [];
  if (list === undefined) return place;
  const { items } = await installation.console<{ items: { id: number }[] }>(`/api/${list}/?p=1&page_size=10`);
  return place.replace(':id', String(items[0]?.id));
}

let next = 0;
/** The same with every text replaced that a person may have typed. */
function poisoned(value: unknown, isOption: boolean, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => poisoned(each, isOption, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, poisoned(each, isOption, key)]));
  if (typeof value !== 'string' || ours.has(name) || (isOption && !typedOfOptions.has(name)) || isMade(value)) return value;
  next += 1;
  return hostile[next % hostile.length];
}

/** A number, a switch or JSON: the product wrote it so, and reads it. */
function isMade(text: string): boolean {
  return /^(-?\d[\d.]*|true|false)$/.test(text) || /^[[{]/.test(text);
}
