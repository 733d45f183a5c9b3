import type { Page } from 'playwright-core';

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds that the thread itself was at work: what other processes take of the machine is not in it. */
  tdur?: number;
  args?: { name?: string };
}

export interface Cpu {
  /** Milliseconds of the longest task on the page's main thread, and of all of them. */
  longest: number;
  total: number;
}

/** What a deed costs the main thread of a page, in time of the processor and not of the clock. */
export async function cpuOf(page: Page, deed: () => Promise<unknown>): Promise<Cpu> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'disabled-by-default-devtools.timeline'] },
  });
  try {
    await deed();
  } finally {
    await session.send('Tracing.end');
    await complete;
    await session.detach();
  }
  const mains = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const perThread = mains.map(({ pid, tid }) =>
    events.filter((event) => event.pid === pid && event.tid === tid && event.name === 'RunTask').map(({ tdur = 0 }) => tdur / 1000),
  );
  // The page's own; others only idle meanwhile.
  const [busiest = []] = perThread.toSorted((one, other) => sum(other) - sum(one));
  return { longest: Math.max(0, ...busiest), total: sum(busiest) };
}

function sum(values: number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
