import { AppError } from '@tollgate/runtime';
/** How long one frame of a codec sounds. */
export interface FrameLength {
  samples: number;
  rate: number;
  /** Where that is known. */
  channels?: number;
}

const aacRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];
/** AAC LD and ELD. */
const shortKinds = new Set([23, 39]);

/** Of AAC, by its AudioSpecificConfig; undefined where it is none. Source: ISO/IEC 14496-3, 1.6.2.1 */
export function aacFrame(config: Buffer): FrameLength | undefined {
  if (config.length < 2) return undefined;
  let at = 0;
  const bits = (count: number) => {
    let value = 0;
    for (const end = at + count; at < end; at += 1) value = value * 2 + (((config[at >> 3] ?? 0) >> (7 - (at & 7))) & 1);
    return value;
  };
  const stated = bits(5);
  const kind = stated === 31 ? 32 + bits(6) : stated;
  const index = bits(4);
  const rate = index === 15 ? bits(24) : aacRates[index];
  if (kind === 0 || rate === undefined || rate === 0) return undefined;
  const configuration = bits(4);
  const channels = configuration === 7 ? 8 : configuration;
  return { samples: shortKinds.has(kind) ? 512 : 1024, rate, ...(channels > 0 && channels < 9 && { channels }) };
}

/** Of ALAC, by its configuration; undefined where it is none. Source: https://github.com/macosforge/alac/blob/master/ALACMagicCookieDescription.txt */
export function alacFrame(config: Buffer): FrameLength | undefined {
  if (config.length < 24) return undefined;
  const [samples, rate] = [config.readUInt32BE(0), config.readUInt32BE(20)];
  return samples > 0 && rate > 0 ? { samples, rate } : undefined;
}

/** How many samples a second the STREAMINFO of FLAC states. Source: https://www.rfc-editor.org/rfc/rfc9639#section-8.2 */
export function flacRate(streamInfo: Buffer): number {
  return streamInfo.length < 13 ? 0 : streamInfo.readUIntBE(10, 3) >> 4;
}

/** In ms, by the four kinds of a mode: SILK, what is between, CELT. */
const silk = [10, 20, 40, 60];
const hybrid = [10, 20];
const celt = [2.5, 5, 10, 20];
const mostOpusMs = 120;

/** How many ms a packet of Opus sounds, by its first two bytes. Source: https://www.rfc-editor.org/rfc/rfc6716#section-3.1 */
export function opusMs(first = 0, second = 0): number {
  const configuration = first >> 3;
  let lengths = celt;
  if (configuration < 12) lengths = silk;
  else if (configuration < 16) lengths = hybrid;
  const ms = lengths[configuration % lengths.length] ?? 0;
  const code = first & 3;
  let frames = 2;
  if (code === 0) frames = 1;
  else if (code === 3) frames = second & 63;
  return Math.min(mostOpusMs, ms * frames);
}

/** What encoders put before the sound and behind it, which players leave out again. */
export const mostPadding = 0.5;

/** Nothing lasts longer, in seconds. */
export const longestSound = 1e6;

/** A length, or nothing where it is none. */
export function possible(seconds: number): number {
  return seconds >= 0 && seconds < longestSound ? seconds : 0;
}

/** No codec that leaves something out is given more. */
const mostLossy = 96_000;

/** In bytes a second: those of samples of 32 bits, into fewer of which any codec packs them. */
export function mostPacked({ rate, channels, isLossy }: { rate: number; channels: number; isLossy: boolean }): number {
  return isLossy ? mostLossy : Math.max(rate, 8_000) * Math.max(channels, 1) * 4;
}

/** What is known of the length of audio, in seconds. */
export interface AudioBounds {
  /** As its headers state it; 0: they do not. */
  declared: number;
  /** What a decoder makes of its frames. */
  decoded: number;
  /** No codec of this kind packs its bytes into less. */
  least: number;
}

/**
 * The greatest of what is known, except that a declared length stands beside frames that are longer only by what encoders pad.
 * undefined: nothing is known. Throws: AppError for a length that nothing has.
 */
export function longestOf({ declared, decoded, least }: AudioBounds): number | undefined {
  const isPadded = declared > 0 && decoded > declared && decoded <= declared + Math.min(mostPadding, declared);
  const seconds = Math.max(declared, isPadded ? 0 : decoded, least);
  if (seconds >= longestSound) throw refusedAudio('it is too long');
  return seconds > 0 ? Math.round(seconds * 1e6) / 1e6 : undefined; // sums of fractions: a begun second is paid whole
}

/** An audio file that cannot be billed, because it contradicts itself or is in a codec whose length is unknown. */
export function refusedAudio(reason: string): AppError {
  return new AppError('invalid_request', { reason: `the audio file cannot be read: ${reason}` }, { param: 'file' });
}
