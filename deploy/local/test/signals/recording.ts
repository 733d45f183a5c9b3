import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Site } from '../faults/site.ts';
import type { Promtool } from './promtool.ts';
import { type Sample, samplesIn } from './scrape.ts';
import { readSignals } from './signal-files.ts';

const lookEveryMs = 150;
/** A process that does not answer within this is down; a gauge whose engine is silent says so after 2 s. */
const silentMs = 3_000;
const patienceMs = 120_000;

/** What a look found at the doors: the value of each series, by its name with labels. */
type Look = Map<string, number>;

/** What only grows, so that its rate is what counts; gauges have other names. */
const counterPattern = /^\w+_(?:total|bucket|sum|count)\{/;

/** `figures`: the values of all series whose name with labels begins so. */
export type Sight = (figures: (series: string) => number[]) => boolean;

/** The doors of a site, looked at again and again. */
export interface Recording {
  /** Waits for so many looks in a row at which it was so. */
  looks(count: number, isSo?: Sight): Promise<void>;
  /** How many looks there have been. */
  readonly length: number;
  /** Holds what was seen against the rules: silent until the look `from`, each of `alerts` fires afterwards. */
  fired(alerts: string[], options: { from: number; promtool: Promtool }): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A look counts as half a minute of Prometheus' time unless said otherwise, so that a fault of seconds lasts as long as the rules wait. What is
 * counted grows with the time: a rate is what it was at the doors.
 */
export async function startRecording(site: Site, { lookSeconds = 30 } = {}): Promise<Recording> {
  const { uses } = await readSignals();
  const wanted = new Set(uses.map(({ metric }) => metric));
  const looks: Look[] = [];
  const doors = Object.entries(site.doors).map(([job, port]) => watchedDoor({ job, port, wanted }));
  await Promise.all(doors.map((door) => door.answered)); // one that was killed a moment ago may not be there yet
  const ending = new AbortController();
  const beganAt = Date.now();
  const looking = (async () => {
    while (!ending.signal.aborted) {
      looks.push(new Map(doors.flatMap((door) => [...door.now()])));
      await delay(lookEveryMs);
    }
  })();

  return {
    async looks(count, isSo = () => true) {
      const deadline = Date.now() + patienceMs;
      for (let [seen, row] = [looks.length, 0]; row < count; seen += 1) {
        while (looks.length <= seen) await delay(lookEveryMs / 3);
        row = isSo((series) => figuresOf(looks[seen] as Look, series)) ? row + 1 : 0;
        if (Date.now() > deadline) throw new Error(`in ${patienceMs / 1000} s the doors never showed it: ${isSo}`);
      }
    },
    get length() {
      return looks.length;
    },
    async fired(alerts, { from, promtool }) {
      const folder = await mkdtemp(join(tmpdir(), 'tollgate-signals-'));
      try {
        const scene = join(folder, 'seen.yml');
        const stretch = (lookSeconds * 1_000 * looks.length) / (Date.now() - beganAt);
        await writeFile(scene, JSON.stringify(await sceneOf(looks, { alerts, from, lookSeconds, stretch })));
        await promtool('test', 'rules', scene);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    async stop() {
      ending.abort();
      await looking;
      await Promise.all(doors.map((door) => door.stop()));
    },
  };
}

/** One door, read again as soon as it has answered. */
function watchedDoor({ job, port, wanted }: { job: string; port: number; wanted: Set<string> }) {
  let last: Sample[] = [];
  let isUp = false;
  let isOver = false;
  const answered = Promise.withResolvers<void>();
  const reading = (async () => {
    while (!isOver) {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(silentMs) });
        last = samplesIn(await answer.text()).filter(({ metric }) => wanted.has(metric));
        isUp = true;
        answered.resolve();
      } catch {
        isUp = false;
      }
      await delay(lookEveryMs / 2);
    }
  })();
  return {
    answered: answered.promise,
    now(): Look {
      const up: Look = new Map([[seriesOf({ metric: 'up', labels: { job } }), isUp ? 1 : 0]]);
      if (isUp)
        for (const { metric, labels, value } of last) up.set(seriesOf({ metric, labels: { ...labels, job, instance: job } }), value);
      return up;
    },
    async stop() {
      isOver = true;
      await reading;
    },
  };
}

function figuresOf(look: Look, beginning: string): number[] {
  return [...look].filter(([series]) => series.startsWith(beginning)).map(([, value]) => value);
}

function seriesOf({ metric, labels }: Pick<Sample, 'metric' | 'labels'>): string {
  return `${metric}{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')}}`;
}

/** https://prometheus.io/docs/prometheus/latest/configuration/unit_testing_rules/ */
async function sceneOf(
  looks: Look[],
  { alerts, from, lookSeconds, stretch }: { alerts: string[]; from: number; lookSeconds: number; stretch: number },
) {
  const { ruleFiles } = await readSignals();
  const names = new Set(looks.flatMap((look) => [...look.keys()]));
  const series = [...names].map((name) => ({ series: name, values: valuesOf(looks.map((look) => stretched(name, look.get(name)))) }));
  const everFired = (until: number) => ({
    expr: `group by (alertname) (max_over_time(ALERTS{alertstate="firing",alertname=~"${alerts.join('|')}"}[1w]))`,
    eval_time: `${until * lookSeconds}s`,
  });
  function stretched(name: string, value: number | undefined): number | undefined {
    return value !== undefined && counterPattern.test(name) ? value * stretch : value;
  }
  return {
    rule_files: ruleFiles,
    evaluation_interval: `${lookSeconds}s`,
    tests: [
      {
        interval: `${lookSeconds}s`,
        input_series: series,
        promql_expr_test: [
          { ...everFired(from), exp_samples: [] },
          {
            ...everFired(looks.length - 1),
            exp_samples: alerts.map((alertname) => ({ labels: seriesOf({ metric: '', labels: { alertname } }), value: 1 })),
          },
        ],
      },
    ],
  };
}

/** A series that is not shown any more ends there, as after a scrape that fails. */
function valuesOf(seen: (number | undefined)[]): string {
  const shown = seen.map((value, at) => {
    if (value !== undefined) return String(value);
    return seen[at - 1] === undefined ? '_' : 'stale';
  });
  return shown.join(' ');
}
