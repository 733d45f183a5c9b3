import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { failing, intercept, type Site } from '../support/site.ts';
import { type ListPage, widths } from './list-page.ts';

/** Rows, selection, drawers and search: what works on every screen. */
export function listsAtEachWidth(list: ListPage): void {
  let site: Site;
  let page: Page;
  before(() => ({ site, page } = list));

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
          await first.locator('button.link-button').click();
          await page.getByRole('dialog', { name: 'User' }).waitFor();
          expect(await page.locator('[data-detail]').count()).to.equal(0);
          await page.keyboard.press('Escape');
        });

        it('stay when they cannot be read again, and the page says so', async () => {
          await list.openTokens();
          const mend = await intercept(page, /api\/token/, failing);
          await page.getByRole('button', { name: 'Refresh' }).click();
          await page.getByRole('alert').getByText('could not be refreshed').waitFor();
          await list.row('token 45').waitFor();
          await mend();
          await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
          await page.getByRole('alert').getByText('could not be refreshed').waitFor({ state: 'detached' });
        });

        it('of one page never stand in for those of another that cannot be read', async () => {
          await list.openTokens();
          const mend = await intercept(page, /api\/token\?.*p=2/, failing);
          await page.getByRole('button', { name: 'Next page' }).click();
          await page.getByRole('alert').getByText('Internal server error').waitFor();
          expect(await page.locator('[data-row]').count()).to.equal(0);
          await mend();
          await page.getByRole('button', { name: 'Try again' }).click();
          await list.row('token 20').waitFor();
        });

        it('of the last page stand where a page beyond the end was asked for', async () => {
          await list.openTokens('?p=99');
          await list.range(`41–${list.tokens} of ${list.tokens}`);
          expect(new URL(page.url()).search).to.equal('?p=3');
        });
      });

      describe('selection', () => {
        it('is kept through the pages, counted right, and named by row', async () => {
          await list.openTokens();
          await list.boxOf('token 45').check();
          await list.selected(1);
          await page.getByRole('button', { name: 'Next page' }).click();
          await list.boxOf('token 25').check();
          await list.selected(2);
          await page.getByRole('button', { name: 'Previous page' }).click();
          await eventually(async () => expect(await list.boxOf('token 45').isChecked()).to.equal(true));
          expect(await list.boxOf('token 44').isChecked()).to.equal(false);
          await list.selected(2);
          await page.getByRole('toolbar').getByRole('button', { name: 'Copy keys' }).click();
          await eventually(async () => {
            const copied = await page.evaluate(() => navigator.clipboard.readText());
            expect(copied.split('\n').map((line) => line.split('    ')[0])).to.have.members(['token 45', 'token 25']);
          });
        });

        it('takes and leaves the rows of this page alone with the box in the head', async () => {
          await list.openTokens();
          await list.boxOf('token 45').check();
          await page.getByRole('button', { name: 'Next page' }).click();
          await list.boxOf('token 25').waitFor();
          const all = page.getByRole('checkbox', { name: 'Select all rows on this page' });
          // Cards have no head to be seen; it is there for those who hear the page.
          const turn = (): Promise<void> => (width < 768 ? all.press('Space') : all.click());
          await turn();
          await list.selected(21);
          await turn();
          await list.selected(1);
        });

        it('loses rows that are deleted', async () => {
          await list.openTokens('?p=3');
          const [gone, goneToo] = doomed;
          await list.boxOf(gone).check();
          await list.boxOf(goneToo).check();
          await list.selected(2);
          await list
            .row(gone)
            .getByRole('button', { name: /More actions/ })
            .click();
          await page.getByRole('menuitem', { name: 'Delete' }).click();
          await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
          await list.selected(1);
          await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
          await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
          await page.getByRole('toolbar').waitFor({ state: 'detached' });
          list.tokens -= 2;
          await list.range(`41–${list.tokens} of ${list.tokens}`);
        });
      });

      // Neither drawers nor the search know how a table of 768 px is drawn.
      if (width === 768) return;

      describe('drawers', () => {
        it('say at once that they load, and can be left meanwhile', async () => {
          await list.openTokens();
          const held: (() => unknown)[] = [];
          const mend = await intercept(page, /api\/token\/\d+$/, (route) => held.push(() => route.continue()));
          await list.row('token 45').getByRole('button', { name: 'Edit' }).click();
          const drawer = page.getByRole('dialog', { name: 'Edit token' });
          await eventually(() => expect(held, 'the drawer that waits for the code has given way').to.have.length(1));
          await drawer.getByRole('status', { name: 'Loading' }).waitFor();
          await drawer.getByRole('button', { name: 'Close' }).click();
          await drawer.waitFor({ state: 'detached' });
          await list.row('token 44').getByRole('button', { name: 'Edit' }).click();
          await drawer.waitFor();
          for (const go of held) go();
          await mend();
          await eventually(async () => expect(await drawer.getByLabel('Name').inputValue()).to.equal('token 44'));
        });

        it('are not opened again by Back once they are closed', async () => {
          await list.openTokens();
          await page.getByRole('button', { name: 'Create token' }).first().click();
          await page.getByRole('dialog', { name: 'Create token' }).getByRole('button', { name: 'Cancel' }).click();
          await page.getByRole('dialog').waitFor({ state: 'detached' });
          await page.goBack();
          await page.waitForURL('**/token');
          expect(await page.getByRole('dialog').count()).to.equal(0);
        });

        it('open one at a time, whatever the address says', async () => {
          await list.openTokens();
          await page.goto(`${site.installation.address}/token?new=1&edit=1`);
          await page.getByRole('dialog').waitFor();
          expect(await page.getByRole('dialog').count()).to.equal(1);
        });
      });

      describe('search', () => {
        it('leaves what is typed as it is typed, however slow keys and answers are', async function () {
          this.timeout(60_000);
          await list.openTokens();
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
          await list.openTokens('?keyword=token+44');
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
}
