import { readFile } from 'node:fs/promises';
import type { ChannelView } from '@tollgate/contracts';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { allFindings, cutColumns, prefer, sidewaysOverflow } from '../support/browser.ts';
import { keepPicture } from '../support/looks.ts';
import { intercept, type Site } from '../support/site.ts';
import type { ListPage } from './list-page.ts';

/** What the specifications ask of the lists: colors, columns, toggles, open filters, and the actions of rows. */
export function listsAsSpecified(list: ListPage): void {
  let site: Site;
  let page: Page;
  before(() => ({ site, page } = list));

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const idle = () => page.locator('[role="table"][aria-busy="false"] [data-row]').first().waitFor();
  /** The page in both languages, on a desk and a phone: nothing is cut, and axe finds nothing. */
  async function looksRightInBoth(path: string): Promise<void> {
    for (const [i18nextLng, width] of [
      ['zh', 390],
      ['en', 1280],
    ] as const) {
      await prefer(page, { i18nextLng });
      await page.setViewportSize({ width, height: 800 });
      await site.open(path);
      await idle();
      await keepPicture(site, `specified ${path} ${i18nextLng} ${width}`);
      expect(await allFindings(page), `${path} ${i18nextLng} ${width}`).to.deep.equal([]);
      expect(await sidewaysOverflow(page), `${path} ${width}`).to.be.at.most(0);
      if (width === 1280) expect(await cutColumns(page), path).to.be.at.most(0);
    }
  }

  it('color response times and groups, and show what is used and what remains', async () => {
    const now = Math.floor(Date.now() / 1000);
    const times = [900, 2500, 4500, 6000];
    const mend = await intercept(page, /\/api\/channel\/?\?/, async (route) => {
      const answer = (await (await route.fetch()).json()) as { data: { items: ChannelView[] } };
      const [first] = answer.data.items;
      answer.data.items = times.map((response_time, n) => ({
        ...(first as ChannelView),
        id: n + 1,
        name: `timed ${n}`,
        group: 'default,vip,svip',
        response_time,
        test_time: now,
        test_error: '',
        used_quota: 617_283_950,
        balance: 5.5,
        balance_updated_time: now,
      }));
      return route.fulfill({ json: answer });
    });
    await looksRightInBoth('/channel');
    const colors = await page.locator('.toned').evaluateAll((all) => all.map((each) => getComputedStyle(each).color));
    const tones = await page.locator('.toned').evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset.tone));
    expect(tones).to.deep.equal(['success', 'lime', 'yellow', 'error']);
    expect(new Set(colors).size, 'four colors').to.equal(4);
    const group = (name: string) => list.row('timed 0').getByText(name, { exact: true }).getAttribute('data-tone');
    expect([await group('vip'), await group('svip')]).to.deep.equal(['yellow', 'error']);
    await list.row('timed 0').getByText('$1,234.57 / $5.50').waitFor();
    await mend();
  });

  it('have buttons for the frequent actions in each row, and the menu alone on a phone', async () => {
    const [code] = await site.installation.console<string[]>('/api/redemption/', {
      method: 'POST',
      body: { name: 'quick', quota: 500_000, count: 1 },
    });
    await page.setViewportSize({ width: 1280, height: 800 });
    await site.open('/channel');
    await button('Disable channel 2').click();
    await button('Enable channel 2').click();
    await button('Disable channel 2').waitFor();
    await button('Test channel 2').click();
    await page
      .getByText(/^Test of channel 2 failed/)
      .or(list.row('channel 2').getByText('Test failed'))
      .first()
      .waitFor();
    await page.setViewportSize({ width: 1600, height: 800 });
    await button('Duplicate channel 2').click();
    const copied = page.getByRole('row', { name: /channel 2.*cop/i });
    await copied.waitFor();
    await copied.getByRole('button', { name: /^Delete / }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await copied.waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await button('Disable channel 2').count()).to.equal(0);
    await page.getByRole('button', { name: 'More actions: channel 2' }).waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });

    await list.openTokens();
    await button('View token 45').click();
    await page
      .getByRole('dialog')
      .getByText(/^sk-\w{20,}/)
      .first()
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('columnheader', { name: 'Created' }).waitFor();

    await site.open('/redemption');
    await button('View quick').click();
    const dialog = page.getByRole('dialog', { name: 'Code quick' });
    await dialog.getByText(String(code)).waitFor();
    expect(await allFindings(page)).to.deep.equal([]);
    const [file] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Download (text)' }).click()]);
    expect([file.suggestedFilename(), await readFile(await file.path(), 'utf8')]).to.deep.equal(['quick.txt', `${code}\n`]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await button('Disable quick').click();
    await button('Enable quick').waitFor();
    for (const path of ['/token', '/redemption', '/user']) await looksRightInBoth(path);
  });

  it('of channels have switches for the order, for tags and for batches', async () => {
    await site.open('/channel');
    await button('By ID').click();
    await page.waitForURL(/sort=id/);
    await button('Batch').click();
    await eventually(async () => expect(await page.getByRole('checkbox').count()).to.equal(0));
    await button('Batch').click();
    await list.boxOf('channel 1').waitFor();
    await button('By tag').click();
    await page.getByRole('row', { name: /Untagged/ }).waitFor();
    await site.open('/channel?view=tag');
    expect(await button('By tag').getAttribute('aria-pressed')).to.equal('false');
    await button('Test all channels').waitFor();
  });

  it('of channels raise a negative weight to 0, and ignore an empty one', async () => {
    await site.open('/channel');
    const weight = page.getByLabel('Weight of channel 3');
    for (const typed of ['-3', '']) {
      await weight.fill('5');
      await weight.press('Enter');
      await eventually(async () => expect(await weightOf('channel 3')).to.equal(5));
      await weight.fill(typed);
      await weight.press('Enter');
      await eventually(async () => expect(await weight.inputValue()).to.equal(typed === '' ? '5' : '0'));
    }
    await weight.fill('0');
    await weight.press('Enter');
    await eventually(async () => expect(await weightOf('channel 3')).to.equal(0));
  });
  const weightOf = async (name: string): Promise<number | undefined> =>
    (await site.installation.console<{ items: ChannelView[] }>('/api/channel/?p=1&page_size=100')).items.find((each) => each.name === name)
      ?.weight;

  it('of logs are filtered by fields that are open: by token, model and channel without a menu', async () => {
    for (const [i18nextLng, width, labels] of [
      ['zh', 390, { token: '令牌', model: '模型', channel: '渠道 ID' }],
      ['en', 1280, { token: 'Token', model: 'Model', channel: 'Channel ID' }],
    ] as const) {
      await prefer(page, { i18nextLng });
      await page.setViewportSize({ width, height: 800 });
      await site.open('/log?range=all');
      await idle();
      const field = (label: string) => page.getByRole('search').getByRole('textbox', { name: label, exact: true });
      await field(labels.token).fill('token 45');
      await field(labels.model).fill(' gpt-4o ');
      await field(labels.channel).fill('1x2');
      await field(labels.channel).press('Enter');
      await page.waitForURL(
        (url) =>
          url.searchParams.get('token') === 'token 45' &&
          url.searchParams.get('model') === 'gpt-4o' &&
          url.searchParams.get('channel') === '12',
      );
      await keepPicture(site, `specified log filters ${i18nextLng} ${width}`);
      expect(await allFindings(page)).to.deep.equal([]);
      expect(await sidewaysOverflow(page)).to.be.at.most(0);
    }
  });

  it('of users change the quota in the editor, and offer no way to enable status 3', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await site.open('/user');
    await button('Edit someone').click();
    const drawer = page.getByRole('dialog', { name: 'Edit user' });
    await drawer.getByLabel('Amount to add').fill('$3');
    await drawer.getByText('$0.00 + $3.00 = $3.00').waitFor();
    expect(await allFindings(page)).to.deep.equal([]);
    await keepPicture(site, 'specified user editor');
    await drawer.locator('button[type="submit"]').click();
    await drawer.waitFor({ state: 'detached' });
    await list.row('someone').getByText('$3.00').waitFor();
    const mend = await intercept(page, /\/api\/user\/?\?/, async (route) => {
      const answer = (await (await route.fetch()).json()) as { data: { items: { username: string; status: number }[] } };
      for (const user of answer.data.items) if (user.username === 'someone') user.status = 3;
      return route.fulfill({ json: answer });
    });
    await site.open('/user');
    await list
      .row('someone')
      .getByRole('button', { name: /More actions/ })
      .click();
    const enable = page.getByRole('menuitem', { name: 'Enable' });
    expect(await enable.getAttribute('aria-disabled')).to.equal('true');
    await page.keyboard.press('Escape');
    await mend();
  });

  it('stand below the top navigation of the site, which a phone has in its menu', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await site.open('/token');
    const nav = page.getByRole('navigation', { name: 'Site' });
    expect(await nav.getByRole('link').allTextContents()).to.deep.equal(['Home', 'Console', 'Pricing', 'About']);
    await nav.getByRole('link', { name: 'About' }).click();
    await page.waitForURL('**/about');
    await page.goBack();
    await prefer(page, { i18nextLng: 'zh' });
    await page.setViewportSize({ width: 390, height: 800 });
    await site.open('/token');
    await page.getByRole('button', { name: '打开导航' }).click();
    await page.getByRole('dialog').getByRole('link', { name: '定价', exact: true }).waitFor();
    expect(await allFindings(page)).to.deep.equal([]);
    await keepPicture(site, 'specified phone navigation');
  });

  it('say "Error:" before the message of any other status, in both languages', async () => {
    for (const [i18nextLng, said] of [
      ['zh', '错误：short and stout'],
      ['en', 'Error: short and stout'],
    ] as const) {
      await prefer(page, { i18nextLng });
      const mend = await intercept(page, /\/api\/token/, (route) =>
        route.fulfill({ status: 418, json: { success: false, message: 'short and stout' } }),
      );
      await site.open('/token');
      await page.getByRole('alert').getByText(said, { exact: true }).waitFor();
      await mend();
    }
  });

  it('of prices choose a group by its name and ratio, each in its color', async () => {
    await site.open('/pricing');
    await page.getByRole('search').getByRole('button', { name: 'Group', exact: true }).click();
    const option = page.getByRole('menuitem', { name: /^default · .* · 1×$/ });
    await option.locator('.toned[data-tone="success"]').waitFor();
    await page
      .getByRole('menuitem', { name: /^vip · / })
      .locator('.group-tag[data-tone="yellow"]')
      .waitFor();
    await keepPicture(site, 'specified groups of prices');
    expect(await allFindings(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
  });

  it('keep the public status in the browser, and show its navigation before it is read again', async () => {
    await site.open('/token');
    const kept = await page.evaluate(() => ({ ...localStorage }));
    expect(JSON.parse(kept.status ?? '{}')).to.include({ system_name: 'Tollgate' });
    expect([kept.quota_per_unit, kept.enable_drawing, kept.enable_data_export]).to.deep.equal(['500000', 'true', 'true']);
    const held: (() => unknown)[] = [];
    const mend = await intercept(page, /\/api\/status/, (route) => held.push(() => route.continue()));
    await site.open('/token');
    await page.getByRole('navigation', { name: 'Navigation' }).getByRole('link', { name: 'Dashboard' }).waitFor();
    for (const go of held) go();
    await mend();
  });
}
