import type { AudioBounds } from './audio-frames.ts';
import type { FileWindow } from './file-bytes.ts';
import { PackedAac } from './packed-aac.ts';

/** One frame of a stream of frames. */
export interface Frame {
  bytes: number;
  samples: number;
  seconds: number;
  /** The bytes that all frames of this stream begin with. */
  mark?: Buffer;
  /** Where the one block of AAC that it claims to hold begins. */
  body?: number;
}

type FrameAt = (bytes: Buffer) => Frame | undefined;

const headBytes = 16;
const infoBytes = 64;
/** No two frames are longer, the header behind them included. */
const mostFrameBytes = 16_600;

/**
 * The frames of a stream that begins each of them with 0xff and a header. Decoders find the next frame by its header wherever it is, so a
 * frame that no other follows still counts, and the search goes on right behind its header.
 */
export async function framesLength(
  window: FileWindow,
  { from, to }: { from: number; to: number },
  frameAt: FrameAt,
): Promise<{ bounds: AudioBounds; longestRun: number; first: number }> {
  const packed = new PackedAac();
  let [decoded, run, longestRun, first] = [0, 0, 0, -1];
  for (let at = from; at + 4 <= to; ) {
    const turn = window.reach(at, mostFrameBytes);
    if (turn !== undefined) await turn;
    const bytes = window.from(at, infoBytes);
    const frame = bytes[0] === 0xff ? frameAt(bytes) : undefined;
    if (frame === undefined) {
      const next = window.indexOf(0xff, at + 1);
      at = next < 0 ? window.end : next;
      continue;
    }
    if (first < 0) {
      first = at;
      const padded = paddedSamples(window.from(at, frame.bytes));
      if (padded !== undefined) decoded -= frame.seconds * (1 + padded / frame.samples);
    }
    decoded += frame.seconds;
    const next = frame.mark === undefined ? at + frame.bytes : nextWithin(window, { at, frame, to });
    if (frame.body !== undefined) packed.take(window.from(at + frame.body, next - at - frame.body));
    const isFollowed = next + 4 > to || frameAt(window.from(next, headBytes)) !== undefined;
    run = isFollowed ? run + 1 : 0;
    longestRun = Math.max(longestRun, run);
    at = isFollowed ? next : at + 1;
  }
  packed.check();
  return { bounds: { declared: 0, decoded: Math.max(0, decoded), least: 0 }, longestRun, first };
}

/**
 * Where the frame behind an AAC frame begins. Decoders go on within a frame that claims to be longer than it is, so the first header in it
 * counts that another one like it follows.
 */
function nextWithin(window: FileWindow, { at, frame, to }: { at: number; frame: Frame; to: number }): number {
  const end = Math.min(at + frame.bytes, to);
  for (let inner = window.indexOf(0xff, at + adtsHeadBytes); inner >= 0 && inner < end; inner = window.indexOf(0xff, inner + 1)) {
    const found = adtsFrame(window.from(inner, headBytes));
    if (found?.mark === undefined) continue;
    const behind = inner + found.bytes;
    if (behind + found.mark.length <= to && window.from(behind, found.mark.length).equals(found.mark)) return inner;
  }
  return at + frame.bytes;
}

/**
 * The first frame of an MP3 may hold no audio but facts about the rest: among them the samples that encoders pad, which decoders leave
 * out. undefined: it is no such frame. Source: http://gabriel.mp3-tech.org/mp3infotag.html
 */
function paddedSamples(frame: Buffer): number | undefined {
  const head = frame.toString('latin1', 0, infoBytes);
  const at = Math.max(head.indexOf('Xing'), head.indexOf('Info'));
  if (at < 0) return head.includes('VBRI') ? 0 : undefined;
  if (at + 144 > frame.length || !/^L(?:AME|av[cf])/.test(frame.toString('latin1', at + 120, at + 124))) return 0;
  const padding = frame.readUIntBE(at + 141, 3);
  return (padding >> 12) + (padding & 0xfff);
}

/** kbit/s by version (MPEG 1, or 2 and 2.5) and layer. Source: ISO/IEC 11172-3, 2.4.2.3 and 13818-3, 2.4.2.3 */
const bitrates = [
  [
    [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  ],
  [
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ],
];
const mpegRates = [44_100, 48_000, 32_000];

/** A frame of MPEG 1, 2 or 2.5 audio of any layer; of a free bit rate there is no length. */
export function mpegFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < 4) return undefined;
  const bits = bytes.readUInt32BE(0);
  const [version, layerBits, rateIndex, sampleIndex] = [(bits >>> 19) & 3, (bits >>> 17) & 3, (bits >>> 12) & 15, (bits >>> 10) & 3];
  if (bits >>> 21 !== 0x7ff || version === 1 || layerBits === 0 || sampleIndex === 3) return undefined;
  const layer = 4 - layerBits;
  const isFirst = version === 3;
  const kbit = bitrates[isFirst ? 0 : 1]?.[layer - 1]?.[rateIndex] ?? 0;
  if (kbit === 0) return undefined;
  const slowness = [4, 0, 2, 1][version] ?? 1;
  const rate = (mpegRates[sampleIndex] ?? 44_100) / slowness;
  const padding = (bits >>> 9) & 1;
  let samples = 1152;
  if (layer === 1) samples = 384;
  else if (layer === 3 && !isFirst) samples = 576;
  const size = layer === 1 ? (Math.floor((12_000 * kbit) / rate) + padding) * 4 : Math.floor((samples * 125 * kbit) / rate) + padding;
  return { bytes: size, samples, seconds: samples / rate };
}

const adtsHeadBytes = 7;
const aacRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];

/** A frame of AAC as ADTS. Source: ISO/IEC 13818-7, 6.2 */
export function adtsFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < 7) return undefined;
  const [, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0] = bytes;
  const rate = aacRates[(third >> 2) & 15];
  const size = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5);
  if (bytes[0] !== 0xff || (second & 0xf6) !== 0xf0 || rate === undefined || size < 7) return undefined;
  const blocks = (seventh & 3) + 1;
  const body = (second & 1) === 1 ? adtsHeadBytes : adtsHeadBytes + 2;
  const samples = 1024 * blocks;
  return { bytes: size, samples, seconds: samples / rate, mark: bytes.subarray(0, 3), ...(blocks === 1 && { body }) };
}

/** Bytes of a frame of 20 ms by its mode. Source: https://www.rfc-editor.org/rfc/rfc4867#section-5.3 */
export const amrBytes = [13, 14, 16, 18, 20, 21, 27, 32, 6, 1, 1, 1, 1, 1, 1, 1];
export const amrWideBytes = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 1, 1, 1, 1, 1, 1];

export async function amrLength(window: FileWindow, length: number, { isWide }: { isWide: boolean }): Promise<AudioBounds> {
  const sizes = isWide ? amrWideBytes : amrBytes;
  let frames = 0;
  for (let at = isWide ? 9 : 6; at < length; frames += 1) {
    const turn = window.reach(at, 1);
    if (turn !== undefined) await turn;
    at += sizes[((window.from(at, 1)[0] ?? 0) >> 3) & 15] ?? 1;
  }
  return { declared: 0, decoded: frames / 50, least: 0 };
}
