import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { BSON } from 'mongodb';
import { errorReply, helloReply, type Message, readMessages, withAnswerTo, withoutTransactionNumber } from './mongo-messages.ts';

/**
 * Two doors to one store that clients take for a replica set of two members: one is the primary, and they change places as the
 * members of a real one do. A write that was retried is done once, by its session and number.
 * Source: https://github.com/mongodb/specifications/blob/master/source/retryable-writes/retryable-writes.md
 */
export interface ReplicaSet {
  uri: string;
  /**
   * There is no primary for so long, then it is the other one. `abruptly`: the lines of the old one break as it is told to write, which it
   * still does; else it says to everybody that it is not the primary.
   */
  stepDown(how: { awayMs: number; abruptly: boolean }): Promise<void>;
  /** How many commands were sent away, since this is not the primary, and how many writes were asked for again after they were done. */
  counts: { sentAway: number; repeated: number };
  stop(): Promise<void>;
}

const setName = 'rs0';
/** What any member answers, and what a cursor that was opened there goes on with. */
const ofAnyMember = new Set(['ping', 'endSessions', 'killCursors', 'getMore', 'buildInfo']);

/** `to`: the port of the store, on 127.0.0.1. */
export async function startReplicaSet({ to, database }: { to: number; database: string }): Promise<ReplicaSet> {
  const doors: Server[] = [];
  const lines: Set<Socket>[] = [new Set(), new Set()];
  const done = new Map<string, Promise<Buffer>>();
  const counts = { sentAway: 0, repeated: 0 };
  let primary: number | undefined = 0;
  let term = 1;
  let onWrite: (() => void) | undefined;
  const addressOf = (door: number): string => `127.0.0.1:${((doors[door] as Server).address() as AddressInfo).port}`;

  const hello = (door: number) => ({
    setName,
    hosts: [addressOf(0), addressOf(1)],
    me: addressOf(door),
    setVersion: 1,
    isWritablePrimary: door === primary,
    ismaster: door === primary,
    secondary: door !== primary,
    ...(primary !== undefined && { primary: addressOf(primary) }),
    ...(door === primary && { electionId: BSON.ObjectId.createFromTime(term) }),
  });

  const answered = async (door: number, engine: Engine, message: Message): Promise<Buffer> => {
    const { name, retryKey } = message;
    if (name === 'hello' || name === 'ismaster' || name === 'isMaster') return helloReply(message, hello(door));
    if (door !== primary && !ofAnyMember.has(name)) {
      counts.sentAway += 1;
      return errorReply(message, { code: 10_107, codeName: 'NotWritablePrimary', errmsg: 'not primary' });
    }
    if (retryKey === undefined) return engine.ask(message.bytes);
    const before = done.get(retryKey);
    if (before !== undefined) counts.repeated += 1;
    const reply = before ?? engine.ask(withoutTransactionNumber(message));
    done.set(retryKey, reply);
    if (before === undefined) onWrite?.();
    return withAnswerTo(message, await reply);
  };

  const open = (door: number) => (line: Socket) => {
    lines[door]?.add(line);
    const engine = openEngine(to);
    let last: Promise<unknown> = Promise.resolve();
    line.on('error', () => undefined);
    line.once('close', () => {
      lines[door]?.delete(line);
      void last.finally(() => engine.end()); // what it was told last is done
    });
    readMessages(line, (message) => {
      last = last
        .then(() => answered(door, engine, message))
        .then((reply) => line.write(reply))
        .catch(() => line.destroy());
    });
  };

  for (const door of [0, 1]) {
    const server = createServer(open(door));
    doors.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  }
  return {
    uri: `mongodb://${addressOf(0)},${addressOf(1)}/${database}?replicaSet=${setName}`,
    counts,
    async stepDown({ awayMs, abruptly }) {
      const old = primary ?? 0;
      if (abruptly)
        await new Promise<void>((written) => {
          onWrite = written;
        });
      onWrite = undefined;
      primary = undefined;
      if (abruptly) for (const line of lines[old] ?? []) line.resetAndDestroy();
      await delay(awayMs);
      term += 1;
      primary = 1 - old;
    },
    async stop() {
      for (const line of lines.flatMap((each) => [...each])) line.destroy();
      await Promise.all(doors.map((server) => new Promise((closed) => server.close(closed))));
    },
  };
}

interface Engine {
  /** Rejects when the store hangs up. */
  ask(message: Buffer): Promise<Buffer>;
  end(): void;
}

function openEngine(port: number): Engine {
  const line = connect({ port, host: '127.0.0.1', noDelay: true });
  let answer = Promise.withResolvers<Buffer>();
  answer.promise.catch(() => undefined);
  line.on('error', () => undefined);
  line.once('close', () => answer.reject(new Error('the store has hung up')));
  readMessages(line, ({ bytes }) => answer.resolve(bytes));
  return {
    ask(message) {
      if (line.destroyed) return Promise.reject(new Error('the store has hung up'));
      answer = Promise.withResolvers();
      line.write(message);
      return answer.promise;
    },
    end: () => void line.end(),
  };
}
