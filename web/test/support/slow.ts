import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';

/**
 * Makes a browser as slow as a busy machine, to find the races of a test before one does: `SLOW_CPU=6` gives its pages a sixth of the
 * processor, `SLOW_API=300` lets each call of the API wait up to 300 ms, `SLOW_BURSTS=500` holds them up to 500 ms now and then: what
 * was to come at once comes in another order.
 */
export async function slowDown(context: BrowserContext): Promise<void> {
  const { SLOW_CPU, SLOW_API, SLOW_BURSTS } = process.env;
  if (SLOW_CPU) {
    const slow = async (page: Page): Promise<void> => {
      const session = await context.newCDPSession(page);
      await session.send('Emulation.setCPUThrottlingRate', { rate: Number(SLOW_CPU) });
    };
    await Promise.all(context.pages().map(slow));
    context.on('page', (page) => void slow(page).catch(() => undefined)); // it may be closed by then
  }
  if (SLOW_BURSTS) await context.addInitScript(holdUp, Number(SLOW_BURSTS));
  if (SLOW_API)
    await context.route(/\/api\//, async (route) => {
      await delay(Math.random() * Number(SLOW_API));
      await route.continue().catch(() => undefined); // nobody waits for it any more
    });
}

function holdUp(mostMs: number): void {
  // A test may put the page's clock in its own hands.
  const now = performance.now.bind(performance);
  const later = setTimeout.bind(window);
  const hold = (): void => {
    const until = now() + Math.random() ** 3 * mostMs;
    while (now() < until);
    later(hold, Math.random() * 120);
  };
  later(hold, 500);
}
