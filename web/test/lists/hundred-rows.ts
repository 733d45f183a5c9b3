import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { prefer } from '../support/browser.ts';
import { cpuOf } from '../support/cpu.ts';
import { intercept, type Site } from '../support/site.ts';

const moment = 1_760_000_000;
/** What makes a row of each list as full as it gets, beside what one of its rows says by itself. */
const lists: { path: string; asks: RegExp; full: (n: number) => object }[] = [
  {
    path: '/log?range=all',
    asks: /\/api\/log\/\?|\/api\/log\?/,
    full: (n) => ({
      id: `l${n}`,
      type: 2,
      created_at: moment + n,
      username: `user ${n}`,
      channel: n,
      channel_name: `channel ${n}`,
      token_name: `token ${n}`,
      model_name: `gpt-${n}`,
      prompt_tokens: 1234,
      completion_tokens: 567,
      quota: 4321 + n,
      is_stream: true,
      use_time: 120,
      other: JSON.stringify({ frt: 4000, is_model_mapped: true, upstream_model_name: 'other', end_reason: 'client_gone' }),
    }),
  },
  {
    path: '/channel',
    asks: /\/api\/channel\/?\?/,
    full: (n) => ({ id: 1000 + n, name: `many ${n}`, tag: null, response_time: 4000, test_time: moment, used_quota: n * 1000 }),
  },
  {
    path: '/token',
    asks: /\/api\/token\/?\?/,
    full: (n) => ({
      id: 1000 + n,
      name: `many ${n}`,
      unlimited_quota: false,
      remain_quota: 500 + n,
      used_quota: n * 1000,
      accessed_time: moment + 10,
      created_time: moment,
      expired_time: moment + 100,
      model_limits_enabled: true,
      model_limits: 'a,b',
    }),
  },
  {
    path: '/user',
    asks: /\/api\/user\/?\?/,
    full: (n) => ({
      id: 1000 + n,
      username: `many ${n}`,
      display_name: `Many ${n}`,
      role: 1,
      email: `many${n}@example.com`,
      quota: n * 1000,
      created_time: moment,
    }),
  },
];

/** Little more than the fullest rows have now, the buttons of their actions included: each part is paid for a hundred times. */
const most = { parts: 11, elements: 54 };

export function hundredRows(site: () => Site): void {
  for (const { path, asks, full } of lists)
    it(`${path.split('?')[0]} makes each of a hundred rows of few parts; with MEASURE, says what they cost the processor`, async () => {
      const { page, open } = site();
      await prefer(page, { 'page-size': '100' });
      let isFull = false;
      const mend = await intercept(page, asks, async (route) => {
        const answer = await route.fetch();
        const said = await answer.json();
        const [first] = said.data.items as object[];
        const items = Array.from({ length: isFull ? 100 : 0 }, (_, n) => ({ ...first, ...full(n) }));
        await route.fulfill({
          response: answer,
          headers: { ...answer.headers(), etag: '' },
          json: { ...said, data: { ...said.data, items, total: items.length } },
        });
      });
      await open(path);
      await prefer(page, { 'page-size': '20' }); // for the next load
      const draw = async (): Promise<void> => {
        isFull = true;
        await page.evaluate(refreshed, 100);
      };
      await draw();
      const counted = await partsOfRow(page);
      if (process.env.MEASURE) {
        const costs: number[] = [];
        const longest: number[] = [];
        for (let n = 0; n < 7; n += 1) {
          isFull = false;
          await page.evaluate(refreshed, 0);
          const cost = await cpuOf(page, draw);
          costs.push(cost.total);
          longest.push(cost.longest);
        }
        console.log(path, 'all', costs.map(Math.round).join(' '), 'longest', longest.map(Math.round).join(' '));
      }
      await mend();
      expect(counted.parts, 'components of a row').to.be.at.most(most.parts);
      expect(counted.elements, 'elements of a row').to.be.at.most(most.elements);
    });
}

/** Runs in the page, where looking for the rows costs next to nothing. */
async function refreshed(count: number): Promise<void> {
  document.querySelector<HTMLElement>('[aria-label="Refresh"]')?.click();
  while (document.querySelectorAll('[data-row]').length !== count) await new Promise(requestAnimationFrame);
  for (let n = 0; n < 3; n += 1) await new Promise(requestAnimationFrame);
}

interface Fiber {
  type: unknown;
  child: Fiber | null;
  sibling: Fiber | null;
}

/** How many components React draws for the fullest row, and how many elements come of it. */
function partsOfRow(page: Page): Promise<{ parts: number; elements: number }> {
  return page.evaluate(() => {
    const partsBelow = (fiber: Fiber | null): number => {
      if (!fiber) return 0;
      const isPart = typeof fiber.type === 'function' || (typeof fiber.type === 'object' && fiber.type !== null);
      return Number(isPart) + partsBelow(fiber.child) + partsBelow(fiber.sibling);
    };
    const rows = [...document.querySelectorAll('[data-row]')];
    const counts = rows.map((row) => {
      const key = Object.keys(row).find((name) => name.startsWith('__reactFiber$')) as keyof Element;
      return { parts: partsBelow((row[key] as unknown as Fiber).child), elements: row.querySelectorAll('*').length };
    });
    return { parts: Math.max(...counts.map(({ parts }) => parts)), elements: Math.max(...counts.map(({ elements }) => elements)) };
  });
}
