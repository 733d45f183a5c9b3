import { type AudioBounds, mostPacked } from './audio-frames.ts';
import { type FileBytes, FileWindow } from './file-bytes.ts';

const frameHeadBytes = 16;
const infoBytes = 64;

/** What the header of a frame says; `rate` 0: as STREAMINFO does. */
export interface FlacFrame {
  samples: number;
  rate: number;
}

const rates = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];

/** The header of a frame, whose checksum must be right. Source: https://www.rfc-editor.org/rfc/rfc9639#section-9.1 */
export function flacFrame(bytes: Buffer): FlacFrame | undefined {
  if (bytes.length < 6 || bytes[0] !== 0xff || ((bytes[1] ?? 0) & 0xfe) !== 0xf8) return undefined;
  const [, , third = 0, fourth = 0, number = 0] = bytes;
  const [sizeCode, rateCode, channels] = [third >> 4, third & 15, fourth >> 4];
  if (sizeCode === 0 || rateCode === 15 || channels > 10 || (fourth & 1) === 1) return undefined;
  const more = number < 0x80 ? 0 : Math.clz32(~(number << 24)) - 1;
  if (more < 0 || more > 6) return undefined;
  let at = 5 + more;
  const next = (count: number) => {
    at += count;
    return at <= bytes.length ? bytes.readUIntBE(at - count, count) : 0;
  };
  let samples = sizeCode === 1 ? 192 : 0;
  if (sizeCode >= 2 && sizeCode <= 5) samples = 576 * 2 ** (sizeCode - 2);
  else if (sizeCode === 6) samples = next(1) + 1;
  else if (sizeCode === 7) samples = next(2) + 1;
  else if (sizeCode >= 8) samples = 256 * 2 ** (sizeCode - 8);
  let rate = rates[rateCode] ?? 0;
  if (rateCode === 12) rate = next(1) * 1000;
  else if (rateCode === 13) rate = next(2);
  else if (rateCode === 14) rate = next(2) * 10;
  return at < bytes.length && checksum(bytes.subarray(0, at)) === bytes[at] ? { samples, rate } : undefined;
}

/** CRC-8 with the polynomial x^8 + x^2 + x + 1. */
function checksum(bytes: Buffer): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 0x80 ? ((sum << 1) ^ 7) & 0xff : sum << 1;
  }
  return sum;
}

/**
 * The sum of all frames that are found, at the rate that each states, and no less than STREAMINFO declares. Frames do not say how
 * long they are in bytes, so every byte is looked at, as decoders do.
 */
export async function flacLength(file: FileBytes, start = 0): Promise<AudioBounds | undefined> {
  const window = new FileWindow(file);
  await window.reach(start, infoBytes);
  const head = window.from(start, infoBytes);
  const hasInfo = head.toString('latin1', 0, 4) === 'fLaC' && head.length >= 26;
  const info = hasInfo
    ? { rate: head.readUIntBE(18, 3) >> 4, samples: (head.readUInt8(21) & 15) * 2 ** 32 + head.readUInt32BE(22) }
    : undefined;
  const stated = info?.rate ?? 0;
  let decoded = 0;
  for (let at = start; at + 6 <= file.length; ) {
    const turn = window.reach(at, frameHeadBytes);
    if (turn !== undefined) await turn;
    const bytes = window.from(at, frameHeadBytes);
    const frame = flacFrame(bytes);
    if (frame !== undefined) decoded += frame.samples / (frame.rate || stated || 48_000);
    const next = window.indexOf(0xff, at + 1);
    at = next < 0 ? window.end : next;
  }
  if (info === undefined && decoded === 0) return undefined;
  const declared = stated > 0 ? (info?.samples ?? 0) / stated : 0;
  const channels = hasInfo ? ((head.readUInt8(20) >> 1) & 7) + 1 : 2;
  return { declared, decoded, least: decoded > 0 ? 0 : (file.length - start) / mostPacked({ rate: stated, channels, isLossy: false }) };
}
