import type { Bench, Row } from '../bench.ts';
import { median, type Pairs, pairs } from '../pairs.ts';
import { cpuMicros } from '../processes.ts';
import { anthropicModel, chatBody, openAiModel } from './bodies.ts';

const path = '/v1/chat/completions';

/** JSON calls, passed through and translated, in pairs with the bare relay; and what the whole stack used for them. */
export async function jsonCalls(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, model] of [
    ['passed through', openAiModel],
    ['translated', anthropicModel],
  ] as const) {
    const spent: Parts[] = [];
    const result = await pairs(bench.load, sides(bench, chatBody(model), 32), {
      slices: bench.slices,
      unit: 'calls',
      warmUpMs: bench.warmUpMs,
      async around(run) {
        const before = snapshot(bench);
        const figures = await run();
        await bench.untilBilled();
        spent.push(spentSince(before, bench, figures.answered));
        return figures;
      },
    });
    spent.sort((one, other) => sum(one) - sum(other));
    const [parts = {}] = spent;
    rows.push(...rowsOf(`JSON ${name}`, result, { ratio: { atMost: 2.2, aim: 2 } }));
    rows.push({ name: `JSON ${name}: calls a second on one core`, value: 1e6 / result.oursCost, unit: '/s' });
    rows.push({ name: `JSON ${name}: whole stack`, value: sum(parts), unit: 'us/call', median: median(spent.map(sum)), parts });
    rows.push({ name: `JSON ${name}: whole stack, ratio`, value: sum(parts) / result.bareCost, unit: 'x', atMost: 5, aim: 4 });
  }
  return rows;
}

/** What the relay adds to one call when nothing else is going on. */
export async function addedLatency(bench: Bench): Promise<Row[]> {
  const body = chatBody(openAiModel);
  const through: { p50: number; p99: number }[] = [];
  const direct: { p50: number; p99: number }[] = [];
  for (let turn = 0; turn < bench.slices; turn += 1) {
    direct.push(await bench.load.run({ port: bench.mockPort, path, key: 'x', body, connections: 1, durationMs: bench.sliceMs }));
    through.push(
      await bench.load.run({ port: bench.stack.relayPort, path, key: bench.stack.apiKey, body, connections: 1, durationMs: bench.sliceMs }),
    );
  }
  const added = (at: 'p50' | 'p99'): number => (median(through.map((each) => each[at])) - median(direct.map((each) => each[at]))) / 1000;
  return [
    { name: 'added latency at concurrency 1, p50', value: added('p50'), unit: 'ms', atMost: 0.5, aim: 0.3 },
    { name: 'added latency at concurrency 1, p99', value: added('p99'), unit: 'ms', atMost: 3, aim: 2 },
  ];
}

/** Streams, 100 at a time, a frame every 20 ms each. */
export async function streamedCalls(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, model, budget] of [
    ['passed through', openAiModel, { ratio: { atMost: 1.4, aim: 1.2 } }],
    ['translated', anthropicModel, { micros: { atMost: 40, aim: 25 } }],
  ] as const) {
    const result = await pairs(bench.load, sides(bench, chatBody(model, { stream: true }), 100), {
      slices: Math.max(4, bench.slices / 2),
      unit: 'frames',
      warmUpMs: bench.warmUpMs,
    });
    rows.push(...rowsOf(`SSE ${name}`, result, budget, 'us/frame'));
    await bench.untilBilled();
  }
  return rows;
}

/** The relay and the bare one, asked the same. */
export function sides(bench: Bench, body: string, connections: number) {
  const order = { path, body, connections, durationMs: bench.sliceMs };
  const bareBody = body.replace(anthropicModel, openAiModel);
  return {
    ours: { pid: bench.stack.pids.relay as number, order: { ...order, port: bench.stack.relayPort, key: bench.stack.apiKey } },
    bare: { pid: bench.bare.pid, order: { ...order, body: bareBody, port: bench.barePort, key: 'x' } },
  };
}

type Bound = Pick<Row, 'atMost' | 'aim'>;

function rowsOf(name: string, result: Pairs, budget: { micros?: Bound; ratio?: Bound }, unit = 'us/call'): Row[] {
  return [
    {
      name: `${name}: relay`,
      value: result.oursCost,
      unit,
      median: median(result.ours.map(({ cost }) => cost)),
      ...budget.micros,
    },
    { name: `${name}: bare relay`, value: result.bareCost, unit, median: median(result.bare.map(({ cost }) => cost)) },
    { name: `${name}: ratio`, value: result.ratio, unit: 'x', ...budget.ratio },
  ];
}

const stackParts = ['relay', 'redis', 'billing', 'store'];

type Parts = Record<string, number>;

function snapshot(bench: Bench): Parts {
  return Object.fromEntries(stackParts.map((name) => [name, cpuMicros(bench.stack.pids[name] as number)]));
}

/** CPU microseconds a call of each part since then. */
function spentSince(before: Parts, bench: Bench, calls: number): Parts {
  return Object.fromEntries(Object.entries(snapshot(bench)).map(([name, micros]) => [name, (micros - (before[name] ?? 0)) / calls]));
}

function sum(parts: Parts): number {
  return Object.values(parts).reduce((total, micros) => total + micros, 0);
}
