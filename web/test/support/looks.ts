import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { allFindings, prefer, sidewaysOverflow } from './browser.ts';
import type { Site } from './site.ts';

/** Between them both themes and both languages; a page is loaded once for each, and fits when the window changes, too. */
const views = [
  { 'theme-mode': 'light', i18nextLng: 'en' },
  { 'theme-mode': 'dark', i18nextLng: 'zh' },
];
const widths = [360, 768, 1280, 1920];
/** Where axe looks: a phone, and a desk. */
const examined = [360, 1280];

/** Visits a page in each view: nothing is wider than the window, and axe finds nothing at all. `ready` waits until it is whole. */
export async function looksRight(site: Site, path: string, ready: () => Promise<unknown> = async () => undefined): Promise<void> {
  const { page } = site;
  for (const view of views) {
    await prefer(page, view);
    await site.open(path);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await ready();
      const name = `${path} ${view['theme-mode']} ${view.i18nextLng} ${width}`;
      await keepPicture(site, name);
      expect(await sidewaysOverflow(page), name).to.be.at.most(0);
      if (examined.includes(width)) expect(await allFindings(page), name).to.deep.equal([]);
    }
  }
  await prefer(page, { 'theme-mode': 'light', i18nextLng: 'en' });
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** Keeps a picture for people, when a folder for it is named. */
export async function keepPicture({ page }: Pick<Site, 'page'>, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name.replaceAll(/\W+/g, '-')}.png`) });
}
