import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { allFindings, prefer, sidewaysOverflow } from '../support/browser.ts';
import { keepPicture, looksRight } from '../support/looks.ts';
import type { Site } from '../support/site.ts';

/** Every page and drawer of who is signed in; those before the door have pictures of their own. */
const pictured = [
  '/',
  '/pricing',
  '/detail',
  '/playground',
  '/chat',
  '/token',
  '/topup',
  '/token/add',
  '/log',
  '/midjourney',
  '/task',
  '/channel',
  '/redemption',
  '/channel?view=tags',
  '/redemption/add',
  '/channel/add',
  '/order',
  '/channel/edit/1',
  '/user',
  '/setting',
  '/user/add',
  '/setting?tab=operation',
  '/audit',
  '/setting?tab=ratelimit',
  '/jobs',
  '/catalog',
  '/setting?tab=system',
  '/system',
  '/import',
  '/setting?tab=other',
  '/api-docs',
  '/user/edit',
  '/user/edit/1',
  '/start',
  '/nowhere',
];

/** What comes to a page after the rest of it, without which a picture of it is none. */
const last: Record<string, string> = {
  '/token/add': '[role="dialog"] [role="spinbutton"]',
  '/channel/add': '[role="dialog"] [role="spinbutton"]',
  '/channel/edit/1': '[role="dialog"] [role="spinbutton"]',
  '/setting': 'main form',
  '/user/edit': 'main form',
  '/playground': 'aside [role="combobox"], aside input',
  '/channel?view=tags': '[role="region"] :is([data-row], p)',
  '/setting?tab=operation': '[data-option]',
  '/setting?tab=system': '[data-option]',
  '/start': 'main h2',
};

/** Every page of who is signed in, whole, at every width. */
export function everyPage(getSite: () => Site): void {
  let site: Site;
  let page: Page;
  before(() => {
    site = getSite();
    ({ page } = site);
  });

  it('/detail?range=7d looks right at every width, in both languages and themes', async function () {
    this.timeout(120_000);
    await looksRight(site, '/detail?range=7d', () => page.locator('svg[class*="Charts"]').first().waitFor());
  });

  it('has every page and drawer whole in both languages and themes, without findings, and keeps a picture of each', async function () {
    this.timeout(480_000);
    for (const [language, theme] of [
      ['zh', 'dark'],
      ['en', 'light'],
    ] as const) {
      await prefer(page, { i18nextLng: language, 'theme-mode': theme });
      await site.open('/about');
      let title = await page.title();
      for (const path of pictured) {
        await site.go(path);
        const isDrawer = /\/(add|edit\/\d+)$/.test(path);
        // No two in a row have the same title: with a new one the page is there, and whole once nothing in it waits.
        await page.waitForFunction(
          ({ before, hasDialog }) =>
            document.title !== before &&
            // More than its heading.
            (document.querySelector('main')?.textContent.length ?? 0) > (document.querySelector('main h1')?.textContent.length ?? 0) &&
            (!hasDialog || document.querySelector('[role="dialog"] button[type="submit"]') !== null) &&
            document.querySelector('[aria-busy="true"], main .MuiSkeleton-root, main .MuiLinearProgress-root') === null,
          { before: title, hasDialog: isDrawer },
        );
        if (last[path]) await page.locator(last[path]).first().waitFor();
        title = await page.title();
        await keepPicture(site, `page ${path} ${language}`);
        for (const width of [360, 768, 1920, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          expect(await sidewaysOverflow(page), `${path} ${width}`).to.be.at.most(0);
          if (width === 360 || width === 1280) expect(await allFindings(page), `${path} ${language} ${width}`).to.deep.equal([]);
        }
        const words = (await page.locator('body').allInnerTexts()).join();
        expect(
          words.match(/\b[a-z]+(:[a-zA-Z]+)?(\.[a-z][a-zA-Z]+){2,}\b/)?.[0] ?? '',
          `a key instead of its text on ${path}`,
        ).to.not.match(
          /^(app|shared|channels|tokens|settings|logs|users|account|wallet|orders|system|tasks|jobs|catalog|audit|pricing|dashboard|playground)/,
        );
        const named = page.locator('[aria-label], [title]');
        const names = await named.evaluateAll((all) =>
          all.map((each) => each.getAttribute('aria-label') ?? each.getAttribute('title') ?? ''),
        );
        if (language === 'zh') expect(names, path).to.not.include.members(['Open']).and.to.not.include.members(['Clear']);
        if (language === 'zh' && path === '/api-docs') expect(words).to.contain('网站的公开信息');
        if (language === 'zh') expect(await page.locator('h1').first().textContent(), path).to.match(/[\u4e00-\u9fff]|Tollgate/);
      }
    }
    await prefer(page, { i18nextLng: 'en', 'theme-mode': 'light' });
  });
}
