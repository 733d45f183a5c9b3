import { connect, type Socket } from 'node:net';

// A closed loop over raw sockets, in a process of its own: one request in flight on each. Takes its orders and gives its
// figures over the channel to its parent; bounded in time by the order.
export interface LoadOrder {
  port: number;
  path: string;
  key: string;
  body: string;
  connections: number;
  durationMs: number;
  /** Over how long the connections are opened; 0: all at once. */
  rampMs?: number;
}

export interface LoadFigures {
  answered: number;
  failed: number;
  frames: number;
  /** Microseconds. */
  p50: number;
  p99: number;
  elapsedMs: number;
  firstFailure?: string | undefined;
}

/** What the load has so far; it can be asked for while it runs. */
let current = { frames: 0 };

const endOfHead = Buffer.from('\r\n\r\n');
const endOfChunks = Buffer.from('0\r\n\r\n');
const dataField = Buffer.from('data: ');

process.on('message', (order: LoadOrder | 'frames') => {
  if (order === 'frames') process.send?.({ frames: current.frames });
  else void drive(order).then((figures) => process.send?.({ figures }));
});
process.on('disconnect', () => process.exit(0));

async function drive(order: LoadOrder): Promise<LoadFigures> {
  const request = Buffer.from(
    `POST ${order.path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${order.key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(order.body)}\r\n\r\n${order.body}`,
  );
  const latencies: number[] = [];
  const totals = { answered: 0, failed: 0, frames: 0, firstFailure: undefined as string | undefined };
  current = totals;
  const started = performance.now();
  const run: Run = { until: started + order.durationMs, latencies, totals };
  const { connections, rampMs = 0 } = order;
  const loops: Promise<void>[] = [];
  while (loops.length < connections) {
    const due = rampMs === 0 ? connections : Math.min(connections, Math.ceil(((performance.now() - started) / rampMs) * connections));
    while (loops.length < due) loops.push(loop(order, request, run));
    if (loops.length < connections) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await Promise.all(loops);
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => Math.round((latencies[Math.floor(latencies.length * share)] ?? 0) * 1000);
  return { ...totals, p50: at(0.5), p99: at(0.99), elapsedMs: performance.now() - started };
}

interface Run {
  until: number;
  latencies: number[];
  totals: { answered: number; failed: number; frames: number; firstFailure: string | undefined };
}

function loop(order: LoadOrder, request: Buffer, run: Run): Promise<void> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ port: order.port, host: '127.0.0.1', noDelay: true });
    let sentAt = 0;
    let head = true;
    let needed = -1;
    let chunked = false;
    let failedStatus = false;

    const send = (): void => {
      if (performance.now() >= run.until) return void socket.destroy();
      head = true;
      sentAt = performance.now();
      socket.write(request);
    };
    const finished = (): void => {
      run.latencies.push(performance.now() - sentAt);
      if (failedStatus) run.totals.failed += 1;
      else run.totals.answered += 1;
      send();
    };
    socket.on('connect', send);
    socket.on('data', (data: Buffer) => {
      let body = data;
      if (head) {
        const end = data.indexOf(endOfHead);
        if (end < 0) return; // a head never spans two reads on loopback
        const text = data.toString('latin1', 0, end);
        failedStatus = !text.startsWith('HTTP/1.1 200');
        if (failedStatus) run.totals.firstFailure ??= data.toString('utf8', 0, 600);
        chunked = /transfer-encoding: chunked/i.test(text);
        needed = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? -1);
        head = false;
        body = data.subarray(end + 4);
      }
      if (chunked) {
        for (let at = body.indexOf(dataField); at >= 0; at = body.indexOf(dataField, at + 6)) run.totals.frames += 1;
        if (body.subarray(-5).equals(endOfChunks)) finished();
      } else {
        needed -= body.length;
        if (needed <= 0) finished();
      }
    });
    socket.on('error', (error) => {
      run.totals.failed += 1;
      run.totals.firstFailure ??= error.message;
    });
    socket.on('close', () => resolve());
  });
}
