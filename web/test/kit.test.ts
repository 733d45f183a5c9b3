import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, orSkip, skipBecause } from '@tollgate/testing';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import { type Browser, drawn, openBrowser } from './support/browser.ts';
import { cpuOf } from './support/cpu.ts';

interface KitWindow {
  blocks: string[];
  say: (text: string) => void;
  showTable: (isShown: boolean) => void;
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
    await page.locator('[data-row]').nth(99).waitFor({ state: 'attached' });
  });

  const names = (): Promise<string[]> => page.locator('[data-primary]').allTextContents();

  it('draws a page of a hundred rows at once, whole for whoever looks for a word in it', async () => {
    const counts = await page.evaluate(async () => {
      const { showTable } = window as unknown as KitWindow;
      const count = () => document.querySelectorAll('[data-row]').length;
      const seen: number[] = [];
      showTable(false);
      const watch = new MutationObserver(() => seen.at(-1) !== count() && seen.push(count()));
      watch.observe(document.body, { childList: true, subtree: true });
      while (count() > 0) await new Promise(requestAnimationFrame);
      showTable(true);
      while (count() < 100) await new Promise(requestAnimationFrame);
      watch.disconnect();
      return seen;
    });
    expect(counts).to.deep.equal([0, 100]);
  });

  it('draws one row again when one of a hundred is selected', async () => {
    const drawn = (): Promise<Record<string, number>> => page.evaluate(() => ({ ...(window as unknown as KitWindow).drawn }));
    const before = await drawn();
    await page.getByRole('checkbox', { name: 'Select thing 7', exact: true }).check();
    await page.locator('output').getByText('thing 7').waitFor();
    const after = await drawn();
    expect(Object.keys(after).filter((name) => after[name] !== before[name])).to.deep.equal(['thing 7']);
  });

  it('draws each block of an answer of a hundred thousand characters once, and while it grows the last one alone', async function () {
    this.timeout(120_000);
    page.setDefaultTimeout(60_000);
    const paragraph = `**words** and ${'words and '.repeat(40)}\n\n- one\n- two\n\n`;
    const long = paragraph.repeat(Math.ceil(100_000 / paragraph.length));
    const say = (text: string) => page.evaluate((said) => (window as unknown as KitWindow).say(said), text);
    const drawnBlocks = () => page.evaluate(() => (window as unknown as KitWindow).blocks.splice(0));
    await say(`${long}the e`);
    await page.getByText('the e', { exact: true }).waitFor({ state: 'attached' });
    const first = await drawnBlocks();
    expect(first).to.have.lengthOf((long.match(/\n\n/g)?.length ?? 0) + 1);
    for (const text of ['the en', 'the end', 'the end of it']) {
      await say(long + text);
      await page.getByText(text, { exact: true }).waitFor({ state: 'attached' });
      expect(await drawnBlocks()).to.deep.equal([text]);
    }
  });

  it('costs a checkbox among a hundred rows little: what is measured is the processor, not the clock', async function () {
    if (!process.env.MEASURE) skipBecause(this, 'the cost of a click is measured with MEASURE=1, on a machine that does nothing else');
    const costs: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      const box = await page.getByRole('checkbox', { name: `Select thing ${n + 20}`, exact: true }).elementHandle();
      const click = await cpuOf(page, async () => {
        await box?.evaluate((element) => (element as HTMLInputElement).click());
        await drawn(page);
      });
      costs.push(click.total);
    }
    console.log('a box, ms of the processor:', costs.map(Math.round).join(' '));
  });

  it('shows one hint at a time, on hover and on focus, until Escape, and says what it says now', async () => {
    const cell = page.locator('[data-row]').nth(1).locator('[data-hint]').first();
    await cell.hover();
    const tip = page.getByRole('tooltip');
    await tip.getByText('37', { exact: true }).waitFor();
    expect(await cell.getAttribute('title'), 'the browser shows none besides').to.equal(null);
    expect(await cell.getAttribute('aria-describedby')).to.equal(await tip.getAttribute('id'));
    await page.keyboard.press('Escape');
    await tip.waitFor({ state: 'detached' });
    expect(await cell.getAttribute('title')).to.equal('37');
    await page.locator('[data-row]').nth(2).locator('[data-hint]').first().hover();
    await tip.getByText('74', { exact: true }).waitFor();
    expect(await tip.count()).to.equal(1);
    // Plain http has no clipboard.
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.resolve() } }));
    await page.getByRole('checkbox', { name: 'Select thing 2', exact: true }).focus();
    await page.keyboard.press('Tab');
    const copy = page.getByRole('button', { name: 'Copy thing 2', exact: true });
    await tip.getByText('Copy thing 2').waitFor();
    expect(await copy.evaluate((button) => button === document.activeElement)).to.equal(true);
    await page.keyboard.press('Enter');
    await tip.getByText('Copied').waitFor();
    await page.keyboard.press('Tab');
    await tip.waitFor({ state: 'detached' });
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
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Download this page' }).click()]);
    expect(file.suggestedFilename()).to.match(/^things-page-.*\.csv$/);
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

  it('says words anew that stand there already, and those on their way out', async () => {
    const fresh = page.locator('[role=status]:not([data-old])', { hasText: 'Saved' });
    const old = page.locator('[role=status][data-old]');
    /** Marks the card that stands there, closes it or not, and says its words in the same turn. */
    const sayAgain = (closesFirst: boolean) =>
      page.evaluate((isClosed) => {
        const card = [...document.querySelectorAll('[role=status]')].find(({ textContent }) => textContent?.includes('Saved'));
        card?.setAttribute('data-old', '');
        if (isClosed) card?.querySelector('button')?.click();
        (window as unknown as KitWindow).toast('success', 'Saved');
      }, closesFirst);
    await sayAgain(false);
    await fresh.waitFor();
    await sayAgain(true);
    await fresh.waitFor();
    await old.waitFor({ state: 'detached' });
    await eventually(async () => {
      await sayAgain(false);
      expect(await fresh.count()).to.equal(1);
      expect(await old.count()).to.equal(1);
    });
    await old.waitFor({ state: 'detached' });
    await fresh.waitFor();
  });
});
