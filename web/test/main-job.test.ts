import { eventually, type FakeProvider, type Installation, orSkip, startFakeProvider, startInstallation } from '@tollgate/testing';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { allFindings, type Browser, openBrowser, prefer, sidewaysOverflow, visibleRows } from './support/browser.ts';
import { builtPages } from './support/built-pages.ts';
import { keepPicture } from './support/looks.ts';
import { signIn } from './support/session.ts';
import { type Steps, stepsOn } from './support/site.ts';

const model = 'gpt-4o-mini';
// 1000 in and 500 out at ratio 0.075, output 4 times as dear: (1000 + 500 x 4) x 0.075 = 225 quota = 0.000450 dollars.
const usage = { promptTokens: 1000, completionTokens: 500 };
const price = { quota: '225', text: '$0.00045' };
const isEditor = (path: string): boolean => /add|new/.test(path);
const pages = ['/token', '/channel', '/user', '/log', '/channel/add', '/token?new=1'];

describe('The main job, in a browser', () => {
  let browser: Browser;
  let site: Installation;
  let provider: FakeProvider;
  let page: Page;
  let steps: Steps;
  let key: string;

  before(async function () {
    this.timeout(180_000);
    browser = await orSkip(this, () => openBrowser({ moving: true }));
    page = browser.page;
    await builtPages();
    provider = await startFakeProvider({ script: { words: 4, ...usage } });
    site = await startInstallation();
    steps = stepsOn(page, site.address);
  });
  after(async () => {
    await browser?.close();
    await site?.stop();
    await provider?.close();
  });

  const open = (path: string): Promise<void> => steps.open(path);
  /** Goes to a list, or to an editor over it, and waits until both are there. */
  const openFilled = async (path: string, { by = steps.open } = {}): Promise<void> => {
    await by(path);
    await page.locator('[role="table"][aria-busy="false"] [data-row]').first().waitFor();
    if (isEditor(path)) await page.getByRole('dialog').waitFor();
  };
  /** Loads the first page, and the editors, over which nothing may move in; the others are gone to from there. */
  const comeFilled = (path: string): Promise<void> =>
    openFilled(path, { by: path === pages[0] || isEditor(path) ? steps.open : steps.goOn });

  const signOut = async (): Promise<void> => {
    await page.getByRole('button', { name: /Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/login**');
  };

  it('leads a stranger to the sign-in page and remembers where they wanted to go', async () => {
    await page.goto(`${site.address}/channel?keyword=x`);
    await page.waitForURL('**/login?next=%2Fchannel%3Fkeyword%3Dx');
    await signIn(page, 'root', 'not the password');
    await page
      .getByRole('alert')
      .getByText(/incorrect/i)
      .waitFor();
  });

  it('signs in with the factory password and warns of it', async () => {
    await signIn(page, 'root', '123456');
    await page.waitForURL('**/channel?keyword=x');
    await page.getByText('the default password').waitFor();
  });

  it('adds a channel', async () => {
    await open('/channel');
    await page.getByRole('link', { name: 'Create channel' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Create channel' });
    await drawer.getByRole('button', { name: 'Create channel' }).click();
    await drawer.getByText('Enter the key').waitFor();
    await drawer.getByLabel('Name', { exact: true }).fill('Fake provider');
    await drawer.getByLabel('Base URL').fill(provider.url);
    await drawer.getByRole('textbox', { name: 'Key' }).fill('sk-upstream');
    await drawer.getByRole('button', { name: 'Clear', exact: true }).last().click();
    await drawer.getByLabel('Models', { exact: true }).fill(model);
    await drawer.getByLabel('Models', { exact: true }).press('Enter');
    await drawer.getByRole('button', { name: 'Create channel' }).click();
    await page.getByRole('row', { name: /Fake provider/ }).waitFor();
    expect(new URL(page.url()).pathname).to.equal('/channel');
  });

  it('tests the channel from its row, and shows the time it took', async () => {
    const row = page.getByRole('row', { name: /Fake provider/ });
    await row.getByText('Not tested').waitFor();
    await row.getByRole('button', { name: /More actions/ }).click();
    await page.getByRole('menuitem', { name: 'Test', exact: true }).click();
    await page.getByText(/^Fake provider responded in \d+\.\d\d s$/).waitFor();
    await row.getByText(/^\d+\.\d\d s$/).waitFor();
  });

  it('makes a token and shows its key', async () => {
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('button', { name: 'Create token' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Create token' });
    await drawer.getByLabel('Name').fill('main job');
    await drawer.getByRole('button', { name: 'Create token' }).click();
    const result = page.getByRole('dialog', { name: /main job/ });
    key = (await result.getByText(/^sk-\w{48}$/).textContent()) ?? '';
    await result.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row', { name: /main job/ }).waitFor();
  });

  it('finds a real streamed call in the log, with its price', async () => {
    const answer = await fetch(`${site.address}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Say something' }] }),
    });
    expect(answer.status).to.equal(200);
    expect(await answer.text()).to.match(/data: \[DONE\]/);

    await page.getByRole('link', { name: 'Usage logs' }).click();
    const row = page.getByRole('row', { name: new RegExp(model) });
    await eventually(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      expect(await row.count()).to.equal(1);
    });
    expect(await row.locator('[data-quota]').getAttribute('data-quota')).to.equal(price.quota);
    await row.getByText(price.text).waitFor();
    await row.getByRole('button', { name: 'Details' }).click();
    await page.getByText('1,000 tokens × $0.15 / 1M').waitFor();
    await page.getByText('500 tokens × $0.60 / 1M').waitFor();
    expect(await page.locator('[data-charged]').textContent()).to.equal(price.text);
    expect(await allFindings(page)).to.deep.equal([]);
  });

  it('changes priority in the row, and keeps what the server stored', async () => {
    await open('/channel');
    const priority = page.getByRole('spinbutton', { name: 'Priority of Fake provider' });
    await priority.fill('7');
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT');
    await priority.press('Enter');
    await saved;
    await open('/channel');
    expect(await priority.inputValue()).to.equal('7');
  });

  it('asks before it throws away what was typed, and goes back to the list with Back', async () => {
    await open('/token');
    await page.getByRole('button', { name: 'Create token' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Create token' });
    await drawer.getByLabel('Name').fill('half typed');
    await page.goBack();
    await page.getByRole('dialog', { name: 'Discard unsaved changes?' }).getByRole('button', { name: 'Cancel' }).click();
    expect(await drawer.getByLabel('Name').inputValue()).to.equal('half typed');
    await page.goBack();
    await page.getByRole('button', { name: 'Discard' }).click();
    await drawer.waitFor({ state: 'detached' });
  });

  it('changes the factory password, and the warning is gone', async () => {
    await page.getByRole('button', { name: 'Change password' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change password' });
    await dialog.getByLabel('Current password').fill('123456');
    await dialog.getByLabel('New password').fill('short');
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await dialog.getByText('Use at least 8 characters').waitFor();
    await dialog.getByLabel('New password').fill('not everybody');
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('the default password').waitFor({ state: 'detached' });
  });

  it('keeps its session when the password changes: lists can be filled with it', async () => {
    const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    const send = async (path: string, body: unknown): Promise<void> => {
      const headers = { cookie, 'new-api-user': '1', 'content-type': 'application/json' };
      const answer = await fetch(`${site.address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      const { success, message } = (await answer.json()) as { success: boolean; message: string };
      expect(success, `${path}: ${message}`).to.equal(true);
    };
    const many = Array.from({ length: 20 }, (_, index) => index + 1);
    for (const n of many) await send('/api/token/', { name: `token ${n}`, remain_quota: 500_000 * n });
    for (const n of many)
      await send('/api/channel/', { name: `channel ${n}`, type: 1, key: 'sk-x', base_url: provider.url, models: 'other-model' });
    for (const n of many) await send('/api/user/', { username: `user${n}`, password: 'long enough' });
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
    for (const _ of many) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      expect((await fetch(`${site.address}/v1/chat/completions`, { method: 'POST', headers, body })).status).to.equal(200);
    }
  });

  it('shows 12 rows and more at 1280 x 800, 18 and more when compact', async function () {
    this.timeout(120_000);
    await openFilled('/token');
    expect(await page.getByRole('combobox', { name: /^Rows/ }).inputValue(), 'rows a page, at first').to.equal('10');
    await prefer(page, { 'page-size': '20' });
    for (const [density, least] of [
      ['comfortable', 12],
      ['compact', 18],
    ] as const) {
      await prefer(page, { density });
      // Loaded, until all calls are in the log; the others are gone to from there.
      await eventually(async () => {
        await openFilled('/log');
        expect(await visibleRows(page), `/log, ${density}`).to.be.at.least(least);
      });
      for (const path of ['/token', '/channel', '/user']) {
        await openFilled(path, { by: steps.goOn });
        expect(await visibleRows(page), `${path}, ${density}`).to.be.at.least(least);
      }
    }
    await prefer(page, { density: 'comfortable' });
  });

  for (const theme of ['light', 'dark']) {
    it(`has nothing that axe finds fault with, in the ${theme} theme`, async function () {
      this.timeout(180_000);
      await prefer(page, { 'theme-mode': theme });
      for (const path of pages) {
        await comeFilled(path);
        expect(await page.locator('html').getAttribute('data-theme')).to.equal(theme);
        expect(await allFindings(page), path).to.deep.equal([]);
        await keepPicture({ page }, `${path}-${theme}`);
      }
    });
  }

  it('fits 360 px without scrolling the page sideways, the navigation closed', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const path of pages) {
      await comeFilled(path);
      expect(await sidewaysOverflow(page), path).to.be.at.most(0);
      expect(await page.getByRole('navigation').isVisible(), path).to.equal(false);
      await keepPicture({ page }, `${path}-360`);
    }
    await openFilled('/log');
    await page.locator('[data-row]').first().locator('[data-opener] button').click();
    const bill = page.locator('[data-detail] table tr');
    await bill.first().waitFor();
    const drawnAs = await bill.evaluateAll((lines) => lines.map((line) => getComputedStyle(line).display));
    expect([...new Set(drawnAs)], 'the lines of a bill are no cards').to.deep.equal(['table-row']);
    await open('/token');
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await page.getByRole('dialog', { name: 'Navigation' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Channels' }).click();
    await page.waitForURL('**/channel');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('speaks Chinese when asked to', async () => {
    await open('/token');
    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByRole('menuitemradio', { name: '中文' }).click();
    await page.getByRole('heading', { name: '令牌', level: 1 }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).to.equal('zh-CN');
    await prefer(page, { i18nextLng: 'en' });
  });

  it('explains that a session is over, and returns to the page after signing in again', async () => {
    await page.context().clearCookies();
    await page.goto(`${site.address}/user`);
    await page.waitForURL('**/login?expired=true&next=%2Fuser');
    await page.getByText('login expired').waitFor();
    await signIn(page, 'root', 'not everybody');
    await page.waitForURL('**/user');
    await page.getByRole('row', { name: /user20/ }).waitFor();
  });

  it('shows an ordinary user their own pages, and none of the administrators', async () => {
    await signOut();
    await signIn(page, 'user1', 'long enough');
    await page.waitForURL('**/token');
    await page.getByRole('heading', { name: 'Tokens', level: 1 }).waitFor();
    const links = page.getByRole('navigation', { name: 'Navigation' }).getByRole('link');
    const own = [
      'Dashboard',
      'Playground',
      'Chat',
      'Tokens',
      'Budgets',
      'Runs',
      'Wallet',
      'Usage logs',
      'Images',
      'Tasks',
      'Models & pricing',
      'Settings',
    ];
    await eventually(async () => expect(await links.allTextContents()).to.deep.equal(own));
    await open('/setting?tab=system');
    await page.getByRole('region', { name: 'Account', exact: true }).waitFor();
    expect(await page.getByRole('tab').allTextContents(), 'the tabs of the settings').to.deep.equal(['Personal']);
    await open('/channel');
    await page.getByText('Administrators only').first().waitFor();
    await open('/log');
    await page.getByText('No logs in this period').waitFor();
    expect(await page.getByRole('button', { name: 'Channel ID' }).count()).to.equal(0);
  });

  it('says where a wrong address leads, and signs out', async () => {
    await open('/no/such/page');
    await page.getByRole('heading', { name: 'Page does not exist' }).waitFor();
    await signOut();
    expect(await allFindings(page)).to.deep.equal([]);
  });

  it('made the browser complain about nothing, least of all the content security policy', () => {
    expect(browser.complaints.filter((text) => !text.includes('status of 401'))).to.deep.equal([]);
  });
});
