import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const maxFileBytes = 10 * 1024 * 1024; // and one older file of the same size
const maxLineBytes = 64 * 1024;
const tailLines = 25;
const quiet = /^\{"level":"(trace|debug|info)",/;
const silentFields = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg', 'service', 'v']);

/** Takes what one process prints: all of it into a file of bounded size, warnings and worse also to the terminal. */
export interface LogSink {
  write(chunk: Buffer): void;
  /** The last lines in readable form, for the explanation of a failed start. */
  tail(): string;
  close(): void;
}

/** `toTerminal` gets one readable line at a time. Text that is no pino line counts as a warning when it came over stderr. */
export function logSink(
  folder: string,
  name: string,
  toTerminal: (line: string) => unknown,
): { stdout: LogSink; stderr: LogSink; close(): void } {
  const file = rotatingFile(join(folder, `${name}.log`));
  const recent: string[] = [];
  const sink = (isProblem: boolean): LogSink => {
    const takeLine = lineTaker((line) => {
      recent.push(line);
      if (recent.length > tailLines) recent.shift();
      if (quiet.test(line)) return; // most lines of a busy relay end here, unparsed
      const entry = readPino(line);
      if (entry || isProblem) toTerminal(readable(entry) ?? line);
    });
    return {
      write(chunk) {
        file.write(chunk);
        takeLine(chunk);
      },
      tail: () => recent.map((line) => readable(readPino(line)) ?? line).join('\n'),
      close: file.close,
    };
  };
  return { stdout: sink(false), stderr: sink(true), close: file.close };
}

interface PinoLine extends Record<string, unknown> {
  level: string;
  msg?: string;
}

function readPino(line: string): PinoLine | undefined {
  if (!line.startsWith('{"level":"')) return undefined;
  try {
    return JSON.parse(line) as PinoLine;
  } catch {
    return undefined; // cut by the length limit
  }
}

function readable(entry: PinoLine | undefined): string | undefined {
  if (!entry) return undefined;
  const { level, msg = '', ...data } = entry;
  const error = data.err as { message?: string; stack?: string } | undefined;
  const fields = Object.entries(data).filter(([key]) => !silentFields.has(key) && key !== 'err');
  const details = fields.map(([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`).join('');
  return `${level.toUpperCase()} ${msg}${error?.message && error.message !== msg ? `: ${error.message}` : ''}${details}`;
}

/** Cuts a stream of chunks into lines. */
function lineTaker(take: (line: string) => void): (chunk: Buffer) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = (lines.pop() ?? '').slice(0, maxLineBytes);
    for (const line of lines) if (line.trim()) take(line);
  };
}

function rotatingFile(path: string): { write(chunk: Buffer): void; close(): void } {
  let descriptor: number | undefined;
  let bytes = 0;
  let isClosed = false;
  const open = () => {
    descriptor = openSync(path, 'a', 0o600);
    bytes = fstatSync(descriptor).size;
  };
  const close = () => {
    const old = descriptor;
    descriptor = undefined; // its number may soon be another file's
    if (old !== undefined) closeSync(old);
  };
  open();
  return {
    write(chunk) {
      if (isClosed) return;
      try {
        if (descriptor === undefined) open();
        if (bytes + chunk.length > maxFileBytes) {
          close();
          renameSync(path, `${path}.1`);
          open();
        }
        bytes += writeSync(descriptor as number, chunk);
      } catch {
        // A full disk must stop the stores, which say so, and never the process that minds them.
      }
    },
    close() {
      isClosed = true;
      close();
    },
  };
}
