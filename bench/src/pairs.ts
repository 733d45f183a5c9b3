import type { Load } from './load/client.ts';
import type { LoadFigures, LoadOrder } from './load/generator.ts';
import { cpuMicros } from './processes.ts';

export interface Slice extends LoadFigures {
  /** CPU microseconds a call (or a frame) of the process under test. */
  cost: number;
}

export interface Pairs {
  ours: Slice[];
  bare: Slice[];
  /** The least cost of all slices: noise only ever adds. */
  oursCost: number;
  bareCost: number;
  ratio: number;
}

export interface Side {
  pid: number;
  order: LoadOrder;
}

/**
 * Both alive, slices in turn, the same load; the verdict is min(ours) / min(bare). `unit` says what is counted: calls, or
 * the frames of streams. Each first serves for `warmUpMs`, or a slice, until its compiler has little left to do, as in a process that has
 * run for a while. `around` runs each slice of ours, but for the warm-up, and waits for what has to be over before the next one begins.
 */
export async function pairs(
  load: Load,
  sides: { ours: Side; bare: Side },
  options: { slices: number; unit: 'calls' | 'frames'; warmUpMs?: number; around?: (run: () => Promise<Slice>) => Promise<Slice> },
): Promise<Pairs> {
  const { around = (run) => run(), warmUpMs } = options;
  const ours: Slice[] = [];
  const bare: Slice[] = [];
  for (const { order } of [sides.ours, sides.bare]) checked(await load.run({ ...order, durationMs: warmUpMs ?? order.durationMs }));
  for (let pair = 0; pair < options.slices; pair += 1) {
    bare.push(await slice(load, sides.bare, options.unit));
    ours.push(await around(() => slice(load, sides.ours, options.unit)));
  }
  const oursCost = least(ours);
  const bareCost = least(bare);
  return { ours, bare, oursCost, bareCost, ratio: oursCost / bareCost };
}

async function slice(load: Load, side: Side, unit: 'calls' | 'frames'): Promise<Slice> {
  const before = cpuMicros(side.pid);
  const figures = checked(await load.run(side.order));
  const used = cpuMicros(side.pid) - before;
  const count = unit === 'calls' ? figures.answered : figures.frames;
  return { ...figures, cost: used / Math.max(1, count) };
}

function checked(figures: LoadFigures): LoadFigures {
  if (figures.failed > 0) throw new Error(`${figures.failed} calls failed: ${figures.firstFailure}`);
  return figures;
}

function least(slices: Slice[]): number {
  return Math.min(...slices.map(({ cost }) => cost));
}

export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
