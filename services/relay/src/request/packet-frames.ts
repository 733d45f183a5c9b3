import { flacFrame } from './flac-length.ts';
import { amrBytes, amrWideBytes, mpegFrame } from './framed-length.ts';

const headBytes = 16;

/** How many seconds a packet sounds. A container should hold one frame a packet, but decoders play all frames of it. */
type PacketSeconds = (packet: Buffer, rate: number) => number;

interface FoundFrame {
  bytes: number;
  seconds: number;
}

/** The sum of the frames that lie behind each other, or behind what is none, each of which begins with the same byte. */
function walked(packet: Buffer, sync: number, frameAt: (head: Buffer) => FoundFrame | undefined): number {
  let seconds = 0;
  for (let at = packet.indexOf(sync); at >= 0; ) {
    const frame = frameAt(packet.subarray(at, at + headBytes));
    seconds += frame?.seconds ?? 0;
    at = packet.indexOf(sync, at + (frame?.bytes ?? 1));
  }
  return seconds;
}

export const mpegSeconds: PacketSeconds = (packet) => walked(packet, 0xff, mpegFrame);

export const flacSeconds: PacketSeconds = (packet, rate) =>
  walked(packet, 0xff, (head) => {
    const frame = flacFrame(head);
    return frame && { bytes: 1, seconds: frame.samples / (frame.rate || rate || 48_000) };
  });

export const ac3Seconds: PacketSeconds = (packet) => walked(packet, 0x0b, ac3Frame);

const amrSeconds = (sizes: readonly number[]) => (packet: Buffer) => {
  let frames = 0;
  for (let at = 0; at < packet.length; frames += 1) at += sizes[((packet[at] ?? 0) >> 3) & 15] ?? 1;
  return frames / 50;
};
export const amrPacketSeconds: PacketSeconds = amrSeconds(amrBytes);
export const amrWidePacketSeconds: PacketSeconds = amrSeconds(amrWideBytes);

const ac3Rates = [48_000, 44_100, 32_000];
const ac3Kbit = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];
const ac3Blocks = [1, 2, 3, 6];

/** Of AC-3 and E-AC-3; what accompanies another stream lasts no time of its own. Source: ETSI TS 102 366, 4.3 and E.1.2 */
function ac3Frame(head: Buffer): FoundFrame | undefined {
  const [first, second, third = 0, fourth = 0, fifth = 0, sixth = 0] = head;
  if (head.length < 6 || first !== 0x0b || second !== 0x77) return undefined;
  const version = sixth >> 3;
  const rate = ac3Rates[fifth >> 6];
  if (version <= 10) {
    const kbit = ac3Kbit[(fifth & 63) >> 1];
    if (rate === undefined || kbit === undefined) return undefined;
    const words = Math.floor((kbit * 96_000) / rate) + (rate === 44_100 ? fifth & 1 : 0);
    return { bytes: 2 * words, seconds: (1536 / rate) * 2 ** Math.max(0, version - 8) };
  }
  const isOwn = third >> 6 !== 1 && ((third >> 3) & 7) === 0;
  const bytes = 2 * ((((third & 7) << 8) | fourth) + 1);
  const blocks = rate === undefined ? 6 : (ac3Blocks[(fifth >> 4) & 3] ?? 6);
  const heard = rate ?? (ac3Rates[(fifth >> 4) & 3] ?? 48_000) / 2;
  return { bytes, seconds: isOwn ? (256 * blocks) / heard : 0 };
}
