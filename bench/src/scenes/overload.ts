import { freePort } from '@tollgate/testing';
import type { Bench, Row } from '../bench.ts';
import type { CallerFigures, OpenLoopOrder } from '../load/open-loop.ts';
import { cpuMicros, type Program, startProgram } from '../processes.ts';
import { chatBody, slowModel } from './bodies.ts';

const path = '/v1/chat/completions';
/** A stream of some 40 frames in a quarter of a second: much shorter than models take, so that what is under way needs no more sockets than the generator can open. */
const provider = { FRAMES: '40', TICK_MS: '6' };
/** Some 4 kB, as conversations have them. */
const body = (model: string) => chatBody(model, { stream: true, questions: 45 });
const durationMs = Number(process.env.OVERLOAD_MS ?? 8_000);
/** So long many calls may come at once and all be served: RELAY_BURST_MS. */
const burstMs = 5_000;
/** The share of the capacity that counts as normal, the one that is offered then, and the quiet caller's. */
const [normally, offered, quietly] = [0.7, 3, 0.05];
const here = (file: string): string => new URL(file, import.meta.url).pathname;

interface Run {
  noisy: CallerFigures;
  quiet: CallerFigures;
  /** CPU time of the relay while calls were counted. */
  relayMicros: number;
}

/**
 * Three times what one relay can do, at a fixed rate whatever becomes of the calls, beside what it normally does. A noisy caller sends nearly all of it,
 * a quiet one a twentieth of the capacity. Ratios within the run: the machine is as busy before as after.
 */
export async function overload(bench: Bench): Promise<Row[]> {
  const { stack } = bench;
  const port = await freePort();
  const slow = await startProgram('slow mock', here('../servers/mock-upstream.ts'), {
    core: 1,
    env: { PORT: String(port), ...provider },
  });
  const generator = await startProgram('open loop', here('../load/open-loop.ts'), { core: 1 });
  try {
    await stack.addChannel('slow', { port, models: slowModel });
    const quietKey = await stack.anotherCaller();
    const run = (perSecond: number, share: number, warmUpMs: number): Promise<Run> =>
      counted(bench, generator, {
        port: stack.relayPort,
        path,
        body: body(slowModel),
        warmUpMs,
        durationMs,
        sockets: 6_000,
        callers: [
          { key: stack.apiKey, perSecond: perSecond * (share - quietly) },
          { key: quietKey, perSecond: perSecond * quietly },
        ],
      });
    await capacityOf(bench);
    const before = await capacityOf(bench);
    const normal = await run(before, normally, 2_000);
    const over = await run(before, offered, burstMs + 1_000);
    await bench.untilBilled();
    return rowsOf({ before, normal, over });
  } finally {
    await generator.stop();
    await slow.stop();
  }
}

/** Calls a second, in a closed loop: of so many callers that nothing but the relay bounds them, and of no more. */
async function capacityOf({ stack, load }: Bench): Promise<number> {
  const order = { port: stack.relayPort, path, key: stack.apiKey, body: body(slowModel), connections: 384, durationMs: 3_000 };
  const { answered, elapsedMs } = await load.run(order);
  return (answered / elapsedMs) * 1000;
}

async function counted({ stack }: Bench, generator: Program, order: OpenLoopOrder): Promise<Run> {
  const relays = Object.entries(stack.pids).filter(([name]) => name.startsWith('relay'));
  const micros = () => relays.reduce((sum, [, pid]) => sum + cpuMicros(pid), 0);
  const { promise, resolve } = Promise.withResolvers<CallerFigures[]>();
  let relayMicros = 0;
  const hear = ({ moment, figures }: { moment?: string; figures?: CallerFigures[] }): void => {
    if (moment === 'counting') relayMicros = -micros();
    if (moment === 'counted') relayMicros += micros();
    if (figures !== undefined) resolve(figures);
  };
  generator.child.on('message', hear);
  generator.child.send(order);
  const [noisy, quiet] = (await promise) as [CallerFigures, CallerFigures];
  generator.child.off('message', hear);
  return { noisy, quiet, relayMicros };
}

function rowsOf({ before, normal, over }: { before: number; normal: Run; over: Run }): Row[] {
  const name = 'three times the capacity';
  const seconds = durationMs / 1000;
  const sum = (run: Run, key: 'sent' | 'answered' | 'refused' | 'failed' | 'unsent') => run.noisy[key] + run.quiet[key];
  return [
    { name: 'capacity, calls a second of one relay', value: before, unit: '/s' },
    { name: 'at 0.7 of it: p99', value: normal.noisy.p99, unit: 'ms', parts: { ...normal.noisy } },
    {
      name: `${name}: p99 of what is accepted, to that`,
      value: over.noisy.p99 / normal.noisy.p99,
      unit: 'x',
      atMost: 2,
      parts: { ...over.noisy },
    },
    {
      name: `${name}: p99 of a quiet caller, to his then`,
      value: over.quiet.p99 / normal.quiet.p99,
      unit: 'x',
      atMost: 2,
      parts: { ...over.quiet },
    },
    { name: `${name}: of a quiet caller's calls are refused`, value: over.quiet.refused / over.quiet.sent, unit: '', atMost: 0.01 },
    { name: `${name}: answered, of the capacity`, value: sum(over, 'answered') / seconds / before, unit: '', atLeast: 0.8 },
    {
      name: `${name}: CPU of the relay, of a core`,
      value: over.relayMicros / seconds / 1e6,
      unit: '',
      parts: { normally: normal.relayMicros / seconds / 1e6 },
    },
    { name: `${name}: neither answered nor told to come back`, value: sum(over, 'failed') / sum(over, 'sent'), unit: '', atMost: 0 },
    {
      name: `${name}: found no socket of the generator`,
      value: sum(over, 'unsent') / (sum(over, 'sent') + sum(over, 'unsent')),
      unit: '',
      atMost: 0.01,
    },
  ];
}
