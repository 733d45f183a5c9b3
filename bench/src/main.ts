import { freePort } from '@tollgate/testing';
import type { Bench, Row } from './bench.ts';
import { startLoad } from './load/client.ts';
import { startProgram } from './processes.ts';
import { print, save } from './report.ts';
import { addedLatency, jsonCalls, streamedCalls } from './scenes/calls.ts';
import { catalogMemory } from './scenes/catalog-memory.ts';
import { consoleLists } from './scenes/console-lists.ts';
import { fullBus } from './scenes/full-bus.ts';
import { largeBodies } from './scenes/large-bodies.ts';
import { openStreams } from './scenes/open-streams.ts';
import { overload } from './scenes/overload.ts';
import { responsesCalls } from './scenes/responses.ts';
import { startUp } from './scenes/start-up.ts';
import { unendedFrames } from './scenes/unended-frames.ts';
import { largeSite } from './scenes/volume.ts';
import { startStack } from './stack.ts';

const wanted = process.argv.slice(2);
const [mockPort, barePort] = [await freePort(), await freePort()];
const here = (path: string): string => new URL(path, import.meta.url).pathname;

const mock = await startProgram('mock', here('servers/mock-upstream.ts'), { core: 1, env: { PORT: String(mockPort) } });
const bare = await startProgram('bare', here('servers/bare-relay.ts'), {
  core: 0,
  env: { PORT: String(barePort), UPSTREAM: `http://127.0.0.1:${mockPort}` },
});
const load = await startLoad(1);
const stack = await startStack(mockPort);
const bench: Bench = {
  stack,
  load,
  bare,
  barePort,
  mockPort,
  slices: Number(process.env.SLICES ?? 10),
  sliceMs: Number(process.env.SLICE_MS ?? 2000),
  warmUpMs: Number(process.env.WARM_UP_MS ?? 45_000),
  untilBilled,
};

const scenes: Record<string, () => Promise<Row[]>> = {
  json: () => jsonCalls(bench),
  latency: () => addedLatency(bench),
  sse: () => streamedCalls(bench),
  responses: () => responsesCalls(bench),
  bodies: () => largeBodies(bench),
  streams: () => openStreams(bench),
  frames: () => unendedFrames(bench),
  overload: () => overload(bench),
  billing: () => fullBus(),
  lists: () => consoleLists(bench, stack.installation.mongodbUri, Number(process.env.LOGS ?? 1_000_000)),
  catalog: () => catalogMemory(),
  start: () => startUp(mockPort),
  volume: () => largeSite(),
};

/** They take long. */
const onlyWhenNamed = new Set(['volume']);

const rows: Row[] = [];
try {
  for (const [name, scene] of Object.entries(scenes)) {
    if (wanted.length > 0 ? !wanted.includes(name) : onlyWhenNamed.has(name)) continue;
    const found = await scene();
    rows.push(...found);
    for (const row of found) print(row);
  }
} finally {
  await stack.installation.stop();
  for (const program of [load.program, bare, mock]) await program.stop();
}
save('latest', rows);

/** Until what was answered is charged: the log has stopped growing and no hold is left. */
async function untilBilled(): Promise<void> {
  let quiet = 0;
  let last = -1;
  while (quiet < 4) {
    const user = (await stack.installation.console('/api/user/self')) as { request_count: number };
    quiet = user.request_count === last ? quiet + 1 : 0;
    last = user.request_count;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
