import type { Figures } from './figures.ts';

/** What is asked of an installation. */
export interface Demand {
  /** Calls a second at the peak. */
  calls: number;
  /** Streams open at once, at the peak; they are calls, too, which `calls` counts when they begin. */
  streams: number;
  /** Frames a second of one stream. */
  framesPerSecond: number;
  /** Calls a day over those of a day at the peak. */
  dayShare: number;
  /** How long log rows are kept. */
  retentionDays: number;
  /** How busy a core may be at the peak. */
  utilisation: number;
}

export const usualDemand: Demand = { calls: 100, streams: 0, framesPerSecond: 30, dayShare: 0.35, retentionDays: 90, utilisation: 0.6 };

export interface Size {
  relayCores: number;
  relayPods: number;
  relayMemoryMb: number;
  /** Installations side by side, each with a Redis of its own: one Redis primary works on one core. */
  cells: number;
  redisCores: number;
  billingCores: number;
  billingPods: number;
  /** Of each cell's topic. */
  partitions: number;
  rowsPerDay: number;
  databaseShards: number;
  databaseDiskGb: number;
  busDiskGb: number;
}

const megabyte = 1e6;
const gigabyte = 1e9;
const daySeconds = 86_400;
const replicas = 3;
const leastPods = 2;
const leastPartitions = 8;
const streamsOfAPod = 10_000;

/** How large each part must be, all cells together. Figures are of one core of the machine that was measured: a faster one needs fewer. */
export function sizeFor({ calls, streams, framesPerSecond, dayShare, retentionDays, utilisation }: Demand, figures: Figures): Size {
  const relayCores = (calls * figures.relayCallUs + streams * framesPerSecond * figures.frameUs) / 1e6 / utilisation;
  const relayPods = Math.max(leastPods, Math.ceil(relayCores), Math.ceil(streams / streamsOfAPod));
  const redisCores = (calls * figures.redisCallUs) / 1e6 / utilisation;
  const cells = Math.max(1, Math.ceil(redisCores));
  const billingCores = (calls * figures.billingEventUs) / 1e6 / utilisation;
  const billingPods = Math.max(leastPods, Math.ceil(billingCores));
  const rowsPerDay = calls * daySeconds * dayShare;
  return {
    relayCores,
    relayPods,
    relayMemoryMb: (relayPods * figures.relayIdleMb + (streams / 1000) * figures.streamsMb) / relayPods,
    cells,
    redisCores,
    billingCores,
    billingPods,
    partitions: powerOfTwo(Math.max(leastPartitions, (2 * billingPods) / cells)),
    rowsPerDay,
    databaseShards: Math.max(1, Math.ceil(calls / (figures.storeRowsPerSecond * utilisation))),
    databaseDiskGb: (rowsPerDay * retentionDays * figures.rowBytes * replicas) / gigabyte,
    busDiskGb: (rowsPerDay * figures.busDays * figures.eventBytes * replicas) / gigabyte,
  };
}

/** The size as lines for people. */
export function sizeLines(size: Size): [part: string, words: string][] {
  const { cells } = size;
  const perCell = cells === 1 ? '' : ` (${Math.ceil(size.relayPods / cells)} a cell)`;
  return [
    [
      'relay',
      `${size.relayPods} pods of 1 core${perCell}, ${Math.ceil(size.relayMemoryMb / 50) * 50} MB each; ${size.relayCores.toFixed(1)} cores at work`,
    ],
    [
      'Redis',
      cells === 1
        ? `1 primary, ${size.redisCores.toFixed(2)} cores at work`
        : `${cells} cells, each with a Redis of its own; ${size.redisCores.toFixed(1)} cores at work in all`,
    ],
    ['bus', `${size.partitions} partitions${cells === 1 ? '' : ' a cell'}, ${rounded(size.busDiskGb)} GB on Kafka with 3 replicas`],
    ['billing', `${size.billingPods} pods of 1 core; ${size.billingCores.toFixed(1)} cores at work`],
    [
      'database',
      `${size.databaseShards} ${size.databaseShards === 1 ? 'replica set' : 'shards'} of 3, ${rounded(size.databaseDiskGb)} GB in all for ${millions(size.rowsPerDay)} rows a day`,
    ],
  ];
}

function powerOfTwo(least: number): number {
  return 2 ** Math.ceil(Math.log2(least));
}

function rounded(gigabytes: number): string {
  return gigabytes < 10 ? gigabytes.toFixed(1) : String(Math.ceil(gigabytes));
}

function millions(rows: number): string {
  return `${(rows / megabyte).toFixed(rows < 10 * megabyte ? 1 : 0)} million`;
}
