import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { connectDatabase, disconnectDatabase } from '@tollgate/db';
import type { Row } from '../bench.ts';
import { print, save } from '../report.ts';
import { readBooks } from './books.ts';
import { watchLag } from './lag.ts';
import { type Sample, slopes, takeSample } from './samples.ts';
import { type Site, startSite } from './site.ts';
import { startTraffic } from './traffic.ts';

// A steady load for a long time, then none: what grows, what stays open, what is lost.
const minutes = Number(process.env.SOAK_MINUTES ?? 30);
const perSecond = Number(process.env.SOAK_RATE ?? 500);
const sampleEveryMs = minutes < 10 ? 5_000 : 20_000;
const restTimeoutMs = 180_000;
/** Below this many minutes the memory is still warming up: its slope is shown and not judged. */
const fewestMinutesToJudge = 20;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const site = await startSite();
await connectDatabase(site.installation.mongodbUri, { poolSize: 2 });
try {
  await soak(site);
} finally {
  await disconnectDatabase();
  await site.stop();
}

async function soak(site: Site): Promise<void> {
  say(`${perSecond} calls/s for ${minutes} min through ${site.installation.address}`);
  const before = await takeSample(site);
  const lag = watchLag();
  const startedAt = performance.now();
  const traffic = startTraffic({
    address: site.installation.address,
    apiKey: site.apiKey,
    perSecond,
    answered: (requestId, isOver) => lag.answered(requestId, isOver),
  });
  const samples: Sample[] = [];
  let shownMinute = -1;
  while (performance.now() - startedAt < minutes * 60_000) {
    await delay(sampleEveryMs);
    const sample = await takeSample(site);
    samples.push(sample);
    const minute = Math.floor((sample.atMs - startedAt) / 60_000);
    if (minute !== shownMinute) say(lineOf(sample, minute));
    shownMinute = minute;
  }
  await traffic.stop();
  const seconds = (performance.now() - startedAt) / 1000;
  const stoppedAt = performance.now();
  const rest = await untilAtRest(site, lag);
  await lag.stop();
  const books = await readBooks(site);
  const began = await site.providersBegan();

  const calls = traffic.got.whole + traffic.got.part + traffic.got.nothing;
  const unexpected = [...traffic.unexpected.values()].reduce((sum, count) => sum + count, 0);
  const found: Row[] = [
    { name: 'calls', value: calls, unit: '', parts: traffic.begun },
    { name: 'calls a second', value: calls / seconds, unit: '/s' },
    {
      name: 'calls that should have been answered whole',
      value: unexpected,
      unit: '',
      atMost: 0,
      parts: Object.fromEntries(traffic.unexpected),
    },
    { name: 'answered and never in the log', value: lag.waiting, unit: '', atMost: 0 },
    { name: 'charged beyond what providers answered', value: Math.max(0, books.logs - began), unit: '', atMost: 0 },
    { name: 'balance, off from grants less logs', value: Math.abs(books.difference), unit: 'quota', atMost: 0 },
    { name: 'used by the token, off from logs', value: Math.abs(books.tokenDifference), unit: 'quota', atMost: 0 },
    { name: 'lag from answer to log row, p50', value: lag.percentile(0.5) / 1000, unit: 's', atMost: 0.2 },
    {
      name: 'lag from answer to log row, p99',
      value: lag.percentile(0.99) / 1000,
      unit: 's',
      atMost: 1,
      parts: { p90: lag.percentile(0.9) / 1000, p999: lag.percentile(0.999) / 1000, most: lag.percentile(1) / 1000 },
    },
    { name: 'all charged after', value: (rest.chargedAtMs - stoppedAt) / 1000, unit: 's' },
    { name: 'at rest after', value: (rest.atMs - stoppedAt) / 1000, unit: 's' },
    { name: 'at rest: holds open', value: rest.holds, unit: '', atMost: 0 },
    { name: 'at rest: tollgate_answered_not_billed', value: rest.answeredNotBilled, unit: '', atMost: 0 },
    { name: 'at rest: events on the bus', value: rest.eventsWaiting, unit: '', atMost: 0 },
    { name: 'at rest: sockets of calls', value: rest.callSockets, unit: '', atMost: before.callSockets },
    ...processRows(samples, { before, rest, calls }),
  ];
  say('');
  for (const row of found) print(row);
  save('soak', found, { minutes, perSecond, samples: [before, ...samples, rest] });
}

/** Memory and CPU time of each process. */
function processRows(samples: Sample[], { before, rest, calls }: { before: Sample; rest: Sample; calls: number }): Row[] {
  const growth = slopes(samples);
  return Object.entries(rest.processes).flatMap(([name, last]) => [
    {
      name: `${name}: memory grows by`,
      value: growth[name] ?? Number.NaN,
      unit: 'MB/h',
      ...(minutes >= fewestMinutesToJudge ? { atMost: 10 } : {}),
      parts: {
        before: before.processes[name]?.rss ?? 0,
        most: Math.max(...samples.map((each) => each.processes[name]?.rss ?? 0)),
        after: last.rss,
      },
    },
    { name: `${name}: CPU`, value: (last.cpuMicros - (before.processes[name]?.cpuMicros ?? 0)) / calls, unit: 'us/call' },
  ]);
}

/** Until nothing of the calls is left, or it has taken too long: then what is left is the finding. Kept-alive sockets last longest. */
async function untilAtRest(site: Site, lag: { waiting: number }): Promise<Sample & { chargedAtMs: number }> {
  const deadline = performance.now() + restTimeoutMs;
  let chargedAtMs = Number.NaN;
  for (;;) {
    const sample = await takeSample(site);
    const isCharged = sample.holds + sample.answeredNotBilled + sample.eventsWaiting + lag.waiting === 0;
    if (!isCharged) chargedAtMs = Number.NaN;
    else if (Number.isNaN(chargedAtMs)) chargedAtMs = sample.atMs;
    if ((isCharged && sample.callSockets === 0) || sample.atMs > deadline) return { ...sample, chargedAtMs };
    await delay(500);
  }
}

function lineOf(sample: Sample, minute: number): string {
  const memory = Object.entries(sample.processes).map(([name, { rss, files }]) => `${name} ${rss.toFixed(0)} MB ${files} fds`);
  const { callSockets, holds, eventsWaiting, answeredNotBilled } = sample;
  const [busy = 0] = loadavg(); // other work on the machine stands in every figure
  return `min ${String(minute).padStart(2)}  ${memory.join(' | ')} | sockets ${callSockets} holds ${holds} bus ${eventsWaiting} not billed ${answeredNotBilled} | machine ${busy.toFixed(1)}`;
}
