/** Which of the modes of a Vorbis stream have long blocks. */
export interface VorbisModes {
  isLong: readonly boolean[];
  /** How many bits of a packet name its mode. */
  bits: number;
}

const modeBits = 41;

/**
 * The modes stand at the end of the setup header, behind codebooks that are laborious to read, so they are read from the end: a mode is
 * a flag, two fields of 16 bits that must be 0, and a mapping; before the first one stands how many there are, in 6 bits.
 * Source: https://xiph.org/vorbis/doc/Vorbis_I_spec.html#x1-650004.2.4
 */
export function vorbisModes(setup: Buffer): VorbisModes | undefined {
  let end = setup.length * 8 - 1;
  const bit = (at: number) => ((setup[at >> 3] ?? 0) >> (at & 7)) & 1;
  const number = (at: number, count: number) => {
    let value = 0;
    for (let i = 0; i < count; i += 1) value += bit(at + i) << i;
    return value;
  };
  while (end > 0 && bit(end) === 0) end -= 1; // the framing bit
  let found: number | undefined;
  for (let count = 1; count <= 64; count += 1) {
    const at = end - count * modeBits;
    if (at < 6 || number(at + 1, 16) !== 0 || number(at + 17, 16) !== 0 || number(at + 33, 8) > 63) break;
    if (number(at - 6, 6) + 1 === count) found = count;
  }
  if (found === undefined) return undefined;
  const first = end - found * modeBits;
  const isLong = Array.from({ length: found }, (_, mode) => bit(first + mode * modeBits) === 1);
  return { isLong, bits: found === 1 ? 0 : 32 - Math.clz32(found - 1) };
}

/** What a packet of audio makes of samples, by its first byte and the block before it; without modes, as if all blocks were long. */
export function vorbisSamples(
  first: number,
  { modes, sizes: [short, long], before }: { modes: VorbisModes | undefined; sizes: readonly [number, number]; before: number },
): { samples: number; size: number } {
  const mode = modes === undefined ? 0 : (first >> 1) & ((1 << modes.bits) - 1);
  const size = (modes?.isLong[mode] ?? true) ? long : short;
  return { samples: before === 0 ? 0 : (before + size) / 4, size };
}
