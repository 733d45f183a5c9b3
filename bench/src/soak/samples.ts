import { gaugeAt } from '@tollgate/testing';
import { cpuMicros, rssMegabytes } from '../processes.ts';
import { descriptorsOf } from '../sockets.ts';
import type { Site } from './site.ts';

/** The installation at one moment. */
export interface Sample {
  atMs: number;
  processes: Record<string, { rss: number; files: number; cpuMicros: number }>;
  /** Connections of calls: those of the relays (engines and console are on Unix sockets). */
  callSockets: number;
  holds: number;
  answeredNotBilled: number;
  eventsWaiting: number;
}

export async function takeSample(site: Site): Promise<Sample> {
  const sample: Sample = { atMs: performance.now(), processes: {}, callSockets: 0, holds: 0, answeredNotBilled: 0, eventsWaiting: 0 };
  for (const { name, pid } of await site.installation.processes()) {
    const { files, connections } = descriptorsOf(pid);
    sample.processes[name] = { rss: rssMegabytes(pid), files, cpuMicros: cpuMicros(pid) };
    if (!name.startsWith('relay')) continue;
    sample.callSockets += connections.filter((each) => each.localPort !== site.metricsPorts[name]).length;
  }
  const billing = Object.keys(site.metricsPorts).find((name) => name.startsWith('billing')) ?? '';
  const figure = (name: string): Promise<number> => gaugeAt(site.metricsPorts[billing] ?? 0, name);
  sample.holds = await figure('tollgate_holds_open');
  sample.answeredNotBilled = await figure('tollgate_answered_not_billed');
  sample.eventsWaiting = await figure('tollgate_events_waiting');
  return sample;
}

/** How fast the resident memory of each process grows, in MB an hour: the line of least squares through the second half. */
export function slopes(samples: readonly Sample[]): Record<string, number> {
  const half = samples.slice(Math.floor(samples.length / 2));
  const names = Object.keys(half.at(-1)?.processes ?? {});
  return Object.fromEntries(
    names.map((name) => [name, slope(half.map(({ atMs, processes }) => [atMs / 3_600_000, processes[name]?.rss ?? Number.NaN]))]),
  );
}

function slope(points: [x: number, y: number][]): number {
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
}
