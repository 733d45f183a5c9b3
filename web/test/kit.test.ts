import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, orSkip } from '@tollgate/testing';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import { type Browser, openBrowser } from './support/browser.ts';

interface KitWindow {
  drawn: Record<string, number>;
  toast: (severity: 'success' | 'error', text: string, action?: { label: string; run: () => void }) => void;
}

const address = 'http://kit.test';

describe('The kit by itself, in a browser', () => {
  let browser: Browser;
  let page: Page;
  let folder: string;

  before(async function () {
    this.timeout(120_000);
    browser = await orSkip(this, () => openBrowser({ moving: true }));
    page = browser.page;
    page.setDefaultTimeout(10_000);
    folder = mkdtempSync(join(tmpdir(), 'tollgate-kit-'));
    await build({
      root: join(import.meta.dirname, 'kit'),
      configFile: join(import.meta.dirname, '../vite.config.ts'),
      logLevel: 'error',
      build: { outDir: folder, emptyOutDir: true, rolldownOptions: { output: { codeSplitting: true } } },
    });
    await page.route(`${address}/**`, (route) => {
      const { pathname } = new URL(route.request().url());
      return route.fulfill({ path: join(folder, pathname === '/' ? 'index.html' : pathname) });
    });
  });
  after(async () => {
    await browser?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await page.goto(address);
    await page.locator('[data-row]').first().waitFor();
  });

  const names = (): Promise<string[]> => page.locator('[data-primary]').allTextContents();

  it('draws one row again when one of a hundred is selected', async () => {
    const drawn = (): Promise<Record<string, number>> => page.evaluate(() => ({ ...(window as unknown as KitWindow).drawn }));
    const before = await drawn();
    await page.getByRole('checkbox', { name: 'Select thing 7', exact: true }).check();
    await page.locator('output').getByText('thing 7').waitFor();
    const after = await drawn();
    expect(Object.keys(after).filter((name) => after[name] !== before[name])).to.deep.equal(['thing 7']);
  });

  it('selects all rows between two boxes with Shift', async () => {
    await page.getByRole('checkbox', { name: 'Select thing 3', exact: true }).check();
    await page.getByRole('checkbox', { name: 'Select thing 5', exact: true }).click({ modifiers: ['Shift'] });
    await page.locator('output').getByText('thing 3, thing 4, thing 5').waitFor();
  });

  it('sorts the rows that it has by a header, and says so', async () => {
    const header = page.getByRole('columnheader', { name: 'Size' });
    await header.getByRole('button').click();
    await eventually(async () => expect(await header.getAttribute('aria-sort')).to.equal('descending'));
    expect((await names()).slice(0, 3)).to.deep.equal(['thing 27', 'thing 54', 'thing 81']);
    await header.getByRole('button').click();
    await eventually(async () => expect(await header.getAttribute('aria-sort')).to.equal('ascending'));
    expect((await names()).slice(0, 3)).to.deep.equal(['thing 0', 'thing 73', 'thing 46']);
    await header.getByRole('button').click();
    await eventually(async () => expect(await header.getAttribute('aria-sort')).to.equal(null));
    expect((await names()).slice(0, 3)).to.deep.equal(['thing 0', 'thing 1', 'thing 2']);
  });

  it('shows the rows that lie under a row when it opens', async () => {
    expect(await names()).to.not.include('part a');
    await page.getByRole('button', { name: 'Details of thing 0' }).click();
    await eventually(async () => expect((await names()).slice(0, 3)).to.deep.equal(['thing 0', 'part a', 'thing 1']));
    expect(await page.getByRole('button', { name: 'Details of thing 1' }).count()).to.equal(0);
  });

  it('hands its rows to a spreadsheet, by the columns that are shown', async () => {
    await page.getByRole('button', { name: 'Columns and density' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'More 0' }).click();
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Download these rows' }).click()]);
    expect(file.suggestedFilename()).to.equal('things.csv');
    const lines = Buffer.concat(await (await file.createReadStream()).toArray())
      .toString('utf8')
      .split('\r\n');
    expect(lines[0]).to.equal('\ufeffName,Size,More 1,More 2,More 3,More 4,More 5,More 6,More 7');
    expect(lines[8]).to.equal('thing 7,59,59,59,59,59,59,59,59');
    await page.evaluate(() => localStorage.clear());
  });

  it('says the same words once, keeps errors until they are closed, and offers a deed beside them', async () => {
    await page.evaluate(() => {
      const { toast } = window as unknown as KitWindow;
      toast('error', 'Gone wrong', { label: 'Try again', run: () => document.body.setAttribute('data-tried', 'yes') });
      toast('error', 'Gone wrong');
      toast('success', 'Done');
    });
    await page.getByRole('status').getByText('Done').waitFor();
    expect(await page.getByRole('alert').getByText('Gone wrong').count()).to.equal(1);
    await page.getByRole('status').getByText('Done').waitFor({ state: 'detached' });
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(await page.locator('body').getAttribute('data-tried')).to.equal('yes');
  });
});
