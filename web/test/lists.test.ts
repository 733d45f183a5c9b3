import { readFile } from 'node:fs/promises';
import type { ChannelView, TokenView } from '@tollgate/contracts';
import { eventually, orSkip } from '@tollgate/testing';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { hostileAnswers } from './hostile-answers.ts';
import { hundredRows } from './hundred-rows.ts';
import { allFindings, cutColumns, prefer, sidewaysOverflow } from './support/browser.ts';
import { keepPicture } from './support/looks.ts';
import { failing, intercept, openSite, type Site } from './support/site.ts';
import { taskPages } from './task-pages.ts';

/** How many there are; two are deleted at each width. */
let tokens = 49;
const widths = [360, 768, 1280];

describe('Lists, in a browser', () => {
  let site: Site;
  let page: Page;

  before(async function () {
    this.timeout(180_000);
    site = await orSkip(this, openSite);
    page = site.page;
    const send = (path: string, body: unknown): Promise<unknown> => site.installation.console(path, { method: 'POST', body });
    for (let n = 1; n <= tokens; n += 1) await send('/api/token/', { name: `token ${n}`, remain_quota: 500_000 });
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

  const row = (name: string): Locator => page.getByRole('row', { name: new RegExp(`\\b${name}\\b`) });
  const boxOf = (name: string): Locator => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
  const selected = (count: number): Promise<void> => page.getByRole('toolbar', { name: `${count} selected` }).waitFor();
  const range = (text: string): Promise<void> => page.getByText(text, { exact: true }).waitFor();
  const openTokens = async (query = ''): Promise<void> => {
    await site.open(`/token${query}`);
    await page.locator('[role="table"][aria-busy="false"] [data-row]').first().waitFor();
  };

  for (const [index, width] of widths.entries()) {
    const doomed = [`token ${2 * index + 1}`, `token ${2 * index + 2}`] as const;
    describe(`${width} px wide`, () => {
      beforeEach(() => page.setViewportSize({ width, height: 800 }));

      describe('rows', () => {
        it('open with a click anywhere on them, and close with another', async () => {
          await site.open('/log?range=all');
          await page.locator('[data-row]').first().locator('td').nth(1).click();
          await page.locator('[data-detail]').waitFor();
          await page.locator('[data-row]').first().locator('td').nth(1).click();
          await page.locator('[data-detail]').waitFor({ state: 'detached' });
        });

        it('stay closed when a control in them is used, or a text in them marked', async () => {
          await site.open('/log?range=all');
          const first = page.locator('[data-row]').first();
          await first.locator('td').nth(1).selectText();
          await first.locator('td').nth(1).dispatchEvent('click');
          await page.locator('[data-detail]').waitFor({ state: 'detached' });
          await first.getByRole('button', { name: 'root' }).click();
          await page.getByRole('dialog', { name: 'User' }).waitFor();
          expect(await page.locator('[data-detail]').count()).to.equal(0);
          await page.keyboard.press('Escape');
        });

        it('stay when they cannot be read again, and the page says so', async () => {
          await openTokens();
          const mend = await intercept(page, /api\/token/, failing);
          await page.getByRole('button', { name: 'Refresh' }).click();
          await page.getByRole('alert').getByText('could not be read again').waitFor();
          await row('token 45').waitFor();
          await mend();
          await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
          await page.getByRole('alert').getByText('could not be read again').waitFor({ state: 'detached' });
        });

        it('of one page never stand in for those of another that cannot be read', async () => {
          await openTokens();
          const mend = await intercept(page, /api\/token\?.*p=2/, failing);
          await page.getByRole('button', { name: 'Next page' }).click();
          await page.getByRole('alert').getByText('Internal server error').waitFor();
          expect(await page.locator('[data-row]').count()).to.equal(0);
          await mend();
          await page.getByRole('button', { name: 'Try again' }).click();
          await row('token 20').waitFor();
        });

        it('of the last page stand where a page beyond the end was asked for', async () => {
          await openTokens('?p=99');
          await range(`41–${tokens} of ${tokens}`);
          expect(new URL(page.url()).search).to.equal('?p=3');
        });
      });

      describe('selection', () => {
        it('is kept through the pages, counted right, and named by row', async () => {
          await openTokens();
          await boxOf('token 45').check();
          await selected(1);
          await page.getByRole('button', { name: 'Next page' }).click();
          await boxOf('token 25').check();
          await selected(2);
          await page.getByRole('button', { name: 'Previous page' }).click();
          await eventually(async () => expect(await boxOf('token 45').isChecked()).to.equal(true));
          expect(await boxOf('token 44').isChecked()).to.equal(false);
          await selected(2);
          await page.getByRole('toolbar').getByRole('button', { name: 'Copy keys' }).click();
          await eventually(async () => {
            const copied = await page.evaluate(() => navigator.clipboard.readText());
            expect(copied.split('\n').map((line) => line.split('    ')[0])).to.have.members(['token 45', 'token 25']);
          });
        });

        it('takes and leaves the rows of this page alone with the box in the head', async () => {
          await openTokens();
          await boxOf('token 45').check();
          await page.getByRole('button', { name: 'Next page' }).click();
          await boxOf('token 25').waitFor();
          const all = page.getByRole('checkbox', { name: 'Select all rows on this page' });
          // Cards have no head to be seen; it is there for those who hear the page.
          const turn = (): Promise<void> => (width < 768 ? all.press('Space') : all.click());
          await turn();
          await selected(21);
          await turn();
          await selected(1);
        });

        it('loses rows that are deleted', async () => {
          await openTokens('?p=3');
          const [gone, goneToo] = doomed;
          await boxOf(gone).check();
          await boxOf(goneToo).check();
          await selected(2);
          await row(gone)
            .getByRole('button', { name: /More actions/ })
            .click();
          await page.getByRole('menuitem', { name: 'Delete' }).click();
          await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
          await selected(1);
          await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
          await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
          await page.getByRole('toolbar').waitFor({ state: 'detached' });
          tokens -= 2;
          await range(`41–${tokens} of ${tokens}`);
        });
      });

      // Neither drawers nor the search know how a table of 768 px is drawn.
      if (width === 768) return;

      describe('drawers', () => {
        it('say at once that they load, and can be left meanwhile', async () => {
          await openTokens();
          const held: (() => unknown)[] = [];
          const mend = await intercept(page, /api\/token\/\d+$/, (route) => held.push(() => route.continue()));
          await row('token 45').getByRole('button', { name: 'Edit' }).click();
          const drawer = page.getByRole('dialog', { name: 'Edit token' });
          await eventually(() => expect(held, 'the drawer that waits for the code has given way').to.have.length(1));
          await drawer.getByRole('status', { name: 'Loading' }).waitFor();
          await drawer.getByRole('button', { name: 'Close' }).click();
          await drawer.waitFor({ state: 'detached' });
          await row('token 44').getByRole('button', { name: 'Edit' }).click();
          await drawer.waitFor();
          for (const go of held) go();
          await mend();
          await eventually(async () => expect(await drawer.getByLabel('Name').inputValue()).to.equal('token 44'));
        });

        it('are not opened again by Back once they are closed', async () => {
          await openTokens();
          await page.getByRole('button', { name: 'Create token' }).first().click();
          await page.getByRole('dialog', { name: 'Create token' }).getByRole('button', { name: 'Cancel' }).click();
          await page.getByRole('dialog').waitFor({ state: 'detached' });
          await page.goBack();
          await page.waitForURL('**/token');
          expect(await page.getByRole('dialog').count()).to.equal(0);
        });

        it('open one at a time, whatever the address says', async () => {
          await openTokens();
          await page.goto(`${site.installation.address}/token?new=1&edit=1`);
          await page.getByRole('dialog').waitFor();
          expect(await page.getByRole('dialog').count()).to.equal(1);
        });
      });

      describe('search', () => {
        it('leaves what is typed as it is typed, however slow keys and answers are', async function () {
          this.timeout(60_000);
          await openTokens();
          const mend = await intercept(page, /api\/token\/search/, async (route) => {
            await new Promise((resolve) => setTimeout(resolve, 3000));
            await route.continue().catch(() => undefined);
          });
          const field = page.getByRole('textbox', { name: /Search/ });
          await field.pressSequentially('token 4 ', { delay: 120 });
          // Longer than the pause after which the search begins, so that each key meets a search of the one before.
          for (const key of ['x', ' ', 'y']) {
            await page.waitForTimeout(450);
            await field.press(key === ' ' ? 'Space' : key);
          }
          expect(await field.inputValue()).to.equal('token 4 x y');
          await page.waitForURL(/keyword=token\+4\+x\+y/);
          expect(await field.inputValue()).to.equal('token 4 x y');
          await mend();
        });

        it('follows the address: Back brings the search before', async () => {
          await openTokens('?keyword=token+44');
          const field = page.getByRole('textbox', { name: /Search/ });
          expect(await field.inputValue()).to.equal('token 44');
          await page.getByRole('button', { name: 'Clear filters' }).click();
          await eventually(async () => expect(await field.inputValue()).to.equal(''));
          await page.goBack();
          await eventually(async () => expect(await field.inputValue()).to.equal('token 44'));
        });
      });
    });
  }

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
          await page.getByText('The address has a filter that cannot be read').waitFor();
          page.off('request', listen);
          expect(asked).to.deep.equal([]);
          await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).last().click();
          await page.getByText('The address has a filter').waitFor({ state: 'detached' });
        }
      });
  });

  describe('what passes over a list', () => {
    for (const width of widths)
      it(`never covers the paging at ${width} px`, async () => {
        await page.setViewportSize({ width, height: 800 });
        await openTokens();
        const mend = await intercept(page, /status_only/, failing);
        await row('token 45')
          .getByRole('button', { name: /More actions/ })
          .click();
        await page.getByRole('menuitem', { name: 'Disable' }).click();
        await page.getByRole('alert').getByText('Internal server error').waitFor();
        await mend();
        await page.getByRole('button', { name: 'Next page' }).click({ timeout: 5000 });
        await range(`21–40 of ${tokens}`);
      });

    it('leaves the buttons of the next row free: a tooltip lies beside its own', async () => {
      await openTokens();
      await page.locator('[role="table"][aria-busy="false"]').waitFor(); // no row is drawn anew under the pointer
      await eventually(
        async () => {
          await page.mouse.move(0, 0);
          await row('token 45').getByRole('button', { name: 'Edit' }).hover();
          await page.locator('main input').first().focus(); // its words still come
          const tip = await page.getByRole('tooltip', { name: 'Edit' }).boundingBox({ timeout: 5000 });
          const next = await row('token 44').boundingBox();
          expect((tip?.y ?? Number.NaN) + (tip?.height ?? 0)).to.be.at.most((next?.y ?? 0) + 1);
        },
        { timeoutMs: 30_000 },
      );
      await row('token 44').getByRole('button', { name: 'Edit' }).click({ timeout: 5000 });
      await page.getByRole('dialog', { name: 'Edit token' }).waitFor();
    });
  });

  it('show a channel whose test failed as failed, with the reason, also after a reload', async () => {
    await site.open('/channel');
    await row('channel 1')
      .getByRole('button', { name: /More actions/ })
      .click();
    await page.getByRole('menuitem', { name: 'Test', exact: true }).click();
    await row('channel 1').getByText('Test failed').waitFor();
    await site.open('/channel');
    await row('channel 1').getByText('Test failed').hover();
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
    const more = row('channel 1').getByRole('button', { name: /More actions/ });
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
        ['/channel', { en: 'Channels', zh: '管理渠道' }],
        ['/user', { en: 'Users', zh: '用户管理' }],
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

  it('leave to the opened row what a screen of 768 px has no room for, and let it be changed there', async () => {
    await page.setViewportSize({ width: 768, height: 800 });
    await site.open('/channel');
    await row('channel 2').getByRole('button', { name: 'Details of channel 2' }).click();
    const priority = page.locator('[data-detail]').getByRole('spinbutton', { name: 'Priority of channel 2' });
    await priority.fill('7');
    await priority.press('Enter');
    await eventually(async () => expect(await site.installation.console('/api/channel/2')).to.include({ priority: 7 }));
    expect(await allFindings(page)).to.deep.equal([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.locator('[data-detail]').waitFor({ state: 'detached' });
    expect(await row('channel 2').getByRole('spinbutton', { name: 'Priority of channel 2' }).inputValue()).to.equal('7');
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

  it('are downloaded whole, whichever page shows, and the audit log tells who changed what', async () => {
    await openTokens('?p=2');
    await page.getByRole('button', { name: 'Columns and density' }).click();
    await page.getByRole('menuitemcheckbox').first().waitFor();
    expect(await allFindings(page), 'an open menu').to.deep.equal([]);
    const save = page.getByRole('menuitem', { name: 'Download all rows (CSV)' });
    const [file] = await Promise.all([page.waitForEvent('download'), save.click()]);
    expect(file.suggestedFilename()).to.match(/^tokens-.*\.csv$/);
    expect((await readFile(await file.path(), 'utf8')).trim().split('\r\n')).to.have.length(tokens + 1);
    await site.open('/audit?action=channel.');
    await page
      .getByRole('row', { name: /channel\.create/ })
      .first()
      .locator('td')
      .nth(1)
      .click();
    await page.getByRole('row', { name: /^name — channel 3/ }).waitFor();
    expect(await page.getByText('user.create').count()).to.equal(0);
  });

  it('of channels stand below their tags, which are changed as one', async () => {
    const list = async () =>
      (await site.installation.console<{ items: ChannelView[] }>('/api/channel/?p=1&page_size=100', { method: 'GET' })).items;
    const [one, other] = await list();
    await site.installation.console('/api/channel/batch/tag', { method: 'POST', body: { ids: [one?.id, other?.id], tag: 'pair' } });
    await site.open('/channel?view=tags');
    const pair = page.getByRole('row', { name: /Tag: pair/ });
    await pair.getByText('of 2 enabled').waitFor();
    await page.getByRole('row', { name: /Without a tag/ }).waitFor();
    await pair.getByRole('button', { name: /^Details of/ }).click();
    await page.getByRole('row', { name: new RegExp(`\\b${one?.name}\\b`) }).waitFor();
    await pair.getByLabel('Priority of Tag: pair').fill('7');
    await pair.getByLabel('Priority of Tag: pair').press('Enter');
    await eventually(async () =>
      expect((await list()).filter(({ tag }) => tag === 'pair').map(({ priority }) => priority)).to.deep.equal([7, 7]),
    );
    await pair.getByRole('button', { name: 'Edit tag pair' }).click();
    const editor = page.getByRole('dialog', { name: 'Edit tag pair' });
    await editor.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Nothing was changed!').waitFor();
    await editor.getByLabel('Priority').fill('much');
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.getByText('Priority must be an integer!').waitFor();
    await editor.getByLabel('Priority').fill('');
    await editor.getByLabel('Weight').fill('-1');
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.getByText('Weight must be a non-negative integer!').waitFor();
    await editor.getByLabel('Weight').fill('3');
    await editor.getByLabel('Model redirect').fill('[]');
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.getByText('The model mapping must be valid JSON!').waitFor();
    await editor.getByRole('button', { name: 'No change' }).click();
    await editor.getByLabel('Tag name').fill('');
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.waitFor({ state: 'detached' });
    await eventually(async () => expect((await list()).map(({ tag }) => tag)).to.deep.equal([null, null, null]));
    expect((await list()).filter(({ weight }) => weight === 3)).to.have.length(2);
  });

  it('of channels tell how far a test of all of them is, and are read again at its end', async () => {
    await site.open('/channel');
    await page.getByRole('button', { name: 'Maintenance' }).click();
    await page.getByRole('menuitem', { name: 'Test all channels' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start test' }).click();
    await page.getByText('All channels are tested: 3, failed: 3').waitFor({ timeout: 60_000 });
    await eventually(async () => expect(await page.getByText('Test failed').count()).to.equal(3));
  });

  it('of models stay small with hundreds of names: found, pasted, and held against what was before', async () => {
    const [channel] = (await site.installation.console<{ items: ChannelView[] }>('/api/channel/?p=1&page_size=1', { method: 'GET' })).items;
    const models = Array.from({ length: 500 }, (_, n) => `model-${n}`);
    await site.installation.console('/api/channel/', { method: 'PUT', body: { id: channel?.id, models: models.join(',') } });
    await site.open(`/channel/edit/${channel?.id}`);
    const drawer = page.getByRole('dialog', { name: 'Edit channel' });
    await drawer.getByText('Chosen: 500.').waitFor();
    await drawer.getByRole('button', { name: 'Edit as a list' }).click();
    const dialog = page.getByRole('dialog', { name: 'Models of the channel' });
    await dialog.getByLabel('Search models').fill('model-49');
    await dialog.getByRole('button', { name: 'Drop those found' }).click();
    await dialog.getByText('Chosen: 489; new: 0, dropped: 11').waitFor();
    await dialog.getByLabel('Paste names').fill('model-1\nfrom-a-sheet, another');
    await dialog.getByRole('button', { name: 'Add these names' }).click();
    await page.getByText('Some of these models are there already!').waitFor();
    await dialog.getByText('Chosen: 491; new: 2, dropped: 11').waitFor();
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await drawer.getByText('Chosen: 491.').waitFor();
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
      .getByText(/Recharge/)
      .first()
      .waitFor();
  });

  it('of channels and tokens are switched off together, and as they were by one touch', async () => {
    const states = async (list: string, names: string[]) => {
      const { items } = await site.installation.console<{ items: ChannelView[] }>(`/api/${list}/?p=1&page_size=100`);
      return names.map((name) => items.find((each) => each.name === name)?.status);
    };
    for (const [list, names, said] of [
      ['channel', ['channel 1', 'channel 2', 'channel 3'], '2 channels disabled'],
      ['token', ['token 44', 'token 45', 'token 46'], '2 tokens disabled'],
    ] as const) {
      const { items } = await site.installation.console<{ items: ChannelView[] }>(`/api/${list}/?p=1&page_size=100`);
      const ids = names.map((name) => items.find((each) => each.name === name)?.id);
      const put = (of: typeof ids, status: number) =>
        site.installation.console(`/api/${list}/batch`, { method: 'PUT', body: { ids: of, set: { status } } });
      await put(ids.slice(0, 2), 1);
      await put(ids.slice(2), 2);
      await site.open(`/${list}`);
      for (const name of names) await boxOf(name).check();
      await selected(3);
      await page.getByRole('toolbar').getByRole('button', { name: 'Disable', exact: true }).click();
      const toast = page.getByRole('status').filter({ hasText: said });
      await toast.waitFor();
      expect(await states(list, [...names])).to.deep.equal([2, 2, 2]);
      await toast.getByRole('button', { name: 'Undo' }).click();
      await eventually(async () => expect(await states(list, [...names])).to.deep.equal([1, 1, 2]));
    }
  });

  it('take back what was done to all that match, to a tag, and a deletion, after which the same key calls again', async () => {
    const undoOf = (said: string) => page.getByRole('status').filter({ hasText: said }).getByRole('button', { name: 'Undo' });
    const list = async <Row>(path: string) => (await site.installation.console<{ items: Row[] }>(`/api/${path}&p=1&page_size=100`)).items;
    const allTokens = async () => (await list<TokenView>('token/?')).filter(({ name }) => /^token 4\d$/.test(name));
    const before = (await allTokens()).map(({ id, status }) => [id, status]);
    await openTokens('?keyword=token+4');
    await boxOf('token 45').check();
    await page.getByRole('toolbar').getByRole('button', { name: 'Select all that match' }).click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Disable', exact: true }).click();
    await undoOf('tokens disabled').waitFor();
    expect((await allTokens()).map(({ status }) => status)).to.deep.equal(before.map(() => 2));
    await undoOf('tokens disabled').click();
    await eventually(async () => expect((await allTokens()).map(({ id, status }) => [id, status])).to.deep.equal(before));

    const { key = '' } = (await allTokens()).find(({ name }) => name === 'token 45') ?? {};
    const callStatus = async () =>
      (await fetch(`${site.installation.address}/v1/models`, { headers: { authorization: `Bearer sk-${key}` } })).status;
    expect(await callStatus()).to.equal(200);
    await page.getByRole('button', { name: 'More actions: token 45' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await undoOf('Token deleted').waitFor();
    await eventually(async () => expect(await callStatus()).to.equal(401));
    await undoOf('Token deleted').click();
    await row('token 45').waitFor();
    await eventually(async () => expect(await callStatus()).to.equal(200));

    const channels = () => list<ChannelView>('channel/?id_sort=true');
    const ids = (await channels()).map(({ id }) => id);
    await site.installation.console('/api/channel/batch/tag', { method: 'POST', body: { ids, tag: 'trio' } });
    const states = (await channels()).map(({ status }) => status);
    await site.open('/channel?view=tags');
    await page.getByRole('button', { name: 'More actions: trio' }).click();
    await page.getByRole('menuitem', { name: 'Disable tag trio' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await undoOf('All channels tagged trio are disabled').click();
    await eventually(async () => expect((await channels()).map(({ status }) => status)).to.deep.equal(states));
    await site.installation.console('/api/channel/batch/tag', { method: 'POST', body: { ids, tag: null } });
  });

  it('tell in the specification’s words what must be selected, given and sent only once', async () => {
    await prefer(page, { i18nextLng: 'zh' });
    const says = (text: string) => page.getByText(text).first().waitFor();
    await site.open('/token');
    await page.getByRole('button', { name: '复制所选令牌' }).click();
    await says('请至少选择一个令牌！');
    await site.go('/redemption');
    await page.getByRole('button', { name: '复制兑换码', exact: true }).click();
    await says('请至少选择一个兑换码！');
    await site.go('/channel');
    const more = page.getByRole('button', { name: '维护' });
    for (const [deed, words] of [
      ['设置标签', '请先选择要设置标签的渠道！'],
      ['删除所选渠道', '请先选择要删除的通道！'],
    ] as const) {
      await more.click();
      await page.getByRole('menuitem', { name: deed, exact: true }).click();
      await says(words);
    }
    await page.getByRole('checkbox', { name: /channel 2/ }).check();
    const bar = page.getByRole('toolbar');
    await bar.getByRole('button', { name: '设置标签' }).click();
    const dialog = page.getByRole('dialog', { name: '设置标签' });
    await dialog.getByRole('textbox').fill('spare');
    await dialog.getByRole('textbox').fill(' ');
    await page.keyboard.press('Enter');
    await dialog.getByText('标签不能为空！').waitFor();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const { promise: sent, resolve: isSent } = Promise.withResolvers<void>();
    await intercept(page, /\/api\/channel\/batch/, async (route) => {
      isSent();
      await answered;
      await route.continue();
    });
    await dialog.getByRole('textbox').fill('spare');
    await page.keyboard.press('Enter');
    await sent;
    await dialog.locator('button[type="submit"]:disabled').waitFor();
    await page.keyboard.press('Enter');
    await says('提交失败，请勿重复提交！');
    answer();
    await dialog.waitFor({ state: 'detached' });
    const body = { name: 'gone', type: 1, key: 'sk-x', base_url: 'http://127.0.0.1:9', models: 'some-model' };
    await site.installation.console('/api/channel/', { method: 'POST', body });
    await page.getByRole('button', { name: '刷新' }).click();
    await row('gone').waitFor();
    const { items } = await site.installation.console<{ items: ChannelView[] }>('/api/channel/search?keyword=gone');
    await site.installation.console(`/api/channel/${items[0]?.id}`, { method: 'DELETE' });
    await row('gone')
      .getByRole('button', { name: /更多操作/ })
      .click();
    await page.getByRole('menuitem', { name: '复制渠道' }).click();
    await says('渠道复制失败: 渠道未找到，请刷新页面后重试。');
  });

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
});
