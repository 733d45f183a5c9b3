import { expect } from 'chai';
import { walk } from '../support/walk.ts';
import type { Hands } from './hands.ts';

const walked = [
  '/token',
  '/channel',
  '/log',
  '/user',
  '/detail',
  '/playground',
  '/pricing',
  '/user/edit',
  '/topup',
  '/channel/add',
  '/token/add',
];

/** Pages and editors that are gone through from the first control to the last. */
export function tabOrder(at: () => Hands): void {
  for (const path of walked)
    it(`${path} is gone through by Tab: each stop in sight and in order, none left out`, async () => {
      const { page, go } = at();
      await go(path);
      await page.waitForLoadState('networkidle'); // each part has come
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"], .MuiSkeleton-root') === null);
      if (/add/.test(path)) await page.getByRole('dialog').locator('button[type="submit"]').waitFor();
      if (path === '/user/edit') await page.locator('main form button[type="submit"]').first().waitFor();
      const { stops, ...faults } = await walk(page);
      expect(faults).to.deep.equal({ missed: [], blind: [], backwards: [] });
      expect(stops).to.be.above(10);
    });
}
