import { createHash } from 'node:crypto';
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
