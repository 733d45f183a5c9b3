import { refusedAudio } from './audio-frames.ts';

/** A place looks like the beginning of another frame by chance once in so many bytes; with the signature of one kind of frame, in so many more. */
const [bytesPerChance, signatures] = [512, 1_024];
/** So many more than by chance, of all packets, are no accident. */
const [fewestPacked, fewestAlike] = [8, 3];

/**
 * Finds packets that hold several frames of AAC, all of which decoders play. A frame does not say how long it is, so places are counted
 * where one seems to end (bits 111, then zeros up to a whole byte) and another to begin as the packet itself does (its first 7 bits); and
 * apart from them those that also continue as the beginning of some packet does. Source: ISO/IEC 14496-3, 4.4.2.1
 */
export class PackedAac {
  #packets = 0;
  #bytes = 0;
  #found = 0;
  readonly #foundBySignature = new Map<number, number>();
  readonly #beginnings = new Set<number>();

  take(packet: Buffer): void {
    if (packet.length < 2) return;
    this.#packets += 1;
    this.#bytes += packet.length;
    const beginning = signatureAt(packet, 0);
    if (beginning !== undefined) this.#beginnings.add(beginning);
    const opening = (packet[0] ?? 0) & 0xfe;
    for (const byte of [opening, opening | 1]) {
      for (let at = packet.indexOf(byte, 1); at > 0; at = packet.indexOf(byte, at + 1)) if (endsBefore(packet, at)) this.#note(packet, at);
    }
  }

  #note(packet: Buffer, at: number): void {
    this.#found += 1;
    const signature = signatureAt(packet, at);
    if (signature !== undefined) this.#foundBySignature.set(signature, (this.#foundBySignature.get(signature) ?? 0) + 1);
  }

  /** Throws: AppError where packets hold several frames. */
  check(): void {
    const byChance = this.#bytes / bytesPerChance;
    const alikeByChance = (byChance * this.#beginnings.size) / signatures;
    let alike = 0;
    for (const signature of this.#beginnings) alike += this.#foundBySignature.get(signature) ?? 0;
    const isPacked =
      alike > 3 * alikeByChance + this.#packets / 5 + fewestAlike || this.#found > 2 * byChance + this.#packets / 5 + fewestPacked;
    if (isPacked) throw refusedAudio('it packs several frames into one packet');
  }
}

/** Whether a frame may end there: behind its last bits, which are 111, only zeros fill up the byte. */
function endsBefore(packet: Buffer, at: number): boolean {
  const bits = ((packet[at - 2] ?? 0) << 8) | (packet[at - 1] ?? 0);
  const zeros = 31 - Math.clz32(bits & -bits);
  return bits !== 0 && zeros < 8 && ((bits >> zeros) & 7) === 7;
}

/**
 * What the frames of one encoder share: the first element, its window and its bandwidth, but not its gain. undefined: no frame of one or two
 * channels begins so. Source: ISO/IEC 14496-3, 4.4.2.1, tables 4.4 to 4.6
 */
function signatureAt(packet: Buffer, at: number): number | undefined {
  if (at + 4 > packet.length) return undefined;
  const word = packet.readUInt32BE(at);
  const bits = (from: number, count: number) => (word >>> (32 - from - count)) & ((1 << count) - 1);
  const element = bits(0, 3);
  if (element > 1) return undefined;
  const isCommon = element === 1 && bits(7, 1) === 1;
  let info = 15;
  if (element === 1) info = isCommon ? 8 : 16;
  if (bits(info, 1) !== 0) return undefined; // reserved
  const isShort = bits(info + 1, 2) === 2;
  const bands = isShort ? bits(info + 4, 4) : bits(info + 4, 6);
  if (!isShort && bands > 51) return undefined;
  return (bits(0, 7) << 11) | (Number(isCommon) << 10) | (bits(info + 1, 3) << 6) | bands;
}
