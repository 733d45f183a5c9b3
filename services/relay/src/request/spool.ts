import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, ConfigError } from '@tollgate/runtime';

/** Files of one request are kept in memory up to so many bytes. */
const mostInMemory = 1 << 20;
const pieceBytes = 64 * 1024;

interface SpoolLimits {
  directory: string;
  /** Bytes on disk, of all requests together. */
  maxBytes: number;
}

/** What a request says to the memory that it takes, and gives back. */
interface MemoryOf {
  take(bytes: number): void;
  letGo(bytes: number): void;
}

/** Where files of requests are put that are too large to be kept in memory. */
export interface Spools {
  open(memory: MemoryOf): Spool;
  /** Bytes on disk now. */
  readonly bytes: number;
}

export function spools({ directory, maxBytes }: SpoolLimits): Spools {
  let bytes = 0;
  const disk = {
    directory,
    add(more: number) {
      if (bytes + more > maxBytes) throw new AppError('service_unavailable', {}, { retryAfterSeconds: 5 });
      bytes += more;
    },
    remove(less: number) {
      bytes -= less;
    },
  };
  return {
    open: (memory) => new Spool(memory, disk),
    get bytes() {
      return bytes;
    },
  };
}

/** Throws a ConfigError where no such file can be made: better said at the start than to the first who sends one. */
export async function checkSpoolFolder(directory: string): Promise<void> {
  try {
    await (await namelessFile(directory)).close();
  } catch (error) {
    throw new ConfigError([`RELAY_SPOOL_DIR: ${directory} cannot be written to (${(error as NodeJS.ErrnoException).code})`]);
  }
}

async function namelessFile(directory: string): Promise<FileHandle> {
  const path = join(directory, `tollgate-${process.pid}-${randomBytes(12).toString('hex')}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

interface Disk {
  directory: string;
  add(bytes: number): void;
  remove(bytes: number): void;
}

/**
 * The files of one request, one after the other: in memory while they are few bytes, else in a file that has lost its name as soon as
 * it was made. So it is gone when it is closed, and when the process is.
 */
export class Spool {
  readonly #memory: MemoryOf;
  readonly #disk: Disk;
  #pieces: Buffer[] = [];
  #file: FileHandle | undefined;
  #isClosed = false;
  length = 0;

  constructor(memory: MemoryOf, disk: Disk) {
    this.#memory = memory;
    this.#disk = disk;
  }

  /** Adds bytes; not to be called again before it has resolved. Throws: AppError `service_unavailable` where there is no room. */
  async write(bytes: Buffer): Promise<void> {
    if (this.#isClosed) return;
    if (this.#file === undefined && this.length + bytes.length <= mostInMemory) {
      this.#memory.take(bytes.length);
      this.#pieces.push(bytes);
      this.length += bytes.length;
      return;
    }
    this.#disk.add(this.#file === undefined ? this.length + bytes.length : bytes.length);
    const at = this.length;
    this.length += bytes.length;
    if (this.#file === undefined) await this.#toDisk(at);
    await this.#file?.write(bytes, 0, bytes.length, at);
  }

  async #toDisk(length: number): Promise<void> {
    const file = await namelessFile(this.#disk.directory);
    if (this.#isClosed) return await file.close();
    this.#file = file;
    const pieces = this.#pieces;
    this.#pieces = [];
    if (pieces.length > 0) await file.writev(pieces, 0);
    this.#memory.letGo(length);
  }

  /** The bytes from one place to another, in pieces. May be read any number of times. */
  async *read(from: number, to: number): AsyncGenerator<Buffer> {
    if (this.#file === undefined) {
      let start = 0;
      for (const piece of this.#pieces) {
        const slice = piece.subarray(Math.max(0, from - start), Math.max(0, to - start));
        start += piece.length;
        if (slice.length > 0) yield slice;
      }
      return;
    }
    for (let at = from; at < to; ) {
      const wanted = Math.min(pieceBytes, to - at);
      const { bytesRead, buffer } = await this.#file.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
      if (bytesRead === 0) throw new Error('a spooled file is shorter than it was');
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** A few bytes at once. */
  async slice(from: number, to: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.read(from, Math.min(to, this.length))) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Nothing can be read any more. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pieces = [];
    if (this.#file === undefined) return;
    this.#disk.remove(this.length);
    this.#file.close().catch(() => undefined); // it has no name: nothing is left of it
  }
}
