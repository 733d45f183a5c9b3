import { type Installation, startInstallation } from '@tollgate/testing';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { type Browser, openBrowser } from './browser.ts';
import { builtPages } from './built-pages.ts';
import { signIn } from './session.ts';

/** Ways through the pages of one installation, in a browser's tab. */
export interface Steps {
  /** Goes to an address and waits for the page's heading. */
  open(path: string): Promise<void>;
  /** Goes there as a link in the page would, with what is loaded already; by loading it where no page of ours is open. */
  go(path: string): Promise<void>;
  /**
   * The same, to a page of another title; waits until that is there. To load one takes the processor four times as long, and eight times
   * while calls are intercepted, for the browser has no cache then.
   */
  goOn(path: string): Promise<void>;
}

/** The product with its pages, and a browser in which its first user, root, is signed in. */
export interface Site extends Browser, Steps {
  installation: Installation;
  go(path: string, on?: Page): Promise<void>;
}

/** Starts the product, with settings of its own; throws `EngineUnavailable` where there is no Chromium. */
export async function openSite(env: Record<string, string> = {}): Promise<Site> {
  const browser = await openBrowser();
  await builtPages();
  const installation = await startInstallation(env);
  const { page, close } = browser;
  const steps = stepsOn(page, installation.address);
  await steps.open('/login');
  await signIn(page, 'root', '123456');
  await page.waitForURL('**/token');
  return {
    ...browser,
    ...steps,
    installation,
    go: (path, on = page) => stepsOn(on, installation.address).go(path),
    async close() {
      await close();
      await installation.stop();
    },
  };
}

export function stepsOn(page: Page, address: string): Steps {
  const open = async (path: string): Promise<void> => {
    await page.goto(`${address}${path}`);
    await page.locator('h1').waitFor();
  };
  const go = async (path: string): Promise<void> => {
    if (!page.url().startsWith(address)) return void (await page.goto(`${address}${path}`));
    await page.evaluate((to) => {
      const step = { usr: null, key: crypto.randomUUID(), idx: Number(history.state?.idx ?? 0) + 1 };
      history.pushState(step, '', to);
      dispatchEvent(new PopStateEvent('popstate', { state: step }));
    }, path);
  };
  const goOn = async (path: string): Promise<void> => {
    const before = await page.title();
    await go(path);
    await page.waitForFunction((title) => document.title !== title && document.querySelector('h1') !== null, before);
  };
  return { open, go, goOn };
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
