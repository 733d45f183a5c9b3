/**
 * Entries of one index that wait to be written. Their keys stand one behind the other in one piece of memory: tens of thousands of small
 * buffers would live too long to be cheap garbage.
 */
export class WaitingKeys {
  #bytes = Buffer.allocUnsafeSlow(4096);
  /** Where each key ends. */
  readonly #ends: number[] = [];
  readonly #rows: number[] = [];

  get length(): number {
    return this.#rows.length;
  }

  add(key: Buffer, r: number): void {
    const from = this.#ends.at(-1) ?? 0;
    const end = from + key.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * end);
      larger.set(this.#bytes.subarray(0, from));
      this.#bytes = larger;
    }
    this.#bytes.set(key, from);
    this.#ends.push(end);
    this.#rows.push(r);
  }

  /** In the order of their keys, then of their rows. The keys are views: they hold until the next one is added. */
  sorted(): { key: Buffer; r: number }[] {
    const [bytes, ends, rows] = [this.#bytes, this.#ends, this.#rows];
    const startOf = (entry: number) => (entry === 0 ? 0 : (ends[entry - 1] as number));
    const shared = this.#sharedPrefix();
    const order = rows.map((_, entry) => entry);
    order.sort((a, b) => {
      const [aEnd, bEnd] = [ends[a] as number, ends[b] as number];
      let [aAt, bAt] = [startOf(a) + shared, startOf(b) + shared];
      for (; aAt < aEnd && bAt < bEnd; aAt++, bAt++) {
        const difference = (bytes[aAt] as number) - (bytes[bAt] as number);
        if (difference !== 0) return difference;
      }
      return aEnd - aAt - (bEnd - bAt) || (rows[a] as number) - (rows[b] as number);
    });
    return order.map((entry) => ({ key: bytes.subarray(startOf(entry), ends[entry]), r: rows[entry] as number }));
  }

  /** How many bytes all keys begin with alike. */
  #sharedPrefix(): number {
    const [bytes, ends] = [this.#bytes, this.#ends];
    let shared = ends[0] ?? 0;
    for (let entry = 1; entry < ends.length && shared > 0; entry++) {
      const from = ends[entry - 1] as number;
      const most = Math.min(shared, (ends[entry] as number) - from);
      let same = 0;
      while (same < most && bytes[same] === bytes[from + same]) same++;
      shared = same;
    }
    return shared;
  }
}
