import { aacFrame, alacFrame, type FrameLength, flacRate, opusMs, refusedAudio } from './audio-frames.ts';
import { type VorbisModes, vorbisModes, vorbisSamples } from './ogg-length.ts';
import { PackedAac } from './packed-aac.ts';
import { flacSeconds, mpegSeconds } from './packet-frames.ts';

/** As the format says, where a track does not. Source: https://www.rfc-editor.org/rfc/rfc9559#name-samplingfrequency-element */
const defaultRate = 8_000;

/** An audio track, as far as its frames need it. */
export interface WebmTrack {
  number: number;
  type: number;
  codec: string;
  frame: FrameLength | undefined;
  rate: number;
  channels: number;
  bitDepth: number;
  modes: VorbisModes | undefined;
  sizes: [short: number, long: number];
  before: number;
  /** What decoders make of its frames. */
  seconds: number;
  bytes: number;
  packed: PackedAac;
  /** What its codec states of itself, and whether that is noted since the track was described. */
  config: Buffer | undefined;
  isConfigured: boolean;
}

export function newTrack(): WebmTrack {
  const vorbis = { modes: undefined, sizes: [0, 0] as [number, number], before: 0 };
  const configuration = { config: undefined, isConfigured: false };
  return {
    number: 0,
    type: 0,
    codec: '',
    frame: undefined,
    rate: defaultRate,
    channels: 1,
    bitDepth: 16,
    seconds: 0,
    bytes: 0,
    packed: new PackedAac(),
    ...vorbis,
    ...configuration,
  };
}

/** What a codec states of itself is what decoders go by, not what the track states. */
function configure(track: WebmTrack): void {
  const { codec, config } = track;
  track.isConfigured = true;
  if (config === undefined) return;
  if (codec.startsWith('A_AAC')) track.frame = aacFrame(config);
  else if (codec.startsWith('A_ALAC')) track.frame = alacFrame(config.subarray(config.length >= 36 ? 12 : 0));
  else if (codec.startsWith('A_FLAC')) track.rate = flacRate(config.subarray(8)) || track.rate;
  else takeVorbisHeaders(track, config);
}

/** The headers of Vorbis, which lie behind each other: the first names the sizes of blocks, the last ends with the modes. */
function takeVorbisHeaders(track: WebmTrack, headers: Buffer): void {
  const first = headers.indexOf('\x01vorbis', 0, 'latin1');
  if (first < 0) return;
  const sizes = headers[first + 28] ?? 0;
  if (first + 16 <= headers.length) track.rate = headers.readUInt32LE(first + 12);
  track.sizes = [1 << (sizes & 15), 1 << (sizes >> 4)];
  track.modes = vorbisModes(headers);
}

/** How many seconds a frame is. Throws: AppError for a codec whose frames are not known. */
export function frameSeconds(track: WebmTrack, frame: Buffer): number {
  if (!track.isConfigured) configure(track);
  const { codec } = track;
  const rate = track.rate > 0 ? track.rate : defaultRate;
  if (frame.length === 0) return 0;
  if (codec.startsWith('A_OPUS')) return opusMs(frame[0], frame[1]) / 1000;
  if (codec.startsWith('A_VORBIS')) {
    const { samples, size } = vorbisSamples(frame[0] ?? 0, track);
    track.before = size;
    return samples / rate;
  }
  if (codec.startsWith('A_AAC')) track.packed.take(frame);
  if (codec.startsWith('A_AAC')) return (track.frame?.samples ?? 1024) / (track.frame?.rate ?? rate);
  if (codec.startsWith('A_MPEG/')) return mpegSeconds(frame, rate);
  if (codec.startsWith('A_FLAC')) return flacSeconds(frame, rate);
  if (codec.startsWith('A_PCM/')) return (frame.length * 8) / (Math.max(8, track.bitDepth) * Math.max(1, track.channels) * rate);
  if (codec.startsWith('A_ALAC')) return (track.frame?.samples ?? 4096) / (track.frame?.rate ?? rate);
  throw refusedAudio(`the codec ${codec.replace(/[^\w/.-]/g, '').slice(0, 40)} of a WebM file is not supported`);
}

/** The frames of a block behind its flags. Source: https://www.rfc-editor.org/rfc/rfc9559#section-10.3 */
export function framesOf(body: Buffer, lacing: number): Buffer[] {
  if (lacing === 0) return [body];
  const count = (body[0] ?? 0) + 1;
  const sizes: number[] = [];
  let at = 1;
  if (lacing === 2) for (let i = 1; i < count; i += 1) sizes.push(Math.floor((body.length - 1) / count));
  else if (lacing === 1) {
    for (let i = 1; i < count; i += 1) {
      let size = 0;
      for (let byte = 255; byte === 255 && at < body.length; at += 1) {
        byte = body[at] ?? 0;
        size += byte;
      }
      sizes.push(size);
    }
  } else {
    for (let i = 1; i < count; i += 1) {
      const bytes = Math.clz32(body[at] ?? 0) - 23;
      if (bytes > 4 || at + bytes > body.length) break;
      const value = body.readUIntBE(at, bytes) - 2 ** (7 * bytes);
      sizes.push(i === 1 ? value : (sizes.at(-1) ?? 0) + value - (2 ** (7 * bytes - 1) - 1));
      at += bytes;
    }
  }
  const frames: Buffer[] = [];
  for (const size of sizes) {
    if (size < 0 || at + size > body.length) break;
    frames.push(body.subarray(at, at + size));
    at += size;
  }
  return [...frames, body.subarray(at)];
}
