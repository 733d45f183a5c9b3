import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, Row } from '../bench.ts';
import { forgetMostMemory, mostMegabytes, rssMegabytes } from '../processes.ts';
import { startStack } from '../stack.ts';
import { chatBody, slowModel } from './bodies.ts';

const calls = 100;
const frameBytes = 9 << 20;
/** `RELAY_MAX_BUFFERED_BYTES` by default, in MB, and what a relay may take besides. */
const bound = 512;
const besides = 200;
const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
const head = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n${chunk('Hello')}`;
const piece = Buffer.alloc(64 << 10, 'a');

/** Memory while a provider sends many streams whose second frame is long and never ends: more than all calls together may keep. */
export async function unendedFrames({ mockPort }: Bench): Promise<Row[]> {
  const provider = await startProvider();
  const stack = await startStack(mockPort);
  const leaving = new AbortController();
  try {
    await stack.addChannel('unended', { port: provider.port, models: slowModel });
    const { relay = 0 } = stack.pids;
    const before = rssMegabytes(relay);
    forgetMostMemory(relay);
    let ended = 0;
    let failed: unknown;
    const asked = Array.from({ length: calls }, () =>
      fetch(`http://127.0.0.1:${stack.relayPort}/v1/chat/completions`, {
        method: 'POST',
        body: chatBody(slowModel, { stream: true }),
        headers: { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' },
        signal: leaving.signal,
      })
        .then(async (answer) => {
          if (answer.status !== 200) throw new Error(`a call was refused: ${answer.status} ${await answer.text()}`);
          return answer.text();
        })
        .then(
          () => {
            ended += 1;
          },
          (error: unknown) => {
            if (!leaving.signal.aborted) failed ??= error;
          },
        ),
    );
    await provider.allSent(() => failed);
    await delay(1_000);
    const most = mostMegabytes(relay);
    const held = rssMegabytes(relay);
    const refused = ended;
    leaving.abort();
    await Promise.all(asked);
    return [
      {
        name: `${calls} unended frames of 9 MB: relay, beyond its start at most`,
        value: most - before,
        unit: 'MB',
        atMost: bound + besides,
        parts: { before, most, held, 'calls ended': refused },
      },
    ];
  } finally {
    leaving.abort();
    await stack.installation.stop();
    provider.close();
  }
}

async function startProvider() {
  const sockets = new Set<Socket>();
  let done = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once(
      'data',
      () =>
        void send(socket).finally(() => {
          done += 1;
        }),
    );
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    /** Every call's frame was taken, or its connection closed. */
    async allSent(failure: () => unknown): Promise<void> {
      while (done < calls) {
        await delay(50);
        if (failure() !== undefined) throw failure();
      }
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

async function send(socket: Socket): Promise<void> {
  socket.write(`${head}data: {"choices":[{"index":0,"delta":{"content":"`);
  for (let sent = 0; sent < frameBytes && !socket.destroyed; sent += piece.length) {
    if (socket.write(piece) || socket.destroyed) continue;
    await new Promise<void>((resolve) => {
      socket.once('drain', resolve);
      socket.once('close', resolve);
    });
  }
}
