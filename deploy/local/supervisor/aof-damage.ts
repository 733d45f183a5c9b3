import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
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
export function damagedAof(redisFolder: string): string | undefined {
  const folder = join(redisFolder, 'appendonlydir');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.incr.aof')) : [];
  return files.map((name) => join(folder, name)).find(isCutWithin);
}

function isCutWithin(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const end = wholeUntil(readerOf(descriptor), size);
    const rest = Buffer.alloc(Math.min(size - end, lookBytes));
    readSync(descriptor, rest, 0, rest.length, end);
    const text = rest.toString('latin1');
    const isTransaction = text.startsWith('*1\r\n$5\r\nMULTI\r\n');
    return isTransaction ? text.includes(transactionEnd) : command.test(text);
  } finally {
    closeSync(descriptor);
  }
}

/** Where the last command ends that is whole, or the last transaction. */
function wholeUntil(lineAt: (position: number) => { text: string; next: number }, size: number): number {
  let [end, inTransaction] = [0, false];
  for (let position = 0; position < size; ) {
    const head = lineAt(position);
    position = head.next;
    if (head.text.startsWith('#')) continue; // a note of the time
    let word = '';
    for (let parts = Number(head.text.slice(1)); parts > 0; parts -= 1) {
      const length = lineAt(position);
      if (word === '') word = lineAt(length.next).text.toUpperCase();
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

/** Reads short lines of a file, forwards. */
function readerOf(descriptor: number): (position: number) => { text: string; next: number } {
  const window = Buffer.alloc(windowBytes);
  let [from, filled] = [0, 0];
  return (position) => {
    if (position < from || position + 64 > from + filled) {
      from = position;
      filled = readSync(descriptor, window, 0, windowBytes, position);
    }
    const start = position - from;
    const end = window.subarray(0, filled).indexOf('\r\n', start);
    if (end < 0 || end - start > 64) return { text: '', next: Number.NaN };
    return { text: window.toString('latin1', start, end), next: position + end - start + 2 };
  };
}
