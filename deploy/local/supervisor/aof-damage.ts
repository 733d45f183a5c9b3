import { existsSync } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const windowBytes = 1 << 20;
/** How far behind the last whole command is looked for others. */
const lookBytes = 16 << 20;
const command = /\r\n\*\d+\r\n\$\d+\r\n/;
const transactionEnd = '\r\n*1\r\n$4\r\nEXEC\r\n';

/**
 * The append-only file of Redis in which a command has lost its end though others follow it, or undefined. Redis takes such a command for
 * one that a power cut tore, and cuts off all that stands behind it; it is left to do so with what really is torn.
 */
export async function damagedAof(redisFolder: string): Promise<string | undefined> {
  const folder = join(redisFolder, 'appendonlydir');
  const files = existsSync(folder) ? (await readdir(folder)).filter((name) => name.endsWith('.incr.aof')) : [];
  for (const file of files.map((name) => join(folder, name))) if (await isCutWithin(file)) return file;
  return undefined;
}

async function isCutWithin(path: string): Promise<boolean> {
  await using file = await open(path);
  const { size } = await file.stat();
  const end = await wholeUntil(new Lines(file), size);
  const rest = Buffer.alloc(Math.min(size - end, lookBytes));
  await file.read(rest, 0, rest.length, end);
  const text = rest.toString('latin1');
  const isTransaction = text.startsWith('*1\r\n$5\r\nMULTI\r\n');
  return isTransaction ? text.includes(transactionEnd) : command.test(text);
}

/** Where the last command ends that is whole, or the last transaction. */
async function wholeUntil(lines: Lines, size: number): Promise<number> {
  let [end, inTransaction] = [0, false];
  for (let position = 0; position < size; ) {
    const head = lines.at(position) ?? (await lines.read(position));
    position = head.next;
    if (head.text.startsWith('#')) continue; // a note of the time
    let word = '';
    for (let parts = Number(head.text.slice(1)); parts > 0; parts -= 1) {
      const length = lines.at(position) ?? (await lines.read(position));
      if (word === '') word = (lines.at(length.next) ?? (await lines.read(length.next))).text.toUpperCase();
      position = length.next + Number(length.text.slice(1)) + 2;
      if (!(position <= size)) return end; // NaN, too
    }
    if (!(position <= size)) return end;
    if (word === 'MULTI') inTransaction = true;
    if (word === 'EXEC') inTransaction = false;
    if (!inTransaction) end = position;
  }
  return end;
}

interface Line {
  text: string;
  /** Where the next one begins; NaN behind what is none. */
  next: number;
}

const noLine: Line = { text: '', next: Number.NaN };
const longestLine = 64;

/** Short lines of a file, forwards, by windows: between two of them others have their turn. */
class Lines {
  readonly #file: FileHandle;
  readonly #window = Buffer.alloc(windowBytes);
  #from = 0;
  #filled = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** undefined: it may stand beyond the window. */
  at(position: number): Line | undefined {
    const isWithin = position >= this.#from && position + longestLine <= this.#from + this.#filled;
    return isWithin ? this.#lineAt(position) : undefined;
  }

  /** The same from a window that begins there. */
  async read(position: number): Promise<Line> {
    if (Number.isNaN(position)) return noLine;
    this.#from = position;
    this.#filled = (await this.#file.read(this.#window, 0, windowBytes, position)).bytesRead;
    return this.#lineAt(position);
  }

  #lineAt(position: number): Line {
    const start = position - this.#from;
    const end = this.#window.subarray(0, this.#filled).indexOf('\r\n', start);
    if (end < 0 || end - start > longestLine) return noLine;
    return { text: this.#window.toString('latin1', start, end), next: position + end - start + 2 };
  }
}
