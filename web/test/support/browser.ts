import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineUnavailable, findProgram } from '@tollgate/testing';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { slowDown } from './slow.ts';

/** Best is the one that has no windows: the same engine, and a sixth less to do for the same pages. */
const browsers = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A name that is not this machine's own: pages from there, over plain http, get no clipboard.
  '--host-resolver-rules=MAP tollgate.test 127.0.0.1',
];
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface Browser {
  page: Page;
  /** What pages complained about: errors on the console, refusals of the content security policy, exceptions nobody caught. */
  complaints: string[];
  close(): Promise<void>;
}

/** A Chromium with nothing in its memory, speaking English. Nothing moves in it, for that takes time; `moving`: as most people have it. */
export async function openBrowser({ moving = false } = {}): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH || (await findProgram(...browsers));
  if (!executablePath)
    throw new EngineUnavailable('no Chromium here: install it (apt-get install chromium-headless-shell) or name it in CHROMIUM_PATH');
  const profile = mkdtempSync(join(tmpdir(), 'tollgate-chromium-'));
  const context: BrowserContext = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: flags,
    locale: 'en-US',
    viewport: { width: 1280, height: 800 },
    reducedMotion: moving ? 'no-preference' : 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = context.pages()[0] ?? (await context.newPage());
  await slowDown(context);
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  return {
    page,
    complaints,
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export interface Finding {
  impact: string;
  rule: string;
  nodes: string[];
}

interface Axe {
  run(
    within: Document,
    options: { resultTypes: string[]; rules: Record<string, { enabled: boolean }> },
  ): Promise<{ violations: { impact: string; id: string; nodes: { html: string }[] }[] }>;
}

/** All that axe holds against a page, once no hint is on its way out. */
export async function allFindings(page: Page): Promise<Finding[]> {
  await page.waitForFunction(() => document.querySelector('.MuiTooltip-popperClose') === null);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: Axe };
    // A control that a bar at the bottom, or the edge of a line that scrolls sideways, covers in part is whole once it is scrolled to.
    const elements = [...document.querySelectorAll<HTMLElement>('main *')];
    const bars = elements.filter((element) => {
      const { position, bottom } = getComputedStyle(element);
      return position === 'sticky' && bottom !== 'auto';
    });
    const lines = elements.filter((element) => {
      const { display, overflowX } = getComputedStyle(element);
      return display === 'flex' && overflowX === 'auto' && element.scrollWidth > element.clientWidth;
    });
    for (const bar of bars) bar.style.position = 'static';
    for (const line of lines) line.style.flexWrap = 'wrap';
    // WCAG 2.2 asks for it; axe leaves it out by default.
    const { violations } = await axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } });
    for (const bar of bars) bar.style.removeProperty('position');
    for (const line of lines) line.style.removeProperty('flex-wrap');
    return violations;
  });
  return violations.map(({ impact, id, nodes }) => ({ impact, rule: id, nodes: nodes.map(({ html }) => html.slice(0, 200)) }));
}

/** How many rows of the table are wholly in sight. */
export async function visibleRows(page: Page): Promise<number> {
  return page.evaluate(() => {
    const region = document.querySelector('[role="region"]')?.getBoundingClientRect();
    if (!region) return 0;
    const bottom = Math.min(region.bottom, innerHeight);
    return [...document.querySelectorAll('tr[data-row]')].filter((row) => {
      const place = row.getBoundingClientRect();
      return place.top >= region.top && place.bottom <= bottom + 0.5;
    }).length;
  });
}

/** Waits until the page has been drawn with what was changed before. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))));
}

/** How far the page reaches beyond the right edge, in px. */
export async function sidewaysOverflow(page: Page): Promise<number> {
  const fits = () => document.documentElement.scrollWidth <= innerWidth;
  await page.waitForFunction(fits, undefined, { timeout: 10_000 }).catch(() => undefined); // lists lay themselves out anew after the window changed
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

/** How far the columns of the page's table reach beyond its frame, in px. */
export async function cutColumns(page: Page): Promise<number> {
  return page.evaluate(() => {
    const frame = document.querySelector('[role="region"]:has(table)');
    return frame ? frame.scrollWidth - frame.clientWidth : 0;
  });
}

/** Light or dark, English or Chinese, for all pages from the next load on. */
export async function prefer(page: Page, preferences: Record<string, string>): Promise<void> {
  await page.evaluate((entries) => {
    for (const [key, value] of entries) localStorage.setItem(key, value);
  }, Object.entries(preferences));
}
