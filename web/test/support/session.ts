import type { Page } from 'playwright-core';

/** Fills in the sign-in page that is open, and sends it. Where that leads is for the caller to wait for. */
export async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username or email').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** The browser knows nobody at this address any more, and shows no page of ours, which could ask for something meanwhile. */
export async function forgetSession(page: Page, address: string): Promise<void> {
  await page.goto(`${address}/favicon.svg`);
  await page.context().clearCookies();
  await page.evaluate(() => localStorage.clear());
}
