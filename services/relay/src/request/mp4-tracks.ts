import { aacFrame, alacFrame, type FrameLength, flacRate, mostPacked, opusMs, possible, refusedAudio } from './audio-frames.ts';
import type { FileWindow } from './file-bytes.ts';
import { PackedAac } from './packed-aac.ts';
import { ac3Seconds, amrPacketSeconds, amrWidePacketSeconds, flacSeconds, mpegSeconds } from './packet-frames.ts';

/** Samples that lie in a row, whose bytes say how long they sound. */
export interface Run {
  at: number;
  /** In bytes, of each. */
  sizes: ArrayLike<number>;
}

/** Codecs whose packets say how many seconds they are. */
const packetSecondsOf: Record<string, (packet: Buffer, rate: number) => number> = {
  Opus: (packet) => opusMs(packet[0], packet[1]) / 1000,
  fLaC: flacSeconds,
  '.mp3': mpegSeconds,
  'ac-3': ac3Seconds,
  'ec-3': ac3Seconds,
  samr: amrPacketSeconds,
  sawb: amrWidePacketSeconds,
};

/** No packet of these codecs is longer. */
export const mostPacketBytes = 256 * 1024;
/** Packets lie about in the order of time; so many steps to a place that is not near by are no accident. */
const mostJumps = 20_000;
const nearBytes = 64 * 1024;

/** Takes each packet. Throws: AppError where they are scattered over the file, or too long. */
async function eachPacket(window: FileWindow, runs: Iterable<Run>, take: (packet: Buffer) => void): Promise<void> {
  let jumps = 0;
  let last = 0;
  for (const { at: from, sizes } of runs) {
    let at = from;
    for (let i = 0; i < sizes.length; i += 1) {
      const size = sizes[i] ?? 0;
      if (Math.abs(at - last) > nearBytes && ++jumps > mostJumps) throw refusedAudio('its samples are scattered');
      if (size > mostPacketBytes) throw refusedAudio('a sample of it is too long');
      last = at;
      const turn = window.reach(at, size);
      if (turn !== undefined) await turn;
      if (size > 0) take(window.from(at, size));
      at += size;
    }
  }
}

export function isReadByPackets(codec: string): boolean {
  return codec === 'mp4a' || packetSecondsOf[codec] !== undefined;
}

/** Notes what the packets of a track last. Throws: AppError where that cannot be found. */
export async function takePackets(track: Track, window: FileWindow, runs: Iterable<Run>): Promise<void> {
  const seconds = packetSecondsOf[track.codec];
  const packed = new PackedAac();
  await eachPacket(window, runs, (packet) => {
    if (seconds === undefined) packed.take(packet);
    else track.packetSeconds += seconds(packet, track.rate);
  });
  packed.check();
}

/** Rows of one size each. */
export interface Table {
  from: number;
  to: number;
  rows: number;
  step: number;
}

/** A number of 32 bits in a box; 0 beyond its end. */
export type Word = (at: number) => number;

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
  /** Of one sample of PCM of all channels; 0: another codec. */
  pcmBytes: number;
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
  const places = { tables: { size: 0, isDoubled: false }, runs: [], packetSeconds: 0, pcmBytes: 0 };
  const kind = { isVideo: false, handler: '', codec: '', rate: 0 };
  return { ...counts, ...places, ...kind, frame: undefined, mostBytesPerSecond: mostPacked({ rate: 48_000, channels: 2, isLossy: false }) };
}

/** The longest of what its header says, what the lengths of its samples come to, and what decoders make of them. */
export function trackSeconds({ scale, stated, summed, samples, frame, packetSeconds, pcmBytes, bytes, rate }: Track): number {
  const told = (units: number) => possible(scale > 0 ? units / scale : 0);
  if (pcmBytes > 0) return Math.max(told(stated), told(summed), bytes / (pcmBytes * (rate || scale || 48_000)));
  const decoded = frame === undefined || packetSeconds > 0 ? packetSeconds : (samples * frame.samples) / frame.rate;
  return Math.max(told(stated), told(summed), decoded);
}

const lossy = new Set(['mp4a', 'Opus', '.mp3', 'ac-3', 'ec-3', 'samr', 'sawb']);
const lossless = ['alac', 'fLaC', 'sowt', 'twos', 'lpcm', 'ipcm', 'fpcm', 'in24', 'in32', 'fl32', 'fl64', 'raw ', 'NONE', 'ulaw', 'alaw'];
/** Codecs whose length can be found. */
export const knownCodecs: ReadonlySet<string> = new Set([...lossy, ...lossless]);
/** Bytes of a frame of AAC at the most, for each channel: a longer sample holds several. Source: ISO/IEC 14496-3, 4.5.3.1 */
const mostAacFrame = 768;
/** Shorter packets than of 10 ms are for talking live. */
const opusFrame: FrameLength = { samples: 480, rate: 48_000 };

/** Notes what the first entry of a `stsd` box says. Source: ISO/IEC 14496-12, 12.2.3 */
export function describe({ track, box, size }: { track: Track; box: Buffer; size: number }): void {
  if (box.length < 44) return;
  // Decoders would look for the tables of the track in it.
  if (box.readUInt32BE(8) + 8 > size) throw refusedAudio('a description in it is longer than what holds it');
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
  describePcm(track, box);
  if (codec === 'alac') track.frame = alacFrame(inBox(box, 'alac')) ?? { samples: 4096, rate: rate || 48_000 };
  if (codec === 'fLaC') track.rate = flacRate(inBox(box, 'dfLa').subarray(4)) || rate;
}

/** What stands in a box of a description, behind its version. */
function inBox(description: Buffer, kind: string): Buffer {
  const at = description.indexOf(kind, 44, 'latin1');
  return at < 0 ? Buffer.alloc(0) : description.subarray(at + 8);
}

/** Bits of a sample of one channel. */
const pcmBits: Record<string, number> = { ulaw: 8, alaw: 8, in24: 24, in32: 32, fl32: 32, fl64: 64 };

/**
 * The bytes of PCM are its length, whatever the file says of its time. A number of bits that no decoder knows is taken as the fewest.
 * Sources: QuickTime File Format, Sound Sample Descriptions; ISO/IEC 23003-5 (`pcmC`)
 */
function describePcm(track: Track, box: Buffer): void {
  const { codec } = track;
  const isSecond = box.readUInt16BE(24) === 2 && box.length >= 68;
  let bits = pcmBits[codec];
  if (codec === 'raw ' || codec === 'NONE') bits = box.readUInt16BE(34) === 16 ? 16 : 8;
  else if (codec === 'sowt' || codec === 'twos') bits = knownBits(box.readUInt16BE(34), 16);
  else if (codec === 'lpcm') bits = knownBits(isSecond ? box.readUInt32BE(64) : box.readUInt16BE(34), 8);
  else if (codec === 'ipcm' || codec === 'fpcm') bits = knownBits(inBox(box, 'pcmC')[1] ?? 0, 8);
  if (bits === undefined) return;
  const channels = isSecond ? box.readUInt32BE(56) : box.readUInt16BE(32);
  if (isSecond) track.rate = possible(box.readDoubleBE(48));
  track.pcmBytes = (Math.max(1, channels) * bits) / 8;
}

function knownBits(bits: number, otherwise: number): number {
  return [8, 16, 24, 32, 64].includes(bits) ? bits : otherwise;
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

export function handledBy(track: Track, handler: string): void {
  Object.assign(track, { handler, isVideo: handler === 'vide' });
}

/** Of a header of a movie or a track: in its own units. */
export function lengthIn(word: Word, isLong: boolean): number {
  const length = isLong ? word(24) * 2 ** 32 + word(28) : word(16);
  return length >= (isLong ? 2 ** 63 : 2 ** 32 - 1) ? 0 : length;
}
