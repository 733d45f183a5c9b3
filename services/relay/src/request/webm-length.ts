import { type AudioBounds, aacFrame, type FrameLength, mostPacked, opusMs, possible, refusedAudio } from './audio-frames.ts';
import { type FileBytes, FileWindow } from './file-bytes.ts';
import { flacFrame } from './flac-length.ts';
import { mpegFrame } from './framed-length.ts';
import { type VorbisModes, vorbisModes, vorbisSamples } from './ogg-length.ts';

/** Elements that are stepped into: their sizes do not matter, which may be unknown. */
const containers = new Set([
  0x18538067, // Segment
  0x1549a966, // Info
  0x1654ae6b, // Tracks
  0xae, // TrackEntry
  0xe1, // Audio
  0x1f43b675, // Cluster
  0xa0, // BlockGroup
]);
const element = {
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codec: 0x86,
  codecPrivate: 0x63a2,
  rate: 0xb5,
  channels: 0x9f,
  bitDepth: 0x6264,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  block: 0xa1,
} as const;
const sound = 2;
const lossy = /^A_(?:OPUS|VORBIS|AAC|MPEG\/L3|AC3)/;
/** What stands beyond is taken to be as what stands before. */
const mostElements = 1_000_000;
/** Each block looks for its own. */
const mostTracks = 64;
const headBytes = 12;
/** No frame of audio is longer. */
const mostFrameBytes = 64 * 1024;

/** What decoders look for to find their way back: the beginnings of `Cluster` and `Tracks`. */
const marks = [Buffer.from('1f43b675', 'hex'), Buffer.from('1654ae6b', 'hex')];
const markBytes = 4;

/**
 * The greatest of `Duration`, of the times of blocks, and of what decoders make of their frames. A cluster, or a list of tracks, that
 * lies within another element counts: decoders find their way back by the mark that these begin with. Source: https://www.rfc-editor.org/rfc/rfc9559
 */
export async function webmLength(file: FileBytes): Promise<AudioBounds | undefined> {
  const window = new FileWindow(file);
  const ahead = marks.map((mark) => ({ mark, window: new FileWindow(file), place: -1 }));
  const film = new Film();
  let [at, mark] = [0, -1];
  for (let count = 0; at < file.length && count < mostElements; count += 1) {
    if (mark <= at && mark < file.length) {
      for (const each of ahead) if (each.place <= at) each.place = await nextMark(each, { at: at + 1, length: file.length });
      mark = Math.min(...ahead.map(({ place }) => place));
    }
    const turn = window.reach(at, headBytes);
    if (turn !== undefined) await turn;
    const head = headOf(window.from(at, headBytes));
    if (head !== undefined && containers.has(head.id)) {
      at += head.bytes;
      if (head.id === element.trackEntry && film.tracks.push(newTrack()) > mostTracks) throw refusedAudio('it has too many tracks');
      continue;
    }
    const isBlock = head?.id === element.simpleBlock || head?.id === element.block;
    const left = file.length - at - (head?.bytes ?? 0);
    const isCut = (head?.size ?? 0) > left && !(isBlock && left < mostFrameBytes);
    if (head?.size === undefined || isCut) {
      at = mark;
      continue;
    }
    const from = at + head.bytes;
    if (isBlock || values.has(head.id)) {
      const bytes = Math.min(head.size, mostFrameBytes);
      const more = window.reach(from, bytes);
      if (more !== undefined) await more;
      if (isBlock) film.takeBlock(window.from(from, bytes), head.size);
      else film.takeValue(head.id, window.from(from, bytes));
    }
    at = Math.min(from + head.size, mark > at ? mark : file.length);
  }
  return film.bounds(Math.min(1, at / file.length));
}

/** Where a mark stands next; the length of the file: there is none. */
async function nextMark(
  { mark, window }: { mark: Buffer; window: FileWindow },
  { at, length }: { at: number; length: number },
): Promise<number> {
  for (let from = at; from < length; ) {
    const turn = window.reach(from, markBytes);
    if (turn !== undefined) await turn;
    const found = window.indexOf(mark, from);
    if (found >= 0) return found;
    from = Math.max(from + 1, window.end - markBytes + 1);
  }
  return length;
}

const values = new Set<number>(Object.values(element));

/** Of an element: its name, and the size of what follows, undefined where that is unknown. */
function headOf(bytes: Buffer): { id: number; size: number | undefined; bytes: number } | undefined {
  const idBytes = Math.clz32(bytes[0] ?? 0) - 23;
  const sizeBytes = Math.clz32(bytes[idBytes] ?? 0) - 23;
  if (idBytes > 4 || sizeBytes > 8 || idBytes + sizeBytes > bytes.length) return undefined;
  const id = bytes.readUIntBE(0, idBytes);
  let size = (bytes[idBytes] ?? 0) & ((1 << (8 - sizeBytes)) - 1);
  let isUnknown = size === (1 << (8 - sizeBytes)) - 1;
  for (let at = idBytes + 1; at < idBytes + sizeBytes; at += 1) {
    size = size * 256 + (bytes[at] ?? 0);
    isUnknown &&= bytes[at] === 255;
  }
  return { id, size: isUnknown ? undefined : size, bytes: idBytes + sizeBytes };
}

class Film {
  readonly tracks: WebmTrack[] = [];
  /** In ns. */
  #scale = 1_000_000;
  #duration = 0;
  #cluster = 0;
  #latest = 0;

  takeValue(id: number, bytes: Buffer): void {
    const track = this.tracks.at(-1) ?? newTrack();
    if (id === element.timestampScale) this.#scale = numberIn(bytes);
    else if (id === element.duration) this.#duration = Math.max(this.#duration, fractionIn(bytes));
    else if (id === element.timestamp) this.#cluster = numberIn(bytes);
    else if (id === element.trackNumber) track.number = numberIn(bytes);
    else if (id === element.trackType) track.type = numberIn(bytes);
    else if (id === element.codec) track.codec = bytes.toString('latin1');
    else if (id === element.codecPrivate) {
      track.frame = aacFrame(bytes);
      takeVorbisHeaders(track, bytes);
    } else if (id === element.bitDepth) track.bitDepth = numberIn(bytes);
    else if (id === element.rate) track.rate = fractionIn(bytes);
    else if (id === element.channels) track.channels = numberIn(bytes);
  }

  /** A number of a track, a time, flags; where these say so, how many frames there are more; the first one. */
  takeBlock(bytes: Buffer, size: number): void {
    const [first = 0] = bytes;
    const isLong = first < 0x80;
    const number = isLong ? (first & 0x3f) * 256 + (bytes[1] ?? 0) : first & 0x7f;
    const at = isLong ? 2 : 1;
    const track = this.tracks.find((one) => one.number === number && one.type === sound);
    if (track === undefined || bytes.length < at + 4) return;
    this.#latest = Math.max(this.#latest, this.#cluster + bytes.readInt16BE(at));
    track.bytes += size;
    const lacing = ((bytes[at + 2] ?? 0) >> 1) & 3;
    for (const frame of framesOf(bytes.subarray(at + 3), lacing)) track.seconds += frameSeconds(track, frame);
  }

  /** `part`: of the file, that was looked through. */
  bounds(part: number): AudioBounds | undefined {
    const heard = this.tracks.filter(({ type }) => type === sound);
    if (heard.length === 0) return undefined;
    const ofScale = (units: number) => possible((units * this.#scale) / 1e9);
    const decoded = Math.max(ofScale(this.#latest), ...heard.map(({ seconds }) => seconds / part));
    const least = Math.max(0, ...heard.map((track) => track.bytes / mostPacked({ ...track, isLossy: lossy.test(track.codec) })));
    const bounds = { declared: ofScale(this.#duration), decoded, least };
    return Math.max(...Object.values(bounds)) > 0 ? bounds : undefined;
  }
}

function numberIn(bytes: Buffer): number {
  return bytes.length >= 1 && bytes.length <= 6 ? bytes.readUIntBE(0, bytes.length) : 0;
}

function fractionIn(bytes: Buffer): number {
  if (bytes.length === 8) return bytes.readDoubleBE(0);
  return bytes.length === 4 ? bytes.readFloatBE(0) : 0;
}

/** An audio track, as far as its frames need it. */
interface WebmTrack {
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
}

function newTrack(): WebmTrack {
  const vorbis = { modes: undefined, sizes: [0, 0] as [number, number], before: 0 };
  return { number: 0, type: 0, codec: '', frame: undefined, rate: 48_000, channels: 2, bitDepth: 16, seconds: 0, bytes: 0, ...vorbis };
}

/** The headers of Vorbis, which lie behind each other: the first names the sizes of blocks, the last ends with the modes. */
function takeVorbisHeaders(track: WebmTrack, headers: Buffer): void {
  const first = headers.indexOf('\x01vorbis', 0, 'latin1');
  if (first < 0) return;
  const sizes = headers[first + 28] ?? 0;
  track.sizes = [1 << (sizes & 15), 1 << (sizes >> 4)];
  track.modes = vorbisModes(headers);
}

/** How many seconds a frame is. Throws: AppError for a codec whose frames are not known. */
function frameSeconds(track: WebmTrack, frame: Buffer): number {
  const { codec, rate } = track;
  if (frame.length === 0) return 0;
  if (codec.startsWith('A_OPUS')) return opusMs(frame[0], frame[1]) / 1000;
  if (rate <= 0) return 0;
  if (codec.startsWith('A_VORBIS')) {
    const { samples, size } = vorbisSamples(frame[0] ?? 0, track);
    track.before = size;
    return samples / rate;
  }
  if (codec.startsWith('A_AAC')) return (track.frame?.samples ?? 1024) / (track.frame?.rate ?? rate);
  if (codec.startsWith('A_MPEG/')) return mpegFrame(frame)?.seconds ?? 0;
  if (codec.startsWith('A_FLAC')) {
    const found = flacFrame(frame.subarray(0, 16));
    return found === undefined ? 0 : found.samples / (found.rate || rate);
  }
  if (codec.startsWith('A_PCM/')) return (frame.length * 8) / (Math.max(8, track.bitDepth) * Math.max(1, track.channels) * rate);
  if (codec.startsWith('A_ALAC')) return 4096 / rate;
  throw refusedAudio(`the codec ${codec.replace(/[^\w/.-]/g, '').slice(0, 40)} of a WebM file is not supported`);
}

/** The frames of a block behind its flags. Source: https://www.rfc-editor.org/rfc/rfc9559#section-10.3 */
function framesOf(body: Buffer, lacing: number): Buffer[] {
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
