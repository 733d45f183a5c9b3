import { type AudioBounds, refusedAudio } from './audio-frames.ts';
import { type FileBytes, FileWindow } from './file-bytes.ts';
import { framesLength, mpegFrame } from './framed-length.ts';

const mostChunks = 10_000;
/** A size that a recorder leaves in place until it knows how much it has recorded. */
const unknownSize = 0xffff_f000;

interface WaveFormat {
  tag: number;
  channels: number;
  rate: number;
  blockBytes: number;
  bits: number;
}

/**
 * All `data` chunks count, with what lies behind the last chunk that can be followed: decoders play either. The bytes of a second are
 * computed from the codec, never taken from the header. Throws: AppError where two `fmt ` chunks differ, or the codec is unknown.
 * Source: https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html
 */
export async function wavLength(file: FileBytes): Promise<AudioBounds | undefined> {
  const window = new FileWindow(file);
  let format: WaveFormat | undefined;
  let formatBytes: Buffer | undefined;
  const data: { from: number; to: number }[] = [];
  let at = 12;
  for (let chunks = 0; at + 8 <= file.length; chunks += 1) {
    await window.reach(at, 64);
    const head = window.from(at, 64);
    const kind = head.toString('latin1', 0, 4);
    const size = head.readUInt32LE(4);
    const from = at + 8;
    const isWhole = /^[ -~]{4}$/.test(kind) && chunks < mostChunks && from + size <= file.length;
    if (kind === 'fmt ' && head.length >= 24) {
      const bytes = head.subarray(8, 8 + Math.min(size, 40));
      if (formatBytes !== undefined && !formatBytes.equals(bytes)) throw refusedAudio('it describes its format twice, differently');
      formatBytes = Buffer.from(bytes);
      format = formatIn(head.subarray(8));
    }
    const isOpen = kind === 'data' && (size === 0 || size >= unknownSize);
    if (!isWhole || isOpen) {
      data.push({ from: kind === 'data' ? from : at, to: file.length });
      break;
    }
    if (kind === 'data') data.push({ from, to: from + size });
    at = from + size + (size % 2);
  }
  const bytes = data.reduce((sum, { from, to }) => sum + to - from, 0);
  if (format === undefined || bytes <= 0) return undefined;
  if (format.tag === mp3Tag) return (await framesLength(window, { from: data[0]?.from ?? 0, to: file.length }, mpegFrame)).bounds;
  const seconds = secondsOf(format, bytes);
  return { declared: 0, decoded: seconds, least: 0 };
}

const mp3Tag = 0x55;

function formatIn(bytes: Buffer): WaveFormat {
  const stated = bytes.readUInt16LE(0);
  const isExtensible = stated === 0xfffe && bytes.length >= 26;
  return {
    tag: isExtensible ? bytes.readUInt16LE(24) : stated,
    channels: bytes.readUInt16LE(2),
    rate: bytes.readUInt32LE(4),
    blockBytes: bytes.readUInt16LE(12),
    bits: sampleBits(bytes.readUInt16LE(14), isExtensible ? bytes.readUInt16LE(18) : 0),
  };
}

/** Of a sample: as stated, or as it is stated how many of them are used, by which FFmpeg reads. The fewer bits, the longer the audio. */
function sampleBits(stated: number, used: number): number {
  return Math.min(stated, used || stated, 64);
}

/** How many seconds so many bytes of a codec are. Source of the tags: RFC 2361 */
function secondsOf({ tag, channels, rate, blockBytes, bits }: WaveFormat, bytes: number): number {
  if (channels === 0 || rate === 0) throw refusedAudio('it has no channels, or no samples a second');
  const ofSample = (bitsEach: number) => (bytes * 8) / (bitsEach * channels * rate);
  switch (tag) {
    case 1:
    case 3:
    case 0xfffe:
      return Math.max(ofSample(8 * Math.max(1, Math.ceil(bits / 8))), blockBytes > 0 ? bytes / (blockBytes * rate) : 0);
    case 6:
    case 7:
      return ofSample(8);
    case 2:
    case 0x11:
      return ofBlocks({ tag, channels, rate, blockBytes, bits }, bytes) ?? ofSample(packedBits(bits));
    case 0x14:
    case 0x40:
    case 0x45:
    case 0x64:
      return ofSample(packedBits(bits));
    case 0x31:
      return ((bytes / 65) * 320) / rate;
    case 0x28f:
      return (bytes * 2) / rate;
    default:
      throw refusedAudio(`the codec 0x${tag.toString(16)} of a WAV file is not supported`);
  }
}

const packedBits = (bits: number) => (bits >= 2 && bits <= 5 ? bits : 2);

/** ADPCM lies in blocks that begin with whole samples; undefined where the blocks are too short to be that. */
function ofBlocks({ tag, channels, rate, blockBytes, bits }: WaveFormat, bytes: number): number | undefined {
  const headBytes = (tag === 2 ? 7 : 4) * channels;
  if (blockBytes < headBytes * 2 || (bits !== 4 && tag === 2)) return undefined;
  const samples = (tag === 2 ? 2 : 1) + ((blockBytes - headBytes) * 8) / (packedBits(bits) * channels);
  return (Math.ceil(bytes / blockBytes) * samples) / rate;
}
