import { aacFrame, type FrameLength, mostPacked, opusMs, possible, refusedAudio } from './audio-frames.ts';
import type { FileWindow } from './file-bytes.ts';
import { flacFrame } from './flac-length.ts';
import { mpegFrame } from './framed-length.ts';

/** Samples that lie in a row, whose bytes say how long they sound. */
export interface Run {
  at: number;
  /** In bytes, of each. */
  sizes: ArrayLike<number>;
}

/** How many seconds a packet of so many bytes sounds, by the first of them. */
type PacketSeconds = (head: Buffer, track: { rate: number; size: number }) => number;

/** Codecs whose packets say how long they are. */
export const packetSecondsOf: Record<string, PacketSeconds> = {
  Opus: (head) => opusMs(head[0], head[1]) / 1000,
  fLaC(head, { rate }) {
    const frame = flacFrame(head);
    return frame === undefined ? 0 : frame.samples / (frame.rate || rate || 48_000);
  },
  '.mp3'(head, { size }) {
    const frame = mpegFrame(head);
    return frame === undefined ? 0 : frame.seconds * Math.max(1, Math.ceil(size / frame.bytes));
  },
};

const headBytes = 16;
/** Packets lie about in the order of time; so many steps to a place that is not near by are no accident. */
const mostJumps = 20_000;
const nearBytes = 64 * 1024;

/** The sum of what the packets last. Throws: AppError where they are scattered over the file. */
export async function packetsSeconds(
  window: FileWindow,
  runs: Iterable<Run>,
  { seconds, rate }: { seconds: PacketSeconds; rate: number },
): Promise<number> {
  let sum = 0;
  let jumps = 0;
  let last = 0;
  for (const { at: from, sizes } of runs) {
    let at = from;
    for (let i = 0; i < sizes.length; i += 1) {
      const size = sizes[i] ?? 0;
      if (Math.abs(at - last) > nearBytes && ++jumps > mostJumps) throw refusedAudio('its samples are scattered');
      last = at;
      const turn = window.reach(at, headBytes);
      if (turn !== undefined) await turn;
      if (size > 0) sum += seconds(window.from(at, Math.min(size, headBytes)), { rate, size });
      at += size;
    }
  }
  return sum;
}

/** Rows of one size each. */
export interface Table {
  from: number;
  to: number;
  rows: number;
  step: number;
}

/** One track, as far as boxes have told of it. */
export interface Track {
  id: number;
  /** Pictures are none of what is heard. */
  isVideo: boolean;
  /** Units a second. */
  scale: number;
  /** In units: by its header, and by the lengths of its samples. */
  stated: number;
  summed: number;
  samples: number;
  bytes: number;
  /** What a decoder makes of a sample, where that is known. */
  frame: FrameLength | undefined;
  mostBytesPerSecond: number;
  /** What handles it: `soun` is heard. */
  handler: string;
  codec: string;
  rate: number;
  /** Where its samples lie; `size`: of each, 0: as `sizes` say. Several tables of one kind: `isDoubled`. */
  tables: { size: number; sizes?: Table; chunks?: Table; perChunk?: Table; isDoubled: boolean };
  /** Its samples in fragments. */
  runs: Run[];
  /** What its packets say that they last; 0: they do not. */
  packetSeconds: number;
}

export function newTrack(): Track {
  const counts = { id: 0, scale: 0, stated: 0, summed: 0, samples: 0, bytes: 0 };
  const places = { tables: { size: 0, isDoubled: false }, runs: [], packetSeconds: 0 };
  const kind = { isVideo: false, handler: '', codec: '', rate: 0 };
  return { ...counts, ...places, ...kind, frame: undefined, mostBytesPerSecond: mostPacked({ rate: 48_000, channels: 2, isLossy: false }) };
}

/** The longest of what its header says, what the lengths of its samples come to, and what decoders make of them. */
export function trackSeconds({ scale, stated, summed, samples, frame, packetSeconds }: Track): number {
  const told = (units: number) => possible(scale > 0 ? units / scale : 0);
  const decoded = frame === undefined || packetSeconds > 0 ? packetSeconds : (samples * frame.samples) / frame.rate;
  return Math.max(told(stated), told(summed), decoded);
}

const lossy = new Set(['mp4a', 'Opus', '.mp3', 'ac-3', 'ec-3', 'samr', 'sawb']);
const lossless = ['alac', 'fLaC', 'sowt', 'twos', 'lpcm', 'ipcm', 'fpcm', 'in24', 'in32', 'fl32', 'fl64', 'raw ', 'NONE', 'ulaw', 'alaw'];
/** Codecs whose length can be found. */
export const knownCodecs: ReadonlySet<string> = new Set([...lossy, ...lossless]);
const frameSamples: Record<string, number> = { 'ac-3': 1536, 'ec-3': 1536, alac: 4096 };
/** Bytes of a frame of AAC at the most, for each channel: a longer sample holds several. Source: ISO/IEC 14496-3, 4.5.3.1 */
const mostAacFrame = 768;
/** Shorter packets than of 10 ms are for talking live. */
const opusFrame: FrameLength = { samples: 480, rate: 48_000 };

/** Notes what the first entry of a `stsd` box says. Source: ISO/IEC 14496-12, 12.2.3 */
export function describe(track: Track, box: Buffer): void {
  if (box.length < 44) return;
  const codec = box.toString('latin1', 12, 16);
  const rate = box.readUInt16BE(40);
  Object.assign(track, { codec, rate });
  track.mostBytesPerSecond = mostPacked({ rate, channels: box.readUInt16BE(32), isLossy: lossy.has(codec) });
  if (codec === 'Opus') track.frame = opusFrame;
  if (codec === 'mp4a') {
    Object.assign(track, mp4aFrame(box, rate || 48_000));
    const { channels = 0, rate: decoded = 0, samples = 0 } = track.frame ?? {};
    if (channels > 0) track.mostBytesPerSecond = (mostAacFrame * channels * decoded) / samples;
  }
  const samples = frameSamples[codec];
  if (samples !== undefined) track.frame = { samples, rate: rate || 48_000 };
}

/** Object types of MPEG-4 and MPEG-2 AAC, and of MP3. Source: https://mp4ra.org/registered-types/object-types */
const advancedAudio = new Set([0x40, 0x66, 0x67, 0x68]);
const mpegAudio = new Set([0x69, 0x6b]);

/**
 * By the `esds` box, which may name another codec. Sound that does not say how it is AAC is taken for plain AAC.
 * Source: ISO/IEC 14496-1, 7.2.6
 */
function mp4aFrame(box: Buffer, rate: number): Pick<Track, 'codec' | 'frame'> {
  const plain = { codec: 'mp4a', frame: { samples: 1024, rate } };
  const at = box.indexOf('esds', 44, 'latin1');
  if (at < 0) return plain;
  const left = box.subarray(at + 8);
  const elementary = descriptor(left, 0, 3);
  const flags = left[elementary + 2] ?? 0;
  const skipped = (flags & 0x80 ? 2 : 0) + (flags & 0x40 ? 1 + (left[elementary + 3] ?? 0) : 0) + (flags & 0x20 ? 2 : 0);
  const decoder = descriptor(left, elementary + 3 + skipped, 4);
  if (Number.isNaN(decoder)) return plain;
  const kind = left[decoder] ?? 0;
  if (mpegAudio.has(kind)) return { codec: '.mp3', frame: undefined };
  if (!advancedAudio.has(kind)) return { codec: `mp4a.${kind.toString(16)}`, frame: undefined };
  const config = descriptor(left, decoder + 13, 5);
  const frame = Number.isNaN(config) ? undefined : aacFrame(left.subarray(config, config + 8));
  return frame === undefined ? plain : { codec: 'mp4a', frame };
}

/** Where the body of the descriptor that stands there begins; NaN where it is another. */
function descriptor(bytes: Buffer, at: number, tag: number): number {
  if (bytes[at] !== tag) return Number.NaN;
  let body = at + 1;
  for (let digits = 0; digits < 3 && (bytes[body] ?? 0) >= 0x80; digits += 1) body += 1;
  return body + 1;
}
