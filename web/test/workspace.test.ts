import { eventually, type FakeProvider, orSkip, startFakeProvider } from '@tollgate/testing';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { allFindings, sidewaysOverflow } from './support/browser.ts';
import { looksRight } from './support/looks.ts';
import { intercept, openSite, type Site } from './support/site.ts';
import { everyPage } from './workspace/every-page.ts';
import { answering, playground } from './workspace/playground.ts';

const models = ['gpt-4o-mini', 'gpt-4o'];

describe('Where people work, in a browser', () => {
  let site: Site;
  let page: Page;
  let provider: FakeProvider;

  before(async function () {
    this.timeout(180_000);
    site = await orSkip(this, openSite);
    page = site.page;
    provider = await startFakeProvider({ script: answering({ content: 'Hello' }) });
  });
  after(async () => {
    await site?.close();
    await provider?.close();
  });

  it('leads a new installation from its first channel to its first call, seen as it arrives', async () => {
    await site.open('/');
    await page.getByRole('link', { name: 'Get started' }).click();
    const step = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
    await step('Change the default password').getByText('Click “Change password” above').waitFor();
    await step('Create a channel').getByRole('link', { name: 'Create channel' }).waitFor();
    const channel = { name: 'Fake', type: 1, key: 'sk-x', base_url: provider.url, models: models.join(','), group: 'default' };
    await site.installation.console('/api/channel/', { method: 'POST', body: channel });
    await site.installation.console('/api/token/', { method: 'POST', body: { name: 'first', remain_quota: 500_000 } });
    await looksRight(site, '/start', () => page.getByRole('tab').first().waitFor());
    await site.open('/start');
    provider.answersNext({ words: 2 }); // a test of a channel asks for no stream
    await step('Create a channel').getByRole('button', { name: 'Test Fake' }).click();
    await step('Create a channel')
      .getByText(/The provider responded in/)
      .waitFor();
    await step('See it in the logs').getByText('Waiting for the first call').waitFor();
    const key = /sk-\w{48}/.exec((await step('Make a call').getByRole('tabpanel').textContent()) ?? '')?.[0];
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: models[0], stream: true, messages: [{ role: 'user', content: 'Hello!' }] });
    expect((await fetch(`${site.installation.address}/v1/chat/completions`, { method: 'POST', headers, body })).status).to.equal(200);
    await step('See it in the logs').getByText('gpt-4o-mini responded, cost $0.00045').waitFor();
    const { items } = await site.installation.console<{ items: { id: number }[] }>('/api/token/?p=1&page_size=10');
    for (const { id } of items) await site.installation.console(`/api/token/${id}`, { method: 'DELETE' });
  });

  it('tells who has no enabled token, and leads to where one is made', async () => {
    await site.open('/playground');
    await page.getByText('No enabled token is available').waitFor();
    await page.waitForURL('**/token');
    await site.installation.console('/api/token/', { method: 'POST', body: { name: 'mine', unlimited_quota: true } });
  });

  playground(() => ({ site, provider }), models);

  it('hands a token to a chat client in a frame, which is told the theme, or leads to it', async () => {
    const body = '<body><script>addEventListener("message", (e) => document.body.append(JSON.stringify(e.data)))</script></body>';
    const forget = await intercept(page, /^https:\/\/chat\.example\//, (route) => route.fulfill({ contentType: 'text/html', body }));
    const option = (key: string, value: string) => site.installation.console('/api/option/', { method: 'PUT', body: { key, value } });
    await option(
      'Chats',
      '[{"Framed":"https://chat.example/?settings={\\"key\\":\\"{key}\\",\\"url\\":\\"{address}\\"}"},{"App":"ama://set?server={address}&key={key}"},{"Bad":"nowhere {key}"}]',
    );
    await site.open('/chat');
    await page.getByText('Share a token with chat.example?').waitFor();
    expect(await page.locator('iframe').count(), 'nothing is shared before the answer').to.equal(0);
    await page.getByRole('button', { name: 'Share token and open' }).click();
    await page.getByText('Your token "mine" is shared with chat.example.').waitFor();
    const frame = page.locator('iframe[title="Framed"]');
    const address = decodeURIComponent((await frame.getAttribute('src')) ?? '');
    expect(address)
      .to.match(/"key":"sk-\w{48}"/)
      .and.to.include(`"url":"${site.installation.address}"`);
    await frame.contentFrame().getByText('{"themeMode":"light"}{"lang":"en"}').waitFor();
    await page.getByLabel('Client').click();
    await page.getByRole('option', { name: 'App' }).click();
    expect(await page.getByRole('link', { name: 'Open' }).getAttribute('href')).to.match(/^ama:\/\/set\?server=http%3A.*&key=sk-\w{48}$/);
    await site.open('/chat/2');
    await page.getByText('The chat link is misconfigured').waitFor();
    await site.open('/token');
    await page.getByText('must not be handed out').waitFor();
    await page
      .getByRole('row', { name: /mine/ })
      .getByRole('button', { name: /More actions/ })
      .click();
    const clients = page.getByRole('menuitem', { name: /^Chat with/ });
    await eventually(async () => expect(await clients.allTextContents()).to.deep.equal(['Chat with Framed', 'Chat with App']));
    await page.keyboard.press('Escape');
    await page.goto(`${site.installation.address}/chat2link`);
    await page.waitForURL(/^https:\/\/chat\.example\//);
    await option('Chats', '[]');
    await site.open('/chat');
    await page.getByText('No chat links yet').waitFor(); // root is the one to ask
    expect(await page.getByRole('link', { name: 'Set up chat links' }).getAttribute('href')).to.equal('/setting?tab=operation');
    await forget();
  });

  it('adds up usage by model, token and channel, beside a table of the same, and leads to the log', async () => {
    await eventually(
      async () => {
        await site.open('/detail');
        await page
          .getByRole('region', { name: /^By model/ })
          .getByRole('link', { name: 'gpt-4o-mini' })
          .waitFor({ timeout: 2000 });
      },
      { timeoutMs: 30_000 },
    );
    const chart = page.getByRole('region', { name: 'Cost by model' });
    await chart.locator('svg').first().waitFor();
    const heads = chart.getByRole('table').getByRole('columnheader');
    await eventually(async () => expect(await heads.allTextContents()).to.include.members(['gpt-4o-mini', 'gpt-4o']));
    for (const [by, name] of [
      ['token', 'Playground'],
      ['channel', 'Fake'],
      ['group', 'default'],
      ['user', 'root'],
    ] as const) {
      await page
        .getByRole('button', { name: /Group by/ })
        .first()
        .click();
      await page.getByRole('menuitem', { name: by, exact: true }).click();
      await page
        .getByRole('region', { name: new RegExp(`^By ${by}`) })
        .getByText(name)
        .waitFor();
    }
    await page.getByRole('button', { name: /^Scope/ }).click();
    await page.getByRole('menuitem', { name: 'My usage' }).click();
    await page.getByText('At this rate, lasts until').waitFor();
    await page
      .getByRole('region', { name: /^By model/ })
      .getByRole('link', { name: 'gpt-4o-mini' })
      .click();
    await page.waitForURL(/\/log\?model_name=gpt-4o-mini/);
    await page.locator('[data-row]').first().waitFor();
  });

  it('shows what the server has to say of the usage, and why hours came as days', async () => {
    const words = '仍有 3 天正在统计：显示的对象依据其余日期选出';
    const back = await intercept(page, /\/api\/data\?.*by=channel/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), message: words } });
    });
    try {
      await site.open('/detail?by=channel');
      await page.getByRole('region', { name: 'Cost by channel' }).getByText(words).waitFor();
      await site.go('/detail?by=model&step=hour&range=30d');
      const chart = page.getByRole('region', { name: 'Cost by model' });
      await chart.getByText('Periods of more than 8 days are shown by day').waitFor();
      await site.go('/detail?by=model&step=hour&range=7d');
      await chart.getByText('are shown by day').waitFor({ state: 'detached' });
    } finally {
      await back();
    }
  });

  it('takes a range of time from a calendar, and refuses one that ends before it begins', async () => {
    await site.open('/detail');
    await page.getByRole('button', { name: /^Time/ }).click();
    const panel = page.getByRole('dialog', { name: 'Time' });
    await panel
      .getByRole('button', { name: /^Choose date/ })
      .first()
      .click();
    await page.getByRole('grid').waitFor();
    expect(await allFindings(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
    await page.getByRole('grid').waitFor({ state: 'detached' });
    await panel.getByRole('group', { name: 'From' }).getByRole('spinbutton', { name: 'Year' }).click();
    await page.keyboard.type('202601020000');
    await panel.getByRole('group', { name: 'To' }).getByRole('spinbutton', { name: 'Year' }).click();
    await page.keyboard.type('202601010000');
    await panel.getByText('The end must be after the start').waitFor();
    expect(await panel.getByRole('button', { name: 'Apply' }).isDisabled()).to.equal(true);
    await panel.getByRole('button', { name: '7 days' }).click();
    await page.waitForURL(/range=7d/);
  });

  it('begins each page at its top, however far down the one before was read', async () => {
    await site.open('/setting?tab=system');
    await page.locator('[data-option]').first().waitFor();
    const read = async (): Promise<number> => page.locator('main').evaluate((main) => main.scrollTop);
    for (const next of ['System health', 'Settings', 'Dashboard']) {
      await page.locator('main').evaluate((main) => main.scrollTo({ top: 200 }));
      await page.getByRole('link', { name: next }).first().click();
      await page.getByRole('heading', { name: next, level: 1 }).waitFor();
      await eventually(async () => expect(await read(), next).to.equal(0));
    }
  });

  it('says that a page is coming while it comes', async () => {
    await site.open('/log');
    const { promise: come, resolve: letCome } = Promise.withResolvers<void>();
    const stop = await intercept(page, /\/assets\/.*\.js$/, (route) => come.then(() => route.continue()));
    await site.go('/audit');
    await page.getByRole('status').getByRole('progressbar', { name: 'Loading' }).waitFor({ state: 'attached' });
    expect(await allFindings(page)).to.deep.equal([]);
    letCome();
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    await stop();
  });

  it('moves nothing for who wants less motion, neither what waits nor what opens', async () => {
    await site.open('/about');
    const { promise: come, resolve: letCome } = Promise.withResolvers<void>();
    const mend = await intercept(page, /\/api\/channel\b/, async (route) => {
      await come;
      await route.continue();
    });
    const moving = (): Promise<string[]> =>
      page.evaluate(() =>
        document
          .getAnimations()
          .filter((each) => Number(each.effect?.getComputedTiming().activeDuration) > 1)
          .map((each) => (each.effect as KeyframeEffect).target?.outerHTML.slice(0, 120) ?? ''),
      );
    await site.go('/channel');
    await page.locator('main .MuiSkeleton-root').first().waitFor();
    expect(await moving()).to.deep.equal([]);
    letCome();
    await page.locator('[role="table"][aria-busy="false"]').waitFor();
    await page.getByRole('link', { name: 'Create channel' }).first().click();
    await page.getByRole('dialog', { name: 'Create channel' }).waitFor();
    expect(await moving()).to.deep.equal([]);
    await mend();
  });

  it('finds pages and things and goes there, by the keyboard alone', async () => {
    await site.open('/log');
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search' });
    await palette.getByRole('combobox').waitFor();
    expect(await allFindings(page)).to.deep.equal([]);
    await page.keyboard.type('mine');
    await palette.getByRole('option', { name: 'mine', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/token\/edit\/\d+$/);
    await page.getByRole('dialog', { name: 'Edit token' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Fake');
    await palette.getByRole('option', { name: /Fake/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/channel\/edit\/\d+$/);
    await page.getByRole('dialog', { name: /Edit/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await eventually(async () =>
      expect(await page.evaluate(() => document.activeElement?.closest('[role="search"]') !== null)).to.equal(true),
    );
    await page.keyboard.type('?');
    expect(await page.getByRole('dialog').count()).to.equal(0);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.getByLabel('Single-key shortcuts').uncheck();
    await keys.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('dark theme');
    await palette.getByRole('option', { name: 'Dark theme', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme="dark"]').waitFor();
  });

  it('tells of every call of its API, and makes one as whoever is signed in', async () => {
    await site.open('/api-docs?q=/api/token/{id}');
    const row = page.getByRole('group').filter({ hasText: 'GET /api/token/{id}' });
    await row.getByText('GET /api/token/{id}').click();
    const form = page.getByRole('form', { name: 'GET /api/token/{id}' });
    await form.getByRole('textbox', { name: 'id' }).fill('987654');
    await form.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Status 200', { exact: false }).waitFor();
    await page.getByText('"code": "record_not_found"').waitFor();
    expect(await allFindings(page)).to.deep.equal([]);

    await page.getByRole('textbox', { name: 'Search endpoints' }).fill('POST /api/token');
    await page.getByText('POST /api/token', { exact: true }).click();
    const made = page.getByRole('form', { name: 'POST /api/token', exact: true });
    const body = made.getByRole('textbox', { name: 'Body (JSON)' });
    await body.fill('{"name": ');
    await made.getByText('Not valid JSON').waitFor();
    expect(await made.getByRole('button', { name: 'Send' }).isDisabled()).to.equal(true);
    await body.fill('{"name": "by hand", "unlimited_quota": true}');
    await made.getByRole('button', { name: 'Send' }).click();
    await page.locator('pre', { hasText: '"name": "by hand"' }).waitFor();
    expect(await allFindings(page)).to.deep.equal([]);
    expect(await sidewaysOverflow(page)).to.be.at.most(0);
  });

  everyPage(() => site);

  it('made the browser complain about nothing', () => {
    expect(site.complaints.filter((text) => !/status of 400/.test(text)).slice(0, 5)).to.deep.equal([]);
  });
});
