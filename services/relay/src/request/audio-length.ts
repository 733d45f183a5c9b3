import { longestSound } from './audio-frames.ts';
import type { FileBytes } from './file-bytes.ts';
import type { FormFile } from './form-body.ts';
import { mp4Length } from './mp4-length.ts';
import type { Spool } from './spool.ts';
import { webmLength } from './webm-length.ts';

const headBytes = 64 * 1024;
const mostBlocks = 100;

/**
 * How long the sound in a file lasts, in seconds, by what the file says of itself; undefined where it does not say, or is none of
 * these: WAV, FLAC, Ogg (Opus, Vorbis), MP3, MP4, WebM.
 */
export async function soundLength(spool: Spool, { from, to }: FormFile): Promise<number | undefined> {
  const slice = (start: number, end: number) => spool.slice(from + start, Math.min(to, from + end));
  const file = { head: await slice(0, headBytes), length: to - from, slice };
  const seconds = await lengthOf(file);
  return seconds !== undefined && seconds >= 0 && seconds < longestSound ? seconds : undefined;
}

function lengthOf(file: FileBytes): Promise<number | undefined> | number | undefined {
  const { head } = file;
  const word = (at: number) => head.toString('latin1', at, at + 4);
  if (word(0) === 'RIFF' && word(8) === 'WAVE') return wavLength(file);
  if (word(0) === 'fLaC') return flacLength(file);
  if (word(0) === 'OggS') return oggLength(file);
  if (word(4) === 'ftyp') return mp4Length(file);
  if (head.length > 4 && head.readUInt32BE(0) === 0x1a45dfa3) return webmLength(file);
  return mp3Length(file);
}

function wavLength({ head, length }: FileBytes): number | undefined {
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= head.length; ) {
    const kind = head.toString('latin1', at, at + 4);
    const size = head.readUInt32LE(at + 4);
    if (kind === 'fmt ' && at + 24 <= head.length) bytesPerSecond = waveRate(head.subarray(at + 8, at + 24));
    // Who writes while he records leaves the size at its greatest, or at 0: then the sound goes on to the end.
    if (kind === 'data') return bytesPerSecond > 0 ? Math.min(size || length, length - at - 8) / bytesPerSecond : undefined;
    at += 8 + size + (size % 2);
  }
  return undefined;
}

const plainSamples = new Set([1, 3, 0xfffe]);

/** Bytes a second: of plain samples what these come to, whatever else is said. */
function waveRate(format: Buffer): number {
  const [stated, samples, bits] = [format.readUInt32LE(8), format.readUInt32LE(4) * format.readUInt16LE(2), format.readUInt16LE(14)];
  return plainSamples.has(format.readUInt16LE(0)) ? (samples * bits) / 8 : stated;
}

/** Its samples cannot have been packed into more bytes than they are. Source: https://www.rfc-editor.org/rfc/rfc9639#section-8.2 */
async function flacLength(file: FileBytes): Promise<number | undefined> {
  const { head, length } = file;
  if (head.length < 26) return undefined;
  const rate = head.readUIntBE(18, 3) >> 4;
  const samples = (head.readUInt8(21) & 15) * 2 ** 32 + head.readUInt32BE(22);
  if (rate === 0 || samples === 0) return undefined;
  const [channels, bits] = [((head.readUInt8(20) >> 1) & 7) + 1, (((head.readUInt8(20) & 1) << 4) | (head.readUInt8(21) >> 4)) + 1];
  const plainBytes = (samples * channels * bits) / 8;
  return length - (await flacStart(file)) <= plainBytes + headBytes ? samples / rate : undefined;
}

/** Where the sound begins: pictures and words lie before it, block by block. */
async function flacStart({ length, slice }: FileBytes): Promise<number> {
  let at = 4;
  for (let blocks = 0; at + 4 <= length && blocks < mostBlocks; blocks += 1) {
    const block = await slice(at, at + 4);
    at += 4 + block.readUIntBE(1, 3);
    if (block.readUInt8(0) >= 0x80) break;
  }
  return Math.min(at, length);
}

async function oggLength({ head, length, slice }: FileBytes): Promise<number | undefined> {
  const vorbis = head.indexOf('\x01vorbis', 0, 'latin1');
  const opus = head.indexOf('OpusHead', 0, 'latin1');
  const isVorbis = vorbis >= 0 && vorbis + 16 <= head.length;
  if (opus < 0 && !isVorbis) return undefined;
  const rate = opus >= 0 ? 48_000 : head.readUInt32LE(vorbis + 12);
  const tail = await slice(Math.max(0, length - headBytes), length);
  const last = tail.lastIndexOf('OggS', undefined, 'latin1');
  if (last < 0 || last + 14 > tail.length || rate === 0) return undefined;
  const seconds = Number(tail.readBigInt64LE(last + 6)) / rate;
  return seconds > 0 && length <= seconds * mostOggBytesPerSecond + headBytes ? seconds : undefined;
}

/** Opus at its highest bit rate, which is more than Vorbis makes of two channels. */
const mostOggBytesPerSecond = 64_000;

const bitrates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const bitrates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const sampleRates = [44_100, 48_000, 32_000];
/** At the highest bit rate. */
const mostBytesPerSecond = 40_000;
/** MPEG 2 and 2.5 have half and a quarter of the rates. */
const slowness = new Map([
  [2, 2],
  [0, 4],
]);

/** By the first frame: how many frames there are, where it says so, else its bit rate. */
async function mp3Length({ head, length, slice }: FileBytes): Promise<number | undefined> {
  const isTagged = head.toString('latin1', 0, 3) === 'ID3' && head.length >= 10;
  const start = isTagged ? 10 + head.subarray(6, 10).reduce((size, byte) => size * 128 + (byte & 127), 0) : 0;
  const frame = await slice(start, start + 4096);
  for (let at = 0; at + 200 < frame.length; at += 1) {
    const bits = frame.readUInt32BE(at);
    const [version, layer, rateIndex, sampleIndex] = [(bits >>> 19) & 3, (bits >>> 17) & 3, (bits >>> 12) & 15, (bits >>> 10) & 3];
    if (bits >>> 21 !== 0x7ff || version === 1 || layer !== 1 || sampleIndex === 3 || rateIndex === 0 || rateIndex === 15) continue;
    const isFirst = version === 3;
    const sampleRate = (sampleRates[sampleIndex] ?? 44_100) / (slowness.get(version) ?? 1);
    const kbit = (isFirst ? bitrates1 : bitrates2)[rateIndex] ?? 32;
    const samples = isFirst ? 1152 : 576;
    const mark = frame.subarray(at, at + 200);
    const counted = Math.max(mark.indexOf('Xing', 0, 'latin1'), mark.indexOf('Info', 0, 'latin1'));
    const bytes = length - start - at;
    if (counted >= 0 && counted + 12 <= mark.length && (mark.readUInt32BE(counted + 4) & 1) === 1) {
      const seconds = (mark.readUInt32BE(counted + 8) * samples) / sampleRate;
      if (bytes <= seconds * mostBytesPerSecond + frame.length) return seconds;
    }
    return bytes / (kbit * 125);
  }
  return undefined;
}
