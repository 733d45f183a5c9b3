import { connect, type Socket } from 'node:net';

// An open loop over raw sockets, in a process of its own: calls begin at a fixed rate whatever becomes of those before, and
// their time runs from the moment at which they were due. Takes its orders and gives its figures over the channel to its parent.
export interface OpenLoopOrder {
  port: number;
  path: string;
  body: string;
  /** Calls a second of each key. */
  callers: { key: string; perSecond: number }[];
  /** Only what is due after this time is counted. */
  warmUpMs: number;
  /** Of what is counted. */
  durationMs: number;
  /** Opened and answered on before the first call, as a proxy in front keeps them: Node accepts one connection in a turn of its event loop. */
  sockets: number;
}

export interface CallerFigures {
  sent: number;
  answered: number;
  refused: number;
  /** Refused without being told when to come back, answered with anything else, or not at all. */
  failed: number;
  /** Not sent, as no socket was free: says something of the generator, nothing of who answers. Not among `sent`. */
  unsent: number;
  /** Of the answered ones, in ms. */
  p50: number;
  p99: number;
  /** Of the refused ones, in ms. */
  refusedP99: number;
  /** By how much the generator itself was late with a hundredth of the calls, in ms; is part of the times above. */
  late99: number;
}

interface Caller {
  request: Buffer;
  perSecond: number;
  /** Due so far, counted or not. */
  due: number;
  latencies: number[];
  refusals: number[];
  lateness: number[];
  figures: Pick<CallerFigures, 'sent' | 'answered' | 'refused' | 'failed' | 'unsent'>;
}

interface Line {
  socket: Socket;
  caller: Caller | undefined;
  dueAt: number;
  status: number;
  hasRetryAfter: boolean;
  /** Bytes of the body that are missing, Infinity: until its last chunk; undefined: its head is still to come. */
  needed: number | undefined;
}

const endOfHead = Buffer.from('\r\n\r\n');
const endOfChunks = Buffer.from('\r\n0\r\n\r\n');
const tickMs = 2;

process.on('message', (order: OpenLoopOrder) => void drive(order).then((figures) => process.send?.({ figures })));
/** So that the parent can look at others at these moments. */
const tell = (moment: 'counting' | 'counted'): void => void process.send?.({ moment });
process.on('disconnect', () => process.exit(0));
process.stdout.write('ready\n');

async function drive({ port, path, body, callers: wanted, warmUpMs, durationMs, sockets }: OpenLoopOrder): Promise<CallerFigures[]> {
  const callers = wanted.map(({ key, perSecond }): Caller => {
    const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json`;
    const request = Buffer.from(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    return {
      request,
      perSecond,
      due: 0,
      latencies: [],
      refusals: [],
      lateness: [],
      figures: { sent: 0, answered: 0, refused: 0, failed: 0, unsent: 0 },
    };
  });
  const idle: Line[] = [];
  const lines = new Set<Line>();
  let countedFrom = Number.POSITIVE_INFINITY;

  function open(): Line {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const line: Line = { socket, caller: undefined, dueAt: 0, status: 0, hasRetryAfter: false, needed: undefined };
    lines.add(line);
    socket.on('data', (data) => take(line, data));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      lines.delete(line);
      if (line.caller !== undefined) line.caller.figures.failed += 1;
      line.caller = undefined;
    });
    return line;
  }

  function take(line: Line, data: Buffer): void {
    let length = data.length;
    if (line.needed === undefined) {
      const end = data.indexOf(endOfHead); // a head never spans two reads on loopback
      const head = data.toString('latin1', 0, end);
      line.status = Number(head.slice(9, 12));
      line.hasRetryAfter = /\r\nretry-after: \d/i.test(head);
      const isChunked = /\r\ntransfer-encoding: chunked/i.test(head);
      line.needed = isChunked ? Number.POSITIVE_INFINITY : Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      length -= end + endOfHead.length;
    }
    line.needed -= length;
    if (line.needed > 0 && !data.subarray(-endOfChunks.length).equals(endOfChunks)) return;
    line.needed = undefined;
    idle.push(line);
    if (line.caller === undefined) return;
    const { figures, latencies, refusals } = line.caller;
    if (line.status === 200) {
      figures.answered += 1;
      latencies.push(performance.now() - line.dueAt);
    } else if (line.status === 503 && line.hasRetryAfter) {
      figures.refused += 1;
      refusals.push(performance.now() - line.dueAt);
    } else figures.failed += 1;
    line.caller = undefined;
  }

  function begin(caller: Caller, dueAt: number): void {
    const isCounted = dueAt >= countedFrom;
    let line = idle.pop();
    while (line?.socket.destroyed) line = idle.pop();
    if (line === undefined) {
      if (isCounted) caller.figures.unsent += 1;
      return;
    }
    if (isCounted) {
      caller.figures.sent += 1;
      caller.lateness.push(performance.now() - dueAt);
      line.caller = caller;
      line.dueAt = dueAt;
    }
    line.socket.write(caller.request);
  }

  while (lines.size < sockets) open();
  for (const { socket } of lines) socket.write('GET /livez HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
  while (idle.length < lines.size) await new Promise((resolve) => setTimeout(resolve, 20));

  const startedAt = performance.now();
  countedFrom = startedAt + warmUpMs;
  let isCounting = false;
  while (performance.now() < countedFrom + durationMs) {
    const now = performance.now();
    if (!isCounting && now >= countedFrom) {
      isCounting = true;
      tell('counting');
    }
    for (const caller of callers) {
      for (; caller.due < ((now - startedAt) / 1000) * caller.perSecond; caller.due += 1)
        begin(caller, startedAt + (caller.due / caller.perSecond) * 1000);
    }
    await new Promise((resolve) => setTimeout(resolve, tickMs));
  }
  tell('counted');
  const deadline = performance.now() + 15_000;
  while ([...lines].some(({ caller }) => caller !== undefined) && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50));
  for (const { socket } of lines) socket.destroy();
  return callers.map(({ figures, latencies, refusals, lateness }) => ({
    ...figures,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    refusedP99: quantile(refusals, 0.99),
    late99: quantile(lateness, 0.99),
  }));
}

function quantile(values: number[], share: number): number {
  values.sort((a, b) => a - b);
  return values[Math.floor(values.length * share)] ?? 0;
}
