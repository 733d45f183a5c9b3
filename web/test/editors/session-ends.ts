import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import type { Locator, Page, Request } from 'playwright-core';
import { drawn } from '../support/browser.ts';
import { forgetSession, signIn } from '../support/session.ts';
import type { Site } from '../support/site.ts';

/** What is typed anywhere is there again for the same person, and for nobody else, after the server has ended the session. */
export function sessionEnds(getSite: () => Site): void {
  describe('when the session has ended', () => {
    let site: Site;
    let page: Page;
    const unanswered = new Set<Request>();
    before(async () => {
      site = getSite();
      ({ page } = site);
      page.on('request', (request) => unanswered.add(request));
      page.on('requestfinished', (request) => unanswered.delete(request));
      page.on('requestfailed', (request) => unanswered.delete(request));
      await page.setViewportSize({ width: 1280, height: 800 });
      await send('POST', '/api/user/', { username: 'sessionend', password: 'long enough' });
    });

    const send = (method: string, path: string, body: unknown): Promise<unknown> => site.installation.console(path, { method, body });
    const dialog = (name: string): Locator => page.getByRole('dialog', { name });
    const completeOauth = async (username: string, password: string): Promise<void> => {
      await signIn(page, username, password);
      await page.waitForURL((url) => url.pathname !== '/login');
    };
    /** The server refuses what is done next. What the page has asked already is answered first: it does not ask the same twice at a time. */
    const endSession = async (by: () => Promise<unknown>): Promise<void> => {
      await drawn(page);
      await eventually(() => expect(unanswered.size).to.equal(0));
      await page.context().clearCookies();
      await by();
      await page.waitForURL('**/login?expired=true**');
    };
    afterEach(async function () {
      if (this.currentTest?.state !== 'failed') return;
      await forgetSession(page, site.installation.address);
      await site.open('/login');
      await completeOauth('root', '123456');
    });
    const kept = async (): Promise<string> => JSON.stringify(await page.evaluate(() => [{ ...sessionStorage }, { ...localStorage }]));
    const back = (): Promise<void> => page.getByText('Your unsaved input was restored').first().waitFor();

    it('settings that were changed are changed still, but for secrets, which nothing keeps', async () => {
      await site.open('/setting?tab=operation');
      await page.locator('[data-option="RetryTimes"]').getByRole('textbox').fill('7');
      await page.getByRole('tab', { name: 'System', exact: true }).click();
      await page.locator('[data-option="SMTPToken"] input').fill('never-stored');
      await page.getByText('1 setting changed').waitFor();
      await endSession(() => page.getByRole('region', { name: 'Save' }).getByRole('button', { name: 'Save' }).click());
      expect(await kept()).to.not.include('never-stored');
      await completeOauth('root', '123456');
      await back();
      await page.getByText('No changes').waitFor();
      expect(await page.locator('[data-option="SMTPToken"] input').inputValue()).to.equal('');
      await page.getByRole('tab', { name: 'Operation, 1 unsaved change' }).click();
      const retries = page.locator('[data-option="RetryTimes"]').getByRole('textbox');
      expect(await retries.inputValue()).to.equal('7');

      await page.getByRole('button', { name: 'Discard' }).click();
      await page.getByText('No changes').waitFor();
      expect(await kept()).to.not.include('RetryTimes');
    });

    it('settings that somebody else changed meanwhile are not overwritten unseen', async () => {
      await site.open('/setting?tab=operation');
      const retries = page.locator('[data-option="RetryTimes"]').getByRole('textbox');
      await retries.fill('7');
      await endSession(() => page.getByRole('button', { name: 'Save' }).click());
      await send('PUT', '/api/option/', { key: 'RetryTimes', value: '3' });
      await completeOauth('root', '123456');
      await page.getByText('1 setting changed').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page
        .locator('[data-option="RetryTimes"]')
        .getByText(/Current value: 3/)
        .waitFor();
      expect(await retries.inputValue()).to.equal('7');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('No changes').waitFor();
    });

    it('a dialog that is opened again holds what was typed into it', async () => {
      await site.open('/user?keyword=sessionend');
      const open = async (): Promise<Locator> => {
        await page.getByRole('button', { name: /More actions/ }).click();
        await page.getByRole('menuitem', { name: 'Change quota' }).click();
        return dialog('Change quota of sessionend').getByLabel('Amount to add');
      };
      await (await open()).fill('12');
      await endSession(() => dialog('Change quota of sessionend').getByRole('button', { name: 'Change quota' }).click());
      await completeOauth('root', '123456');
      const amount = await open();
      await back();
      expect(await amount.inputValue()).to.equal('12');
      await dialog('Change quota of sessionend').getByRole('button', { name: 'Cancel' }).click();
      await dialog('Discard unsaved changes?').getByRole('button', { name: 'Discard' }).click();
      expect(await (await open()).inputValue(), 'what was thrown away stays away').to.not.equal('12');
    });

    it('what was stored elsewhere meanwhile is not taken for typed', async () => {
      await site.open('/user/edit');
      const name = page.getByLabel('Display name');
      await name.waitFor();
      const { version } = await site.installation.console<{ version: number }>('/api/user/self', { method: 'GET' });
      await send('PUT', '/api/user/self', { display_name: 'From elsewhere', version });
      await page.getByRole('button', { name: /^Account/ }).click();
      await page.getByRole('menu').getByText('From elsewhere').waitFor();
      await page.reload();
      await name.waitFor();
      expect(await name.inputValue()).to.equal('From elsewhere');
      expect(await kept()).to.not.include('draft:');
    });

    it("one's own name, notices and a question come back to their person and to nobody else", async () => {
      // It reads the balance afresh.
      const openAccountMenu = (): Promise<void> => page.getByRole('button', { name: /^Account/ }).click();
      // Without one the playground leads to where tokens are made.
      await send('POST', '/api/token/', { name: 'to ask with', unlimited_quota: true });
      await site.open('/playground');
      await page.getByLabel('Message').fill('half a question');
      await endSession(openAccountMenu);
      await completeOauth('root', '123456');
      await back();
      expect(await page.getByLabel('Message').inputValue()).to.equal('half a question');

      await site.goOn('/user/edit');
      await page.getByLabel('Display name').fill('Half a name');
      await page.getByLabel('Webhook', { exact: true }).check();
      await page.getByLabel('Webhook URL').fill('https://robot.example/?key=never-stored');
      await page.getByLabel('Secret (optional)').fill('never-stored');
      await endSession(openAccountMenu);
      expect(await kept()).to.not.include('never-stored');
      await completeOauth('sessionend', 'long enough');
      await page.goto(`${site.installation.address}/user/edit`);
      expect(await page.getByLabel('Display name').inputValue()).to.equal('sessionend');
      expect(await page.getByLabel('Webhook', { exact: true }).isChecked()).to.equal(false);
      await endSession(openAccountMenu);
      await completeOauth('root', '123456');
      await page.goto(`${site.installation.address}/user/edit`);
      await page.getByLabel('Webhook URL').waitFor();
      expect(await page.getByLabel('Display name').inputValue()).to.equal('Half a name');
    });
  });
}
