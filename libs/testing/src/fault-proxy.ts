import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

type Matcher = (bytes: Buffer) => boolean;

/** A TCP line between a process and an engine, with the faults that lines have. It holds for all connections, the new ones too. */
export interface FaultProxy {
  port: number;
  /** Every fault ends. What was held back arrives now; lines that lost bytes break. */
  heal(): void;
  /** Both ends wait for ever: nothing arrives, nobody hangs up. */
  blackHole(): void;
  /** The lines that exist fall silent for ever, as when a firewall forgot them; new ones work. */
  forgetLines(): void;
  /** What clients say arrives, what the engine answers is lost. */
  loseAnswers(): void;
  /** Every line breaks at once, and every new one as soon as it is made. */
  reset(): void;
  /** Bytes take so much longer, in each direction. */
  delay(ms: number): void;
  /** Each line breaks once so many bytes have come from the engine. */
  cutAfter(bytes: number): void;
  /** Waits for the first message of a client that `isIt`, and becomes a black hole just before it arrives. */
  holdBefore(isIt: Matcher): Promise<void>;
  /** Waits for it, lets it arrive, and loses every answer from then on. */
  loseAnswersFrom(isIt: Matcher): Promise<void>;
  /**
   * Waits for it, and lets the line alone on which it comes fall silent for ever: just before it arrives, or with `answered` when only
   * its answer is missing. Several may be waited for at once.
   */
  silenceLineAt(isIt: Matcher, options?: { answered?: boolean }): Promise<void>;
  connections(): number;
  close(): Promise<void>;
}

type Mode = 'pass' | 'hold' | 'lose';

interface Faults {
  toEngine: Mode;
  toClient: Mode;
  delayMs: number;
  cutAfter: number;
  isReset: boolean;
  watch?: { isIt: Matcher; seen(): void };
}

interface LineWatch {
  isIt: Matcher;
  isAnswered: boolean;
  seen(): void;
}

const healthy: Faults = { toEngine: 'pass', toClient: 'pass', delayMs: 0, cutAfter: Number.POSITIVE_INFINITY, isReset: false };

/** Starts a proxy on loopback, on any free port unless one is named. A message of a client is what it wrote at once. */
export async function startFaultProxy({ to, port = 0 }: { to: number; port?: number }): Promise<FaultProxy> {
  let faults: Faults = { ...healthy };
  let healed = Promise.withResolvers<void>();
  const lines = new Set<Line>();
  const lineWatches = new Set<LineWatch>();
  const takeWatch = (bytes: Buffer): LineWatch | undefined => {
    const found = [...lineWatches].find(({ isIt }) => isIt(bytes));
    if (found !== undefined) lineWatches.delete(found);
    return found;
  };
  const server = createServer((client) => {
    if (faults.isReset) return void client.resetAndDestroy();
    const line = openLine(client, to, { faults: () => faults, healed: () => healed.promise, takeWatch });
    lines.add(line);
    void line.ended.then(() => lines.delete(line));
  });
  await listen(server, port);

  const breakAll = () => {
    for (const line of lines) line.break();
  };
  const become = (change: Partial<Faults>) => {
    faults = { ...faults, ...change };
  };
  const watchFor = (isIt: Matcher, then: Partial<Faults>): Promise<void> =>
    new Promise((resolve) => {
      become({
        watch: {
          isIt,
          seen() {
            become({ ...then, watch: undefined });
            resolve();
          },
        },
      });
    });

  return {
    port: (server.address() as { port: number }).port,
    heal() {
      for (const line of lines) if (faults.toClient === 'lose' || line.hasLostBytes()) line.break();
      faults = { ...healthy };
      healed.resolve();
      healed = Promise.withResolvers();
    },
    blackHole: () => become({ toEngine: 'hold', toClient: 'hold' }),
    forgetLines() {
      for (const line of lines) line.forget();
    },
    loseAnswers: () => become({ toClient: 'lose' }),
    reset() {
      become({ isReset: true });
      breakAll();
    },
    delay: (ms) => become({ delayMs: ms }),
    cutAfter: (bytes) => become({ cutAfter: bytes }),
    holdBefore: (isIt) => watchFor(isIt, { toEngine: 'hold', toClient: 'hold' }),
    loseAnswersFrom: (isIt) => watchFor(isIt, { toClient: 'lose' }),
    silenceLineAt: (isIt, { answered = false } = {}) =>
      new Promise((resolve) => void lineWatches.add({ isIt, isAnswered: answered, seen: resolve })),
    connections: () => lines.size,
    async close() {
      breakAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface Line {
  forget(): void;
  break(): void;
  hasLostBytes(): boolean;
  ended: Promise<unknown>;
}

interface Surroundings {
  faults(): Faults;
  healed(): Promise<void>;
  takeWatch(bytes: Buffer): LineWatch | undefined;
}

function openLine(client: Socket, to: number, { faults, healed, takeWatch }: Surroundings): Line {
  const engine = connect({ port: to, host: '127.0.0.1', noDelay: true });
  client.setNoDelay(true);
  let lost = false;
  let isForgotten = false;
  let isUnanswered = false;
  let fromEngine = 0;
  const end = () => {
    breakOff(client);
    breakOff(engine);
  };
  const ended = Promise.all([client, engine].map((socket) => new Promise((resolve) => socket.once('close', resolve))));

  async function carry(from: Socket, into: Socket, mode: () => Mode): Promise<void> {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      const { watch, delayMs } = faults();
      if (from === client && watch?.isIt(chunk)) watch.seen();
      const silence = from === client ? takeWatch(chunk) : undefined;
      if (silence?.isAnswered) isUnanswered = true;
      else if (silence !== undefined) isForgotten = true;
      silence?.seen();
      if (delayMs > 0) await delay(delayMs);
      while (!into.destroyed && (isForgotten || mode() === 'hold')) await healed();
      if (into.destroyed) return;
      if (mode() === 'lose' || (from === engine && isUnanswered)) {
        lost = true;
        continue;
      }
      if (from === engine) {
        fromEngine += chunk.length;
        if (fromEngine > faults().cutAfter) return end();
      }
      if (!into.write(chunk)) await new Promise((resolve) => into.once('drain', resolve).once('close', resolve));
    }
    into.end();
  }
  // A side that broke breaks the other: that is what a line does.
  carry(client, engine, () => faults().toEngine).catch(end);
  carry(engine, client, () => faults().toClient).catch(end);
  return {
    forget() {
      isForgotten = true;
      lost = true;
    },
    break: end,
    hasLostBytes: () => lost,
    ended,
  };
}

/** Resets a connection, unless it is not made yet or is being ended: a reset then leaves the event loop of Node turning for ever. */
function breakOff(socket: Socket): void {
  if (socket.connecting || socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
}
