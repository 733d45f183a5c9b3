import { type AddressInfo, createServer, type Socket } from 'node:net';
import { commands } from './commands/registry.ts';
import { type Answer, bytesOf, type Request } from './commands/request.ts';
import { CommandError } from './errors.ts';
import { type Executor, type Job, openExecutor } from './executor.ts';
import type { Store } from './store.ts';
import { decode } from './values/decode.ts';
import type { Doc } from './values/document.ts';
import { elements, int32At } from './values/raw.ts';
import { readMessages } from './wire/connection.ts';
import { frameAnswer, type Message, parseMessage } from './wire/message.ts';

/** How long work under way may take when the store stops. */
const graceMs = 5000;

export interface StoreServer {
  /** 0 on a Unix socket. */
  port: number;
  executor: Executor;
  stop(): Promise<void>;
}

/** Listens for drivers. Commands of one connection are answered in their order. */
export async function listen(
  store: Store,
  { at, log }: { at: { host: string; port: number } | { path: string }; log: (error: unknown) => void },
): Promise<StoreServer> {
  const executor = openExecutor(store, log);
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy()); // a reset by the peer: 'close' follows
    serve(socket, { executor, connectionId: ++connections });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, resolve);
  });
  return {
    port: 'path' in at ? 0 : (server.address() as AddressInfo).port,
    executor,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      await executor.close(graceMs);
      for (const socket of sockets) socket.end();
      setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, 200).unref();
      await closed;
    },
  };
}

function serve(socket: Socket, { executor, connectionId }: { executor: Executor; connectionId: number }): void {
  const queue: Buffer[] = [];
  let busy = false;
  let answers = 0;
  const next = () => {
    while (!busy && queue.length > 0 && !socket.destroyed) {
      busy = true;
      handle(queue.shift() as Buffer);
    }
  };
  const handle = (bytes: Buffer) => {
    let message: Message | undefined;
    const reply = (answer: Answer | CommandError) => {
      busy = false;
      if (message?.silent !== true) {
        const envelope = message ?? { requestId: int32At(bytes, 4), legacy: false };
        const document = answer instanceof CommandError ? bytesOf(failure(answer)) : answer;
        socket.write(frameAnswer(envelope, Buffer.isBuffer(document) ? document : bytesOf(document), ++answers));
      }
      if (queue.length > 0) setImmediate(next);
    };
    try {
      message = parseMessage(bytes);
      executor.submit({ ...jobOf(message, connectionId), isAlive: () => !socket.destroyed, reply });
    } catch (error) {
      reply(error instanceof CommandError ? error : new CommandError(1, `internal error: ${(error as Error).message}`));
    }
  };
  readMessages(socket, (bytes) => {
    queue.push(bytes);
    next();
  });
}

function failure({ code, codeName, message, details }: CommandError): Doc {
  return { ok: 0, errmsg: message, code, codeName, ...details };
}

/** Fields of a command that hold raw documents; they are not decoded with the rest. */
const rawFields: Record<string, string> = { insert: 'documents', update: 'updates', delete: 'deletes' };

/** Throws: CommandError 59 for a command that is not known, 20 for transactions. */
function jobOf(message: Message, connectionId: number): Pick<Job, 'command' | 'request' | 'deadlineMs'> {
  const { body: raw, sequences } = message;
  const names = [...elements(raw, 0)].map((element) => raw.toString('utf8', element.nameAt, element.nameEnd));
  const name = names[0] ?? '';
  const command = commands.get(name);
  if (command === undefined) throw new CommandError(59, `no such command: '${name}'`);
  const heavy = rawFields[name];
  const body = decode(raw, 0, heavy ? new Set(names.filter((field) => field !== heavy)) : undefined);
  if (body.startTransaction !== undefined || body.autocommit !== undefined) {
    throw new CommandError(20, 'Transaction numbers are only allowed on a replica set member or mongos');
  }
  if (body.txnNumber !== undefined) throw new CommandError(20, 'Transaction numbers are only allowed on a replica set member or mongos');
  const request: Request = { name, db: message.db ?? String(body.$db ?? 'admin'), body, raw, sequences, connectionId };
  const maxTimeMs = Number(String(body.maxTimeMS ?? 0));
  return { command, request, deadlineMs: maxTimeMs > 0 && name !== 'getMore' ? Date.now() + maxTimeMs : undefined };
}
