import { aacFrame, type FrameLength, mostPacked, possible } from './audio-frames.ts';

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
}

export function newTrack(): Track {
  const counts = { id: 0, scale: 0, stated: 0, summed: 0, samples: 0, bytes: 0 };
  return { ...counts, isVideo: false, frame: undefined, mostBytesPerSecond: mostPacked({ rate: 48_000, channels: 2, isLossy: false }) };
}

/** The longest of what its header says, what the lengths of its samples come to, and what decoders make of them. */
export function trackSeconds({ scale, stated, summed, samples, frame }: Track): number {
  const told = (units: number) => possible(scale > 0 ? units / scale : 0);
  return Math.max(told(stated), told(summed), frame === undefined ? 0 : (samples * frame.samples) / frame.rate);
}

const lossy = new Set(['mp4a', 'Opus', '.mp3', 'ac-3']);
/** Shorter packets than of 10 ms are for talking live. */
const opusFrame: FrameLength = { samples: 480, rate: 48_000 };

/** Notes what the first entry of a `stsd` box says. Source: ISO/IEC 14496-12, 12.2.3 */
export function describe(track: Track, box: Buffer): void {
  if (box.length < 44) return;
  const codec = box.toString('latin1', 12, 16);
  const rate = box.readUInt16BE(40);
  track.mostBytesPerSecond = mostPacked({ rate, channels: box.readUInt16BE(32), isLossy: lossy.has(codec) });
  if (codec === 'Opus') track.frame = opusFrame;
  if (codec === 'mp4a') track.frame = mp4aFrame(box, rate || 48_000);
}

/**
 * By the `esds` box; undefined where that names another codec. Sound that does not say how it is AAC is taken for plain AAC.
 * Source: ISO/IEC 14496-1, 7.2.6
 */
function mp4aFrame(box: Buffer, rate: number): FrameLength | undefined {
  const plain = { samples: 1024, rate };
  const at = box.indexOf('esds', 44, 'latin1');
  if (at < 0) return plain;
  const left = box.subarray(at + 8);
  const elementary = descriptor(left, 0, 3);
  const flags = left[elementary + 2] ?? 0;
  const skipped = (flags & 0x80 ? 2 : 0) + (flags & 0x40 ? 1 + (left[elementary + 3] ?? 0) : 0) + (flags & 0x20 ? 2 : 0);
  const decoder = descriptor(left, elementary + 3 + skipped, 4);
  if (Number.isNaN(decoder)) return plain;
  if (left[decoder] !== 0x40) return undefined;
  const config = descriptor(left, decoder + 13, 5);
  return Number.isNaN(config) ? plain : (aacFrame(left.subarray(config, config + 8)) ?? plain);
}

/** Where the body of the descriptor that stands there begins; NaN where it is another. */
function descriptor(bytes: Buffer, at: number, tag: number): number {
  if (bytes[at] !== tag) return Number.NaN;
  let body = at + 1;
  for (let digits = 0; digits < 3 && (bytes[body] ?? 0) >= 0x80; digits += 1) body += 1;
  return body + 1;
}
