/** A generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A file damaged, or made to lie, in ways that the seed decides: bits, fields, pieces left out, repeated, added; the file twice. */
export function mutated(file: Buffer, seed: number): Buffer {
  const random = randomOf(seed);
  const upTo = (most: number) => Math.floor(random() * most);
  let bytes = Buffer.from(file);
  const place = () => upTo(random() < 0.6 ? Math.min(600, bytes.length) : bytes.length);
  const changes: (() => void)[] = [
    () => {
      for (let times = 1 + upTo(12); times > 0; times -= 1) {
        const at = place();
        bytes[at] = (bytes[at] ?? 0) ^ (1 << upTo(8));
      }
    },
    () => {
      for (let times = 1 + upTo(4); times > 0; times -= 1) bytes[place()] = [0, 1, 0x7f, 0x80, 0xff, upTo(256)][upTo(6)] ?? 0;
    },
    () => {
      const at = place();
      const value = [0, 1, 20, 0xffff, 0x7fffffff, 0xffffffff, bytes.length, upTo(2 ** 32)][upTo(8)] ?? 0;
      if (at + 4 > bytes.length) return;
      if (random() < 0.5) bytes.writeUInt32LE(value, at);
      else bytes.writeUInt32BE(value, at);
    },
    () => {
      const at = place();
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + upTo(random() < 0.5 ? 16 : 2000))]);
    },
    () => {
      const at = place();
      const piece = bytes.subarray(at, at + 1 + upTo(2000));
      const to = place();
      bytes = Buffer.concat([bytes.subarray(0, to), piece, bytes.subarray(to)]);
    },
    () => {
      const at = place();
      const noise = Buffer.from(Array.from({ length: 1 + upTo(64) }, () => upTo(256)));
      bytes = Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at)]);
    },
    () => {
      bytes = Buffer.concat([bytes, file]);
    },
    () => {
      bytes = Buffer.from(bytes.subarray(0, Math.max(64, bytes.length - upTo(bytes.length))));
    },
  ];
  for (let times = 1 + upTo(3); times > 0; times -= 1) changes[upTo(changes.length)]?.();
  return bytes;
}
