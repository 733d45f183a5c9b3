/** One figure, and the words in bench/RESULTS.md or libs/embedded-mongo/README.md that say it. */
interface Source {
  value: number;
  file: 'bench/RESULTS.md' | 'libs/embedded-mongo/README.md' | 'deploy/SIZING.md';
  says: string;
}

/** What the benchmarks measured, each with its place; `tools/test/sizing.test.ts` holds them together. */
export const sources = {
  /** A call whose dialect is translated, the dearer kind; CPU of the relay. */
  relayCallUs: { value: 130.3, file: 'bench/RESULTS.md', says: 'JSON translated (Anthropic), relay CPU a call | 130.3 us' },
  /** A translated frame of a stream; CPU of the relay. */
  frameUs: { value: 29.9, file: 'bench/RESULTS.md', says: 'SSE a frame, passed through / translated | 22.8 / 29.9 us' },
  /** All of Redis's work for a call, the bus on it, too: with Kafka it is less. */
  redisCallUs: { value: 61, file: 'bench/RESULTS.md', says: 'Redis 61' },
  billingEventUs: { value: 32.8, file: 'bench/RESULTS.md', says: '32.8 us an event, 30 476/s on a core of its own' },
  /** Memory of 1 000 open streams, and of a relay that rests. */
  streamsMb: { value: 40.9, file: 'bench/RESULTS.md', says: '40.9 once the young heap has its size' },
  relayIdleMb: { value: 200, file: 'bench/RESULTS.md', says: 'at rest relay and console were back at 200 MB' },
  /** Log rows of the product's shape that a store of one core takes; the bundled store's figure, for want of a measured MongoDB. */
  storeRowsPerSecond: { value: 16_000, file: 'libs/embedded-mongo/README.md', says: '16 000-18 000 a second with the client' },
  /** A row with its indexes, on disk. */
  rowBytes: { value: 960, file: 'deploy/SIZING.md', says: 'a log row with its indexes 960 bytes' },
  /** An event on the bus, and how long it is kept there. */
  eventBytes: { value: 760, file: 'deploy/SIZING.md', says: 'an event 760 bytes' },
  busDays: { value: 7, file: 'deploy/SIZING.md', says: 'kept for 7 days' },
} as const satisfies Record<string, Source>;

export type Figures = Record<keyof typeof sources, number>;

export const figures = Object.fromEntries(Object.entries(sources).map(([name, { value }]) => [name, value])) as Figures;
