import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { allFindings, cutColumns, prefer, sidewaysOverflow } from '../support/browser.ts';
import { keepPicture } from '../support/looks.ts';
import { failing, intercept, type Site } from '../support/site.ts';
import { type ListPage, widths } from './list-page.ts';

/** What has room where, and what covers nothing. */
export function looksOfLists(list: ListPage): void {
  let site: Site;
  let page: Page;
  before(() => ({ site, page } = list));

  describe('filters', () => {
    const set = '?range=7d&type=2&model=gpt-4o-mini-2024-07-18&token=main+token&group=default&request=20261122&user=root&channel=12';
    it('stay on the screen from 360 to 1280 px when all are set', async () => {
      await site.open(`/log${set}`);
      for (const width of [360, 720, 768, 900, 1024, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await page.getByRole('button', { name: 'Clear filters' }).waitFor();
        expect(await sidewaysOverflow(page), `${width} px`).to.be.at.most(0);
        const place = await page.getByRole('button', { name: 'Refresh' }).boundingBox();
        expect((place?.x ?? 0) + (place?.width ?? 0)).to.be.at.most(width);
        const reach = await page
          .getByRole('search')
          .getByRole('button')
          .evaluateAll((chips) => chips.map((chip) => [chip.textContent, chip.getBoundingClientRect().right] as const));
        for (const [text, right] of reach) expect(right, `${text} at ${width} px`).to.be.at.most(width);
      }
    });

    it('of channels are one line at 1280 px while one of them is set, in both languages', async () => {
      await page.setViewportSize({ width: 1280, height: 800 });
      for (const [language, clear] of [
        ['zh', '清除筛选'],
        ['en', 'Clear filters'],
      ] as const) {
        await prefer(page, { i18nextLng: language });
        await site.open('/channel?status=1');
        await page.getByRole('button', { name: clear, exact: true }).waitFor();
        await page.getByRole('search').getByText('(3)').waitFor();
        expect((await page.getByRole('search').boundingBox())?.height, language).to.be.at.most(48);
      }
    });

    for (const query of ['?from=abc', '?to=-5', '?channel=abc', '?type=spend', '?range=ever'])
      it(`say that ${query} means nothing, instead of showing everything`, async () => {
        const asked: string[] = [];
        const listen = (request: { url(): string }): void => void (request.url().includes('/api/log') && asked.push(request.url()));
        for (const width of widths) {
          await page.setViewportSize({ width, height: 800 });
          await site.go('/token');
          await page.getByRole('heading', { name: 'Tokens', level: 1 }).waitFor();
          page.on('request', listen);
          await site.go(`/log${query}`);
          await page.getByText('Invalid filter in the URL').waitFor();
          page.off('request', listen);
          expect(asked).to.deep.equal([]);
          await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).last().click();
          await page.getByText('Invalid filter').waitFor({ state: 'detached' });
        }
      });
  });

  describe('what passes over a list', () => {
    it('is never a column that stays in sight, over what has the focus: not with all columns on either', async () => {
      for (const width of [900, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        for (const [path, shown] of [
          ['/log?range=all', { 'columns-logs-all': 'type,group,retry,details' }],
          ['/channel', { 'columns-channels': 'balance,tag,created' }],
        ] as const) {
          await prefer(page, shown);
          await site.open(path);
          await page.locator('[role="table"][aria-busy="false"] [data-row]').first().waitFor();
          const hidden = await page.locator('[data-row]').first().evaluate(coveredControls);
          expect(hidden, `${path} ${width}`).to.deep.equal([]);
        }
      }
      await prefer(page, { 'columns-logs-all': '', 'columns-channels': '' });
    });

    for (const width of widths)
      it(`never covers the paging at ${width} px`, async () => {
        await page.setViewportSize({ width, height: 800 });
        await list.openTokens();
        const mend = await intercept(page, /status_only/, failing);
        await list
          .row('token 45')
          .getByRole('button', { name: /More actions/ })
          .click();
        await page.getByRole('menuitem', { name: 'Disable' }).click();
        await page.getByRole('alert').getByText('Internal server error').waitFor();
        await mend();
        await page.getByRole('button', { name: 'Next page' }).click({ timeout: 5000 });
        await list.range(`21–40 of ${list.tokens}`);
      });

    it('leaves the buttons of the next row free: a tooltip lies beside its own', async () => {
      await list.openTokens();
      await page.locator('[role="table"][aria-busy="false"]').waitFor(); // no row is drawn anew under the pointer
      await eventually(
        async () => {
          await page.mouse.move(0, 0);
          await list.row('token 45').getByRole('button', { name: 'Edit' }).hover();
          await page.locator('main input').first().focus(); // its words still come
          const tip = await page.getByRole('tooltip', { name: 'Edit' }).boundingBox({ timeout: 5000 });
          const next = await list.row('token 44').boundingBox();
          expect((tip?.y ?? Number.NaN) + (tip?.height ?? 0)).to.be.at.most((next?.y ?? 0) + 1);
        },
        { timeoutMs: 30_000 },
      );
      await list.row('token 44').getByRole('button', { name: 'Edit' }).click({ timeout: 5000 });
      await page.getByRole('dialog', { name: 'Edit token' }).waitFor();
    });
  });

  it('fit 360, 768 and 1280 px in both languages and themes', async function () {
    this.timeout(180_000);
    for (const [language, theme] of [
      ['en', 'light'],
      ['zh', 'dark'],
    ] as const) {
      await prefer(page, { i18nextLng: language, 'theme-mode': theme });
      await site.open('/token');
      expect(await page.locator('html').getAttribute('data-theme')).to.equal(theme);
      for (const [path, label] of [
        ['/token', { en: 'Tokens', zh: '令牌' }],
        ['/channel', { en: 'Channels', zh: '渠道' }],
        ['/user', { en: 'Users', zh: '用户' }],
        ['/log?range=all', { en: 'Usage logs', zh: '使用日志' }],
      ] as const) {
        await site.go(path);
        await page.getByRole('heading', { name: label[language], level: 1 }).waitFor();
        await page.locator('[role="table"][aria-busy="false"] [data-row]').first().waitFor();
        for (const width of widths) {
          await page.setViewportSize({ width, height: 800 });
          expect(await sidewaysOverflow(page), `${path} ${width} ${language} ${theme}`).to.be.at.most(0);
          await eventually(async () => expect(await cutColumns(page), `columns of ${path} ${width} ${language}`).to.be.at.most(0));
          await keepPicture(site, `list ${path} ${width} ${language} ${theme}`);
        }
      }
    }
  });

  it('keep a number beside a name that is written from the right as it is', async () => {
    await site.open('/token');
    const code = {
      id: 1,
      user_id: 1,
      key: 'k'.repeat(32),
      status: 3,
      name: 'code',
      quota: 1,
      created_time: 1,
      redeemed_time: 2,
      version: 1,
    };
    const items = [{ ...code, used_user_id: 12, used_username: 'محمد', count: 0 }];
    await intercept(page, /\/api\/redemption/, (route) =>
      route.fulfill({ json: { success: true, message: '', data: { items, page: 1, page_size: 20, total: 1 } } }),
    );
    await site.goOn('/redemption');
    const cell = page.locator('[data-row] td', { hasText: 'محمد' });
    await cell.waitFor();
    const lefts = await cell.evaluate((element) => {
      const lefts: Record<string, number> = {};
      const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      while (walk.nextNode())
        for (const [at, letter] of [...(walk.currentNode.textContent ?? '')].entries()) {
          const range = document.createRange();
          range.setStart(walk.currentNode, at);
          range.setEnd(walk.currentNode, at + 1);
          lefts[letter] = range.getBoundingClientRect().left;
        }
      return lefts;
    });
    const order = ['م', '#', '1', '2'].sort((a, b) => (lefts[a] ?? 0) - (lefts[b] ?? 0));
    expect(order.join(' '), 'from left to right').to.equal('م # 1 2');
  });

  it('say of a token when it was used last, were it in the second in which it was made', async () => {
    await site.open('/channel');
    await intercept(page, /\/api\/token/, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: { items: { used_quota: number }[] } };
      for (const [n, token] of body.data.items.entries()) token.used_quota = n === 0 ? 5 : 0;
      await route.fulfill({ response, json: body });
    });
    await site.goOn('/token');
    const rows = page.locator('[data-row]');
    await rows.first().waitFor();
    expect(await rows.nth(0).getByText('Not used yet').count(), 'used').to.equal(0);
    expect(await rows.nth(1).getByText('Not used yet').count(), 'never used').to.equal(1);
  });

  it('print what their columns are called, and nothing that can only be pressed', async () => {
    await site.open('/channel');
    const named = page.getByRole('columnheader', { name: 'ID' }).getByText('ID');
    await named.waitFor();
    await page.emulateMedia({ media: 'print' });
    expect([await named.isVisible(), await page.getByText('Create channel').isVisible()]).to.deep.equal([true, false]);
    await page.emulateMedia({ media: 'screen' });
  });

  it('leave to the opened row what a screen of 768 px has no room for, and let it be changed there', async () => {
    await page.setViewportSize({ width: 768, height: 800 });
    await site.open('/channel');
    await list.row('channel 2').getByRole('button', { name: 'Details of channel 2' }).click();
    const priority = page.locator('[data-detail]').getByRole('spinbutton', { name: 'Priority of channel 2' });
    await priority.fill('7');
    await priority.press('Enter');
    await eventually(async () => expect(await site.installation.console('/api/channel/2')).to.include({ priority: 7 }));
    expect(await allFindings(page)).to.deep.equal([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.locator('[data-detail]').waitFor({ state: 'detached' });
    expect(await list.row('channel 2').getByRole('spinbutton', { name: 'Priority of channel 2' }).inputValue()).to.equal('7');
    await site.installation.console('/api/channel/', { method: 'PUT', body: { id: 2, priority: 0 } });
  });

  it('are cards of three lines at most on a phone, which open for the rest, by the keyboard too', async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    for (const [path, rest] of [
      ['/token', 'td[data-label="Group"]'],
      ['/channel', 'td[data-label="Priority"]'],
      ['/user', 'td[data-label="Group"]'],
      ['/log?range=all', '[data-detail]'],
    ] as const) {
      await site.open(path);
      await page.locator('[role="table"][aria-busy="false"] [data-row]').first().waitFor();
      const heights = await page.locator('[data-row]').evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
      expect(Math.max(...heights), path).to.be.at.most(100);
      const cells = page.locator('[data-row]').first().locator('td');
      const grounds = await cells.evaluateAll((all) => all.map((cell) => getComputedStyle(cell).backgroundColor));
      expect([...new Set(grounds)], `${path}: one ground for all of a card`).to.deep.equal(['rgba(0, 0, 0, 0)']);
      await keepPicture(site, `cards ${path}`);
      const more = page.locator(`tbody ${rest}`).first();
      expect(await more.isVisible(), path).to.equal(false);
      await page.locator('[data-row]').first().locator('[data-opener] button').focus();
      await page.keyboard.press('Enter');
      await more.waitFor();
      expect(await sidewaysOverflow(page), path).to.be.at.most(0);
      expect(await allFindings(page), path).to.deep.equal([]);
      await keepPicture(site, `opened card ${path}`);
      await page.keyboard.press('Enter');
      await more.waitFor({ state: 'hidden' });
    }
  });
}

/** The controls of a row that are covered by something when they get the focus, whichever way the table was scrolled before. */
function coveredControls(row: Element): string[] {
  const scroller = row.closest('[role="region"]');
  const controls = [...row.querySelectorAll<HTMLElement>('a, button, input')].filter((control) => control.offsetWidth > 0);
  return [0, 10_000].flatMap((scrolled) =>
    controls.flatMap((control) => {
      scroller?.scrollTo({ left: scrolled });
      control.focus();
      const { left, right, top, bottom } = control.getBoundingClientRect();
      const isCovered = [left + 2, right - 2].some((x) => {
        const above = document.elementFromPoint(x, (top + bottom) / 2);
        return above?.closest('td') !== control.closest('td');
      });
      return isCovered ? [control.getAttribute('aria-label') ?? control.textContent] : [];
    }),
  );
}
