const nothing = Buffer.alloc(0);
/** A block grows to this length; longer contents are kept in several. */
const mostInBlock = 256 * 1024;
/** Shorter buffers may share their memory with others. */
const leastOwned = 64 * 1024;

/**
 * The pieces of what has not ended, as one. They are copied into blocks, so that a body which comes byte by byte costs its bytes and no more
 * than one block besides; long blocks are freed at once, since the garbage collector may let hundreds of megabytes of them wait.
 */
export class HeldBytes {
  #blocks: Buffer[] = [];
  /** Used of the last block. */
  #used = 0;
  #room = 0;
  length = 0;

  /** What it keeps in memory. */
  get keptBytes(): number {
    return this.#room;
  }

  add(piece: Buffer): void {
    for (let at = 0; at < piece.length; ) {
      const block = this.#blockWithRoom(piece.length - at);
      const copied = piece.copy(block, this.#used, at);
      at += copied;
      this.#used += copied;
      this.length += copied;
    }
  }

  /** What is held, for whoever keeps it; nothing is held any more. */
  take(): Buffer {
    const [first = nothing] = this.#blocks;
    if (this.#blocks.length < 2) {
      const bytes = first.subarray(0, this.length);
      this.#blocks = [];
      this.#forget();
      return bytes;
    }
    const bytes = Buffer.concat(this.#blocks, this.length);
    this.drop();
    return bytes;
  }

  /** Frees what is held. */
  drop(): void {
    for (const { buffer, byteLength } of this.#blocks) {
      if (byteLength >= leastOwned && buffer instanceof ArrayBuffer) buffer.transfer(0);
    }
    this.#blocks = [];
    this.#forget();
  }

  #forget(): void {
    this.#used = 0;
    this.#room = 0;
    this.length = 0;
  }

  /** A block that is not full. A first one is doubled until it is long, so that short contents stay in one. */
  #blockWithRoom(wanted: number): Buffer {
    const last = this.#blocks.at(-1);
    if (last !== undefined && this.#used < last.length) return last;
    const isShort = last === undefined || (this.#blocks.length === 1 && last.length * 2 <= mostInBlock);
    const block = Buffer.allocUnsafe(Math.min(mostInBlock, Math.max(this.length + wanted, this.length * 2)));
    if (isShort && last !== undefined) {
      last.copy(block, 0, 0, this.#used);
      this.#blocks[0] = block;
      this.#room = block.length;
      return block;
    }
    this.#blocks.push(block);
    this.#room += block.length;
    this.#used = 0;
    return block;
  }
}
