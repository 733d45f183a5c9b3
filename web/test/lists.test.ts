import { readFile } from 'node:fs/promises';
import type { ChannelView } from '@tollgate/contracts';
import { eventually, orSkip } from '@tollgate/testing';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { listsAsSpecified } from './lists/as-specified.ts';
import { listsAtEachWidth } from './lists/at-each-width.ts';
import { bulkDeeds } from './lists/bulk-deeds.ts';
import { catalogPage } from './lists/catalog-page.ts';
import { channelKeys } from './lists/channel-keys.ts';
import { hostileAnswers } from './lists/hostile-answers.ts';
import { hundredRows } from './lists/hundred-rows.ts';
import { ListPage } from './lists/list-page.ts';
import { looksOfLists } from './lists/looks.ts';
import { runPages } from './lists/run-pages.ts';
import { taskPages } from './lists/task-pages.ts';
import { allFindings, prefer } from './support/browser.ts';
import { failing, intercept, openSite, type Site } from './support/site.ts';

describe('Lists, in a browser', () => {
  const list = new ListPage();
  let site: Site;
  let page: Page;

  before(async function () {
    this.timeout(180_000);
    list.site = await orSkip(this, openSite);
    ({ site, page } = list);
    const send = (path: string, body: unknown): Promise<unknown> => site.installation.console(path, { method: 'POST', body });
    for (let n = 1; n <= list.tokens; n += 1) await send('/api/token/', { name: `token ${n}`, remain_quota: 500_000 });
    for (let n = 1; n <= 3; n += 1)
      await send('/api/channel/', { name: `channel ${n}`, type: 1, key: 'sk-x', base_url: 'http://127.0.0.1:9', models: 'some-model' });
    await send('/api/user/', { username: 'someone', password: 'long enough' });
    await prefer(page, { 'page-size': '20' });
  });
  after(() => site?.close());
  afterEach(async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await prefer(page, { i18nextLng: 'en', 'theme-mode': 'light' });
  });

  listsAtEachWidth(list);
  looksOfLists(list);

  it('show a channel whose test failed as failed, with the reason, also after a reload', async () => {
    await site.open('/channel');
    await list
      .row('channel 1')
      .getByRole('button', { name: /More actions/ })
      .click();
    await page.getByRole('menuitem', { name: 'Test', exact: true }).click();
    await list.row('channel 1').getByText('Test failed').waitFor();
    await site.open('/channel');
    await list.row('channel 1').getByText('Test failed').hover();
    await page
      .getByRole('tooltip')
      .getByText(/Tested/)
      .waitFor();
  });

  it('let a channel go whose status, as its test tells, is no longer the one they show', async () => {
    const { items } = await site.installation.console<{ items: ChannelView[] }>('/api/channel/?keyword=channel+1', { method: 'GET' });
    const channel = items.find(({ name }) => name === 'channel 1');
    const put = (status: number) => site.installation.console('/api/channel', { method: 'PUT', body: { id: channel?.id, status } });
    await site.open('/channel?status=1');
    const more = list.row('channel 1').getByRole('button', { name: /More actions/ });
    await more.waitFor();
    await put(2); // by somebody else, meanwhile
    try {
      await more.click();
      await page.getByRole('menuitem', { name: 'Test', exact: true }).click();
      await more.waitFor({ state: 'detached' });
    } finally {
      await put(1);
    }
  });

  for (const [name, answer] of [
    ['answers 500', failing],
    ['answers 429', (route) => route.fulfill({ status: 429, body: '{}' })],
    ['is out of reach', (route) => route.abort()],
  ] as const satisfies [string, Parameters<typeof intercept>[2]][])
    it(`say so when the server ${name}, and come back when it does`, async () => {
      await site.open('/about'); // from where nothing of these lists is known
      for (const path of ['/token', '/channel', '/user', '/log?range=all']) {
        const mend = await intercept(page, /\/api\/(token|channel|user|log)\b/, (route) =>
          /\/api\/user\/(self|models)/.test(route.request().url()) ? route.continue() : answer(route),
        );
        await site.goOn(path);
        await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
        await mend();
        const again = page.getByRole('button', { name: 'Try again' });
        await again.click();
        await eventually(
          async () => {
            if (await again.isVisible()) await again.click({ timeout: 1_000 }); // a question of before the mend may have failed since
            expect(await page.locator('[data-row]').count()).to.be.above(0);
          },
          { timeoutMs: 20_000 },
        );
      }
    });

  it('are downloaded whole, whichever page shows, and the audit log tells who changed what', async () => {
    await list.openTokens('?p=2');
    await page.getByRole('button', { name: 'Columns and density' }).click();
    await page.getByRole('menuitemcheckbox').first().waitFor();
    expect(await allFindings(page), 'an open menu').to.deep.equal([]);
    const save = page.getByRole('menuitem', { name: 'Download all rows (CSV)' });
    const [file] = await Promise.all([page.waitForEvent('download'), save.click()]);
    expect(file.suggestedFilename()).to.match(/^tokens-.*\.csv$/);
    expect((await readFile(await file.path(), 'utf8')).trim().split('\r\n')).to.have.length(list.tokens + 1);
    await site.open('/audit?action=channel.');
    await page
      .getByRole('row', { name: /channel\.create/ })
      .first()
      .locator('td')
      .nth(1)
      .click();
    await page.getByRole('row', { name: /^name — channel 3/ }).waitFor();
    expect(await page.getByText('user.create').count()).to.equal(0);
    // The texts of a change are as wide as the row that they open below.
    const many = { id: 1, models: Array.from({ length: 90 }, (_, n) => `a-model-of-some-length-${n}`).join(',') };
    await site.installation.console('/api/channel/', { method: 'PUT', body: many });
    await page.setViewportSize({ width: 1280, height: 800 });
    await site.open('/audit?action=channel.update');
    await page
      .getByRole('row', { name: /channel\.update/ })
      .first()
      .locator('td')
      .nth(1)
      .click();
    const cell = page.getByRole('row', { name: /^models / });
    await cell.waitFor();
    const box = await cell.evaluate((row) => {
      const frame = row.closest('[role="table"]')?.parentElement;
      return { inner: frame?.scrollWidth ?? 0, outer: frame?.clientWidth ?? -1 };
    });
    expect(box.inner).to.equal(box.outer);
    const plain = await page
      .getByRole('row', { name: /^models / })
      .locator('td')
      .first()
      .evaluate((td) => getComputedStyle(td).whiteSpace);
    expect(plain).to.equal('pre-wrap');
  });

  it('of channels tell how far a test of all of them is, and are read again at its end', async () => {
    await site.open('/channel');
    await page.getByRole('button', { name: 'Maintenance' }).click();
    await page.getByRole('menuitem', { name: 'Test all channels' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start test' }).click();
    await page.getByText('Channels tested: 3, failed: 3').waitFor({ timeout: 60_000 });
    await eventually(async () => expect(await page.getByText('Test failed').count()).to.equal(3));
  });

  it('of models stay small with hundreds of names: found, pasted, and held against what was before', async () => {
    const [channel] = (await site.installation.console<{ items: ChannelView[] }>('/api/channel/?p=1&page_size=1', { method: 'GET' })).items;
    const models = Array.from({ length: 500 }, (_, n) => `model-${n}`);
    await site.installation.console('/api/channel/', { method: 'PUT', body: { id: channel?.id, models: models.join(',') } });
    await site.open(`/channel/edit/${channel?.id}`);
    const drawer = page.getByRole('dialog', { name: 'Edit channel' });
    await drawer.getByText('500 selected.').waitFor();
    await drawer.getByRole('button', { name: 'Edit list' }).click();
    const dialog = page.getByRole('dialog', { name: 'Channel models' });
    await dialog.getByLabel('Search models').fill('model-49');
    await dialog.getByRole('button', { name: 'Remove results' }).click();
    await dialog.getByText('Selected: 489; added: 0, removed: 11').waitFor();
    await dialog.getByLabel('Paste model names').fill('model-1\nfrom-a-sheet, another');
    await dialog.getByRole('button', { name: 'Add names' }).click();
    await page.getByText('Some of these models are already in the list!').waitFor();
    await dialog.getByText('Selected: 491; added: 2, removed: 11').waitFor();
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await drawer.getByText('491 selected.').waitFor();
    await drawer.locator('button[type="submit"]').click();
    await drawer.waitFor({ state: 'detached' });
  });

  it('of the log can be followed: what happens shows without a touch', async () => {
    await site.open('/log');
    await page.getByRole('button', { name: 'Follow' }).click();
    const [code] = await site.installation.console<string[]>('/api/redemption/', {
      method: 'POST',
      body: { name: 'seen', quota: 500_000, count: 1 },
    });
    await site.installation.console('/api/user/topup', { method: 'POST', body: { key: code } });
    await page
      .getByText(/Top-up/)
      .first()
      .waitFor();
  });

  bulkDeeds(list);
  listsAsSpecified(list);

  it('show hostile strings as the text that they are, in every cell and field', async () => {
    const hostile = '<img src=x onerror="window.broken=1">';
    await site.installation.console('/api/redemption/', { method: 'POST', body: { name: hostile.slice(0, 20), quota: 1, count: 1 } });
    await site.installation.console('/api/channel/', {
      method: 'POST',
      body: {
        name: hostile,
        type: 1,
        key: hostile,
        base_url: 'http://127.0.0.1:9',
        models: hostile.replaceAll(' ', ''),
        tag: '{{constructor}}',
      },
    });
    await site.installation.console('/api/user/', {
      method: 'POST',
      body: { username: 'hostile', password: 'long enough', display_name: '<svg onload=broken=1>'.slice(0, 20) },
    });
    await site.open('/about');
    for (const path of ['/redemption', '/channel', '/user', '/channel?view=tags', '/audit', '/pricing', '/detail', '/log?range=all']) {
      await site.goOn(path);
      await page.locator('main [data-row], main svg, main table').first().waitFor();
      expect(await page.evaluate(() => 'broken' in window), path).to.equal(false);
    }
    await site.open('/channel');
    await page.getByText(hostile).first().waitFor();
    await page.getByRole('button', { name: `Edit ${hostile}` }).click();
    await page.getByRole('dialog', { name: 'Edit channel' }).getByText(hostile.replaceAll(' ', '')).waitFor();
    expect(await page.evaluate(() => 'broken' in window)).to.equal(false);
  });

  hostileAnswers(() => site);
  hundredRows(() => site);
  taskPages(() => site);
  runPages(() => site);

  catalogPage(list);
  channelKeys(list);
});
