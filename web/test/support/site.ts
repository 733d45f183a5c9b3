import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Installation, startInstallation } from '@tollgate/testing';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { type Browser, openBrowser } from './browser.ts';

/** The product with its pages, and a browser in which its first user, root, is signed in. */
export interface Site extends Browser {
  installation: Installation;
  /** Goes to an address and waits for the page's heading. */
  open(path: string): Promise<void>;
  /** Goes there as a link in the page would, with what is loaded already; by loading it where no page of ours is open. */
  go(path: string, on?: Page): Promise<void>;
}

/** Starts the product, with settings of its own; throws `EngineUnavailable` where there is no Chromium. */
export async function openSite(env: Record<string, string> = {}): Promise<Site> {
  const browser = await openBrowser();
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../../deploy/local/bootstrap.mjs'), 'build-web']);
  const installation = await startInstallation(env);
  const { page, close } = browser;
  const open = async (path: string): Promise<void> => {
    await page.goto(`${installation.address}${path}`);
    await page.locator('h1').waitFor();
  };
  await open('/login');
  await page.getByLabel('Username or e-mail').fill('root');
  await page.getByLabel('Password', { exact: true }).fill('123456');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/token');
  return {
    ...browser,
    installation,
    open,
    async go(path, on = page) {
      if (!on.url().startsWith(installation.address)) return void (await on.goto(`${installation.address}${path}`));
      await on.evaluate((to) => {
        const step = { usr: null, key: crypto.randomUUID(), idx: Number(history.state?.idx ?? 0) + 1 };
        history.pushState(step, '', to);
        dispatchEvent(new PopStateEvent('popstate', { state: step }));
      }, path);
    },
    async close() {
      await close();
      await installation.stop();
    },
  };
}

/** Lets calls of the console API that match be answered otherwise, until what comes back is called. */
export async function intercept(
  page: Page | BrowserContext,
  path: RegExp,
  answer: (route: Route) => unknown,
): Promise<() => Promise<void>> {
  await page.route(path, answer);
  return () => page.unroute(path);
}

export const failing = (route: Route): Promise<void> =>
  route.fulfill({ status: 500, contentType: 'application/json', body: '{"success":false,"message":"broken"}' });
