const nothing = Buffer.alloc(0);

/** The pieces of what has not ended, as one: with room to grow, so that a body which comes byte by byte costs its bytes and no more. */
export class HeldBytes {
  #room: Buffer = nothing;
  length = 0;

  /** What it keeps in memory. */
  get keptBytes(): number {
    return this.#room.length;
  }

  add(piece: Buffer): void {
    const length = this.length + piece.length;
    if (length > this.#room.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, this.#room.length * 2));
      this.#room.copy(grown, 0, 0, this.length);
      this.#room = grown;
    }
    piece.copy(this.#room, this.length);
    this.length = length;
  }

  /** What is held, for who keeps it; nothing is held any more. */
  take(): Buffer {
    const bytes = this.#room.subarray(0, this.length);
    this.#room = nothing;
    this.length = 0;
    return bytes;
  }
}
