import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { Command, type Redis } from 'ioredis';

type Argument = string | number;

/**
 * Scripts that are defined on this connection from now on are asked for by their hash, and sent whole when Redis does not know them. ioredis
 * does the same, but measures each argument natively and wraps the promise twice: 7 us a call, which asks for two.
 */
export function hashScripts(redis: Redis): void {
  redis.defineCommand = (name, { lua, numberOfKeys }) => {
    const hash = createHash('sha1').update(lua).digest('hex');
    const write = writerOf(['evalsha', hash, ...(numberOfKeys === undefined ? [] : [String(numberOfKeys)])]);
    async function ask(...args: Argument[]): Promise<unknown> {
      try {
        return await redis.sendCommand(new WrittenCommand(write(args)));
      } catch (error) {
        if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
        const whole = numberOfKeys === undefined ? args : [numberOfKeys, ...args];
        return await redis.call('eval', lua, ...whole);
      }
    }
    Object.assign(redis, { [name]: ask });
  };
}

const none: [] = [];

/** A command in the form in which it goes out. */
class WrittenCommand extends Command {
  readonly #text: string;

  constructor(text: string) {
    super('evalsha', none, { replyEncoding: 'utf8' });
    this.#text = text;
  }

  override toWritable(): string {
    return this.#text;
  }
}

/**
 * Writes a command that always begins with the same words; with so many arguments it begins with the same text.
 * Source: https://redis.io/docs/latest/develop/reference/protocol-spec/
 */
function writerOf(words: readonly string[]): (args: readonly Argument[]) => string {
  const beginnings: string[] = [];
  const begin = (count: number) => `*${words.length + count}${words.map((word) => `${headOf(word)}${word}`).join('')}`;
  return (args) => {
    beginnings[args.length] ??= begin(args.length);
    let text = beginnings[args.length] as string;
    for (const argument of args) {
      const piece = String(argument);
      text += headOf(piece);
      text += piece;
    }
    return `${text}\r\n`;
  };
}

/** They are made once: a call sends some twenty pieces, nearly all of them short. */
const knownHeads = Array.from({ length: 2048 }, (_, bytes) => `\r\n$${bytes}\r\n`);

/** The end of the piece before, and how long this one is. */
function headOf(piece: string): string {
  const bytes = Buffer.byteLength(piece);
  return knownHeads[bytes] ?? `\r\n$${bytes}\r\n`;
}

/**
 * Lets all commands of one turn of the event loop leave in one packet, as one text, each still with its own promise. ioredis'
 * auto-pipelining does the same, but builds a pipeline for every turn; a corked socket is handed as many pieces as there are
 * commands. Either costs more of a call's CPU time. `sendNow`: what was asked for so far leaves before anything else is done. `atEnd`: a
 * last word before the turn's commands leave.
 */
export function writeInBatches(redis: Redis): { sendNow(): void; atEnd(say: () => void): void } {
  const send = redis.sendCommand.bind(redis);
  let waiting = '';
  let socket: Socket;
  let lastWords: (() => void)[] = [];
  let isEnding = false;
  const write = () => {
    if (waiting === '') return;
    const text = waiting;
    waiting = '';
    socket.write(text); // of one that has broken since, ioredis sends the commands again
  };
  const sendNow = () => {
    const words = lastWords;
    lastWords = [];
    for (const say of words) say();
    write();
  };
  const waitForEnd = () => {
    if (isEnding) return;
    isEnding = true;
    setImmediate(() => {
      try {
        sendNow();
      } finally {
        isEnding = false; // not before: what the last words ask for leaves with them, and wants no turn of its own
        if (lastWords.length > 0) waitForEnd();
      }
    });
  };
  const batch = {
    write(piece: string | Buffer) {
      if (waiting === '') {
        socket = redis.stream;
        waitForEnd();
      }
      if (typeof piece === 'string') {
        waiting += piece;
        return true;
      }
      write();
      return redis.stream.write(piece);
    },
  };
  const batched = batch as unknown as Socket; // ioredis asks nothing else of it
  redis.sendCommand = (command, stream) => {
    if (stream !== undefined) write(); // a pipeline writes to the socket itself: what was asked before it is answered before it
    return send(command, stream ?? (redis.status === 'ready' ? batched : undefined));
  };
  return {
    sendNow,
    atEnd(say) {
      lastWords.push(say);
      waitForEnd();
    },
  };
}
