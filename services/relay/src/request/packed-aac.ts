import { refusedAudio } from './audio-frames.ts';

/** A place looks like the beginning of another frame by chance once in so many bytes. */
const bytesPerChance = 512;
/** So many more than by chance, of all packets, are no accident. */
const fewestPacked = 8;

/**
 * Finds packets that hold several frames of AAC, all of which decoders play. A frame does not say how long it is, so places are counted
 * where one seems to end (bits 111, then zeros up to a whole byte) and another to begin as the packet itself does (its first 7 bits).
 * Source: ISO/IEC 14496-3, 4.4.2.1
 */
export class PackedAac {
  #packets = 0;
  #bytes = 0;
  #found = 0;

  take(packet: Buffer): void {
    if (packet.length < 2) return;
    this.#packets += 1;
    this.#bytes += packet.length;
    const opening = (packet[0] ?? 0) & 0xfe;
    for (const byte of [opening, opening | 1]) {
      for (let at = packet.indexOf(byte, 1); at > 0; at = packet.indexOf(byte, at + 1)) if (endsBefore(packet, at)) this.#found += 1;
    }
  }

  /** Throws: AppError where packets hold several frames. */
  check(): void {
    const byChance = this.#bytes / bytesPerChance;
    if (this.#found > 1.5 * byChance + this.#packets / 5 + fewestPacked) throw refusedAudio('it packs several frames into one packet');
  }
}

/** Whether a frame may end there: behind its last bits, which are 111, only zeros fill up the byte. */
function endsBefore(packet: Buffer, at: number): boolean {
  const bits = ((packet[at - 2] ?? 0) << 8) | (packet[at - 1] ?? 0);
  const zeros = 31 - Math.clz32(bits & -bits);
  return bits !== 0 && zeros < 8 && ((bits >> zeros) & 7) === 7;
}
