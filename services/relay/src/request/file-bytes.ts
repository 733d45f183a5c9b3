import { slices } from '@tollgate/runtime';

/** Bytes of one file, from its own beginning. */
export interface FileBytes {
  head: Buffer;
  length: number;
  slice(from: number, to: number): Promise<Buffer>;
}

const usualBytes = 64 * 1024;

/** A file looked through from front to back: so much of it is held at once that a step rarely waits. */
export class FileWindow {
  readonly #file: FileBytes;
  readonly #windowBytes: number;
  readonly #pause = slices();
  #start = 0;
  #bytes: Buffer;

  /** `windowBytes`: at least as many as are reached for at once. */
  constructor(file: FileBytes, windowBytes = usualBytes) {
    this.#file = file;
    this.#windowBytes = windowBytes;
    this.#bytes = file.head;
  }

  /** Where that ends which is held. */
  get end(): number {
    return this.#start + this.#bytes.length;
  }

  /** Where a byte, or several, stand next within what is held; -1: not there. */
  indexOf(value: number | Buffer, at: number): number {
    const found = this.#bytes.indexOf(value, at - this.#start);
    return found < 0 ? -1 : this.#start + found;
  }

  /** To be waited for, where it is something, before so many bytes from there on are read. */
  reach(at: number, bytes: number): Promise<void> | undefined {
    const end = Math.min(at + bytes, this.#file.length);
    return at >= this.#start && end <= this.#start + this.#bytes.length ? undefined : this.#load(at);
  }

  async #load(at: number): Promise<void> {
    this.#bytes = await this.#file.slice(at, at + this.#windowBytes);
    this.#start = at;
    await this.#pause();
  }

  /** What stands from there on, as far as it was reached: less at the end of the file. */
  from(at: number, bytes: number): Buffer {
    return this.#bytes.subarray(at - this.#start, at - this.#start + bytes);
  }
}
