import { eventually, freePort, orSkip } from '@tollgate/testing';
import { expect } from 'chai';
import type { Locator, Page, Route } from 'playwright-core';
import { prefer, sidewaysOverflow } from './support/browser.ts';
import { signIn } from './support/session.ts';
import { failing, intercept, openSite, type Site } from './support/site.ts';

const widths = [360, 768, 1280];
const lists = ['/token', '/channel', '/user', '/log'];
const editors = ['/token/edit/1', '/channel/edit/1', '/user/edit/2'];

interface Look {
  on?: Page;
  look?: () => Promise<void>;
}

describe('Hard times, in a browser', () => {
  let site: Site;
  let page: Page;
  const send = <T>(method: string, path: string, body?: unknown): Promise<T> => site.installation.console<T>(path, { method, body });
  const dialog = (name: string): Locator => page.getByRole('dialog', { name });
  const go = (path: string): Promise<unknown> => page.goto(`${site.installation.address}${path}`);
  /** Loads the first list and the first editor; the others are gone to from there. */
  const come = (path: string): Promise<unknown> => (path === lists[0] || path === editors[0] ? go : site.goOn)(path);
  const notice = (): Locator => page.getByRole('alert').first();
  const again = (): Locator => page.getByRole('main').getByRole('alert').getByRole('button', { name: 'Try again' });
  /** That people see something, and that nothing turns for ever. */
  const shows = async (what: string, on = page): Promise<void> => {
    await eventually(async () => {
      expect((await on.locator('#root').textContent())?.trim(), what).to.not.equal('');
      expect(await on.locator('[role="progressbar"]:not([aria-valuenow])').count(), `${what}: spinners`).to.equal(0);
    });
  };

  /** The same at every width, and nothing hangs over the edge. */
  const atEachWidth = async (what: string, { on = page, look = async () => {} }: Look = {}): Promise<void> => {
    for (const width of widths) {
      await on.setViewportSize({ width, height: 800 });
      await look();
      await shows(`${what} at ${width}`, on);
      expect(await sidewaysOverflow(on), `${what} at ${width}`).to.be.at.most(0);
    }
  };
  const editor = (on: Page): { drawer: Locator; name: Locator; submit: Locator } => {
    const drawer = on.getByRole('dialog');
    return { drawer, name: drawer.getByLabel(/^(Name|Display name)$/), submit: drawer.locator('button[type="submit"]') };
  };

  before(async function () {
    this.timeout(180_000);
    // A port that stays when the console is started again, and a host that is not this machine's own name.
    const port = String(await freePort());
    site = await orSkip(this, () => openSite({ PORT: port, CONSOLE_HOSTS: 'tollgate.test' }));
    page = site.page;
    await send('POST', '/api/token/', { name: 'first', remain_quota: 500_000 });
    await send('POST', '/api/channel/', { name: 'first', type: 1, key: 'sk-x', base_url: 'http://127.0.0.1:9', models: 'some-model' });
    for (const username of ['alice', 'bob']) await send('POST', '/api/user/', { username, password: 'long enough' });
  });
  after(() => site?.close());
  afterEach(async () => {
    if (!page) return;
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().unrouteAll({ behavior: 'ignoreErrors' });
    for (const left of page.context().pages()) if (left !== page) await left.close();
    await page.evaluate(() => sessionStorage.clear()).catch(() => undefined);
    await page.goto('about:blank');
  });

  describe('a part whose code does not come', () => {
    it('of a page leaves the shell, and comes when it is asked for again', async () => {
      await site.open('/token');
      const mend = await intercept(page, /assets\/logs-page/, (route) => route.abort());
      await page.getByRole('link', { name: 'Usage logs' }).click();
      await page.getByRole('alert').getByText('could not be loaded').waitFor();
      await page.getByRole('navigation').getByRole('link', { name: 'Tokens' }).waitFor();
      await mend();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: 'Usage logs' }).waitFor();
    });

    it('of an editor leaves the list, and comes when it is asked for again', async () => {
      await site.open('/channel');
      const mend = await intercept(page, /assets\/channel-drawer/, (route) => route.abort());
      await page.getByRole('link', { name: 'Create channel' }).first().click();
      await page.getByRole('alert').getByText('could not be loaded').waitFor();
      await page.getByRole('heading', { name: 'Channels' }).waitFor();
      await mend();
      await page.getByRole('button', { name: 'Try again' }).click();
      await dialog('Create channel').waitFor();
    });

    it('of a dialog leaves the page, and comes when it is asked for again', async () => {
      await site.open('/user');
      const mend = await intercept(page, /assets\/quota-dialog/, (route) => route.abort());
      await page.getByRole('button', { name: 'More actions: alice' }).click();
      await page.getByRole('menuitem', { name: /quota/i }).click();
      await page.getByRole('alert').getByText('could not be loaded').waitFor();
      await mend();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('dialog').waitFor();
    });

    it('of the question before leaving still asks it', async () => {
      await site.open('/token/add');
      await dialog('Create token').getByLabel('Name').fill('asked all the same');
      await intercept(page, /assets\/confirm-dialog/, (route) => route.abort());
      const asked = page.waitForEvent('dialog');
      await page.keyboard.press('Escape');
      await (await asked).dismiss();
      expect(await dialog('Create token').getByLabel('Name').inputValue()).to.equal('asked all the same');
    });

    it('is gone after an upgrade: the way to another page loads the new ones', async () => {
      await site.open('/token');
      await intercept(page, /assets\/users-page/, (route) => route.fulfill({ status: 404, body: '' }));
      await page.route(`${site.installation.address}/`, (route) =>
        route.fulfill({ contentType: 'text/html', body: '<script src="/assets/index-new.js">' }),
      );
      const loaded = page.waitForEvent('domcontentloaded');
      await page.getByRole('link', { name: 'Users' }).click();
      await loaded;
      expect(new URL(page.url()).pathname).to.equal('/user');
    });

    it('of the first load says so instead of staying white', async () => {
      for (const part of [/assets\/index-.*js/, /assets\/(en|zh)-/, /assets\/(layout|shell)-/]) {
        const mend = await intercept(page, part, (route) => route.abort());
        await go('/token');
        await page.getByText('could not be loaded').waitFor();
        await mend();
      }
    });
  });

  describe('a draft', () => {
    it('survives a reload, secrets apart', async () => {
      await site.open('/channel/add');
      await dialog('Create channel').getByLabel('Name', { exact: true }).fill('half typed');
      await dialog('Create channel').getByRole('textbox', { name: 'Key' }).fill('sk-secret');
      page.once('dialog', (asked) => void asked.accept());
      await page.reload();
      await dialog('Create channel').getByText('Your unsaved input was restored').waitFor();
      expect(await dialog('Create channel').getByLabel('Name', { exact: true }).inputValue()).to.equal('half typed');
      expect(await dialog('Create channel').getByRole('textbox', { name: 'Key' }).inputValue()).to.equal('');
      expect(JSON.stringify(await page.evaluate(() => ({ ...sessionStorage })))).to.not.include('sk-secret');
      await dialog('Create channel').getByRole('button', { name: 'Discard' }).click();
      expect(await dialog('Create channel').getByLabel('Name', { exact: true }).inputValue()).to.equal('');
    });

    it('survives signing in again', async () => {
      await site.open('/token/edit/1');
      await dialog('Edit token').getByLabel('Name').fill('typed before the session ended');
      await page.context().clearCookies();
      await dialog('Edit token').getByRole('button', { name: 'Save changes' }).click();
      await page.waitForURL('**/login?expired=true**');
      await signIn(page, 'root', '123456');
      await page.waitForURL('**/token/edit/1');
      await dialog('Edit token').getByText('Your unsaved input was restored').waitFor();
      expect(await dialog('Edit token').getByLabel('Name').inputValue()).to.equal('typed before the session ended');
    });
  });

  describe('over plain http, without a clipboard', () => {
    it('a copy is offered by hand, its text selected, and ticked only once it was taken', async () => {
      const address = site.installation.address.replace('127.0.0.1', 'tollgate.test');
      await page.goto(`${address}/login`);
      await signIn(page, 'root', '123456');
      await page.waitForURL('**/token');
      expect(await page.evaluate(() => navigator.clipboard === undefined)).to.equal(true);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        const button = page.getByRole('button', { name: 'Copy the key of first' });
        await button.click();
        await dialog('Cannot copy to clipboard, please copy manually').getByRole('textbox').waitFor();
        await eventually(async () => expect(await page.evaluate(() => getSelection()?.toString())).to.match(/^sk-\w{48}$/));
        expect(await sidewaysOverflow(page)).to.be.at.most(0);
        await page.keyboard.press('Escape');
        await dialog('Cannot copy to clipboard, please copy manually').waitFor({ state: 'detached' });
        expect(await button.getAttribute('data-done')).to.equal(null);
        await button.click();
        await dialog('Cannot copy to clipboard, please copy manually').getByRole('textbox').press('Control+c');
        await button.and(page.locator('[data-done]')).waitFor();
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    });
  });

  describe('the server', () => {
    const answers: Record<string, (route: Route) => unknown> = {
      'answers 500': failing,
      'answers 429': (route) =>
        route.fulfill({ status: 429, contentType: 'application/json', body: '{"success":false,"message":"slow down"}' }),
      'is unreachable': (route) => route.abort(),
    };
    for (const [what, answer] of Object.entries(answers)) {
      it(`${what}: lists and editors say so, and a save keeps what was typed`, async function () {
        this.timeout(120_000);
        const mend = await intercept(page, /\/api\//, answer);
        for (const path of [...lists, ...editors]) {
          await come(path);
          await atEachWidth(path, { look: () => notice().waitFor() });
        }
        for (const path of ['/chat', '/playground', '/start']) {
          await site.goOn(path);
          await again().waitFor();
        }
        await mend();
        await again().click();
        await again().waitFor({ state: 'detached' });
        await page.getByRole('listitem').filter({ hasText: 'Create a channel' }).getByRole('img', { name: 'Done' }).waitFor();
        for (const path of editors) {
          await go(path);
          const drawer = page.getByRole('dialog');
          const name = drawer.getByLabel(/^(Name|Display name)$/);
          await name.fill('typed');
          const restore = await intercept(page, /\/api\//, answer);
          await drawer.locator('button[type="submit"]').click();
          await drawer.getByRole('alert').waitFor();
          await shows(path);
          expect(await name.inputValue()).to.equal('typed');
          await restore();
          await page.evaluate(() => sessionStorage.clear());
        }
      });
    }

    it('takes 3 s for every answer: lists come, editors work', async function () {
      this.timeout(120_000);
      const context = page.context();
      const mend = await intercept(context, /\/api\//, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 3000));
        await route.continue().catch(() => undefined);
      });
      const look = async (): Promise<void> => {
        for (const path of lists) {
          await come(path);
          await page.locator('h1').waitFor();
          await atEachWidth(path);
        }
      };
      const rename = async (path: string): Promise<void> => {
        const on = await context.newPage();
        await on.goto(`${site.installation.address}${path}`);
        const { drawer, name, submit } = editor(on);
        await name.fill('slowly renamed');
        await submit.click();
        await drawer.waitFor({ state: 'detached' });
        await atEachWidth(path, { on });
        await on.close();
      };
      // Side by side, for nearly all of it is waiting.
      await Promise.all([look(), ...editors.map(rename)]);
      await mend();
      expect(await send('GET', '/api/token/1')).to.include({ name: 'slowly renamed' });
      expect(await send('GET', '/api/channel/1')).to.include({ name: 'slowly renamed' });
      expect(await send('GET', '/api/user/2')).to.include({ display_name: 'slowly renamed' });
    });

    it('never answers: after a while calls are given up, and say so', async function () {
      this.timeout(120_000);
      await page.clock.install();
      await go('/token/edit/1');
      const name = dialog('Edit token').getByLabel('Name');
      await name.fill('no answer');
      await intercept(page, /\/api\//, () => undefined);
      await dialog('Edit token').getByRole('button', { name: 'Save changes' }).click();
      await page.clock.fastForward(20_000);
      await dialog('Edit token').getByText('did not respond in time').waitFor();
      // The list behind it is read again, and gets no answer either.
      await page.clock.fastForward(20_000);
      await shows('a save');
      expect(await name.inputValue()).to.equal('no answer');
      for (const path of [...lists, ...editors]) {
        await come(path);
        await page.locator('h1').waitFor();
        await eventually(async () => {
          await page.clock.fastForward(20_000);
          expect(await page.getByText('did not respond in time').count(), path).to.be.at.least(1);
        });
        await atEachWidth(path);
      }
    });

    it('is restarted while people type into editors, one at each width: the saves come through afterwards', async function () {
      this.timeout(120_000);
      const tabs: Page[] = [page, await page.context().newPage(), await page.context().newPage()];
      const inEach = (work: (on: Page, path: string) => Promise<void>): Promise<unknown> =>
        Promise.all(editors.map((path, index) => work(tabs[index] as Page, path)));
      await inEach(async (on, path) => {
        await on.setViewportSize({ width: widths[editors.indexOf(path)] as number, height: 800 });
        await on.goto(`${site.installation.address}${path}`);
        await editor(on).name.fill('across a restart');
      });
      await site.installation.kill9Supervisor();
      await eventually(
        async () => {
          const isAway = await fetch(site.installation.address).then(
            () => false,
            () => true,
          );
          expect(isAway).to.equal(true);
        },
        { timeoutMs: 30_000 },
      );
      await inEach(async (on) => {
        const { drawer, submit } = editor(on);
        await submit.click();
        await drawer.getByRole('alert').waitFor();
      });
      await site.installation.restart();
      await inEach(async (on, path) => {
        await atEachWidth(path, { on });
        const { drawer, name, submit } = editor(on);
        expect(await name.inputValue()).to.equal('across a restart');
        await submit.click();
        await drawer.waitFor({ state: 'detached' });
        expect(JSON.stringify(await send('GET', `/api${path.replace('/edit', '')}`))).to.include('across a restart');
      });
    });
  });

  describe('another person', () => {
    let second: Page;
    /** Bob's session in this browser's cookies, as his sign-in in another tab sets them; what the tab writes down for all tabs. */
    const bobSignsIn = async (): Promise<string> => {
      const answer = await fetch(`${site.installation.address}/api/user/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'bob', password: 'long enough' }),
      });
      const { data } = (await answer.json()) as { data: unknown };
      const [name = '', value = ''] = (answer.headers.getSetCookie()[0]?.split(';')[0] ?? '').split(/=(.*)/s);
      await page.context().addCookies([{ name, value, url: site.installation.address }]);
      return JSON.stringify(data);
    };
    const firstTabIsBobs = async (): Promise<void> => {
      await page.getByText('You are now signed in as bob').waitFor();
      expect(await page.getByRole('button', { name: /Account/ }).textContent()).to.equal('bob');
      expect(await page.getByText('alice').count()).to.equal(0);
    };
    beforeEach(async () => {
      second = await page.context().newPage();
      await second.goto(`${site.installation.address}/favicon.svg`);
      await second.evaluate(() => localStorage.removeItem('user'));
      await go('/login?next=/user');
      await signIn(page, 'root', '123456');
      await page.waitForURL('**/user');
    });

    it('who signs in in a second tab is noticed in the first, which shows them nothing of the other', async () => {
      await page.getByRole('row', { name: /alice/ }).waitFor();
      const other = await page.context().newPage();
      await other.goto(`${site.installation.address}/token`);
      await other.getByRole('button', { name: /Account/ }).click();
      await other.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.waitForURL('**/login**');
      await signIn(page, 'root', '123456');
      await page.waitForURL('**/user');
      await other.close();
      // As when a tab slept through the other's signing out and in.
      await prefer(second, { user: await bobSignsIn() });
      await firstTabIsBobs();
    });

    it('is noticed too where the server refused a call of the first tab before that heard of them', async () => {
      await page.getByRole('row', { name: /alice/ }).waitFor();
      const user = await bobSignsIn();
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.waitForURL('**/login?expired=true**');
      await prefer(second, { user });
      await firstTabIsBobs();
    });
  });
});
