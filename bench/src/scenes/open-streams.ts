import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@tollgate/testing';
import type { Bench, Row } from '../bench.ts';
import { median } from '../pairs.ts';
import { cpuMicros, mostFiles, rssMegabytes, startProgram } from '../processes.ts';
import { startStack } from '../stack.ts';
import { chatBody, openAiModel, slowModel } from './bodies.ts';

const upstream = new URL('../servers/mock-upstream.ts', import.meta.url).pathname;
const path = '/v1/chat/completions';
const tickMs = 20;
const frameEveryMs = 1000;
const streamSeconds = 20;
const openedPerSecond = 1500;
const windowSeconds = 6;

/**
 * What very many open streams hold in memory and cost, each with a frame a second, and what is left of it afterwards. In a stack
 * of its own: in a relay that other scenes have filled, streams would take up what those have left.
 */
export async function openStreams({ load, mockPort }: Bench): Promise<Row[]> {
  const port = await freePort();
  const env = {
    PORT: String(port),
    TICK_MS: String(tickMs),
    TICKS_PER_FRAME: String(frameEveryMs / tickMs),
    FRAMES: String((streamSeconds * 1000) / frameEveryMs),
  };
  const slow = await startProgram('slow mock', upstream, { core: 1, env });
  const stack = await startStack(mockPort);
  try {
    await stack.addChannel('slow', { port, models: slowModel });
    // Code and young heap take their size in the first ten seconds of this load: that is not the streams'.
    const warmUp = { body: chatBody(openAiModel, { stream: true }), connections: 100, durationMs: 12_000 };
    await load.run({ ...warmUp, port: stack.relayPort, path, key: stack.apiKey });
    const before = rssMegabytes(stack.pids.relay as number);
    const rows: Row[] = [];
    for (const wanted of [1_000, 10_000]) rows.push(...(await openAtOnce({ load, stack }, { wanted, before })));
    return rows;
  } finally {
    await stack.installation.stop();
    await slow.stop();
  }
}

/** `before`: what the relay had resident with no stream open, in MB. */
async function openAtOnce(
  { load, stack }: Pick<Bench, 'load' | 'stack'>,
  { wanted, before }: { wanted: number; before: number },
): Promise<Row[]> {
  const { relay = 0 } = stack.pids;
  const affordable = Math.floor((mostFiles(relay) - 500) / 2); // a socket on each side
  const count = Math.min(wanted, affordable);
  const rampMs = (count / openedPerSecond) * 1000;
  const order = {
    port: stack.relayPort,
    path,
    key: stack.apiKey,
    body: chatBody(slowModel, { stream: true }),
  };
  const running = load.run({ ...order, connections: count, rampMs, durationMs: rampMs + 1000 });
  await delay(rampMs + 2000);
  const begun = { cpu: cpuMicros(relay), frames: await load.frames(), atMs: performance.now() };
  const resident: number[] = [];
  for (let second = 0; second < windowSeconds; second += 1) {
    await delay(1000);
    resident.push(rssMegabytes(relay));
  }
  const seconds = (performance.now() - begun.atMs) / 1000;
  const frames = (await load.frames()) - begun.frames;
  const used = cpuMicros(relay) - begun.cpu;
  const figures = await running;
  if (figures.failed > 0) throw new Error(`${figures.failed} streams failed: ${figures.firstFailure}`);
  const name = `${count} open streams`;
  const why = count < wanted ? ` (of ${wanted}: the system lets the relay open ${mostFiles(relay)} files)` : '';
  return [
    { name: `${name}: memory of 1 000`, value: ((median(resident) - before) * 1000) / count, unit: 'MB', atMost: 45, aim: 36 },
    {
      name: `${name}: relay, resident${why}`,
      value: median(resident),
      unit: 'MB',
      ...(count > 9_000 ? { atMost: 600 } : {}),
      parts: { before, after: rssMegabytes(relay) },
    },
    { name: `${name}: frames a second`, value: frames / seconds, unit: '/s', parts: { asked: (count * 1000) / frameEveryMs } },
    { name: `${name}: relay, renewing holds included`, value: used / frames, unit: 'us/frame' },
    { name: `${name}: of one core`, value: used / seconds / 10_000, unit: '%' },
  ];
}
