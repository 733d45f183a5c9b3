import { aacFrame, type FrameLength, mostPacked, opusMs, possible, saidOrHeld } from './audio-frames.ts';
import { type FileBytes, FileWindow } from './file-bytes.ts';

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
const blockBytes = 8;
const mostValueBytes = 1024;
/** No packet of sound is longer. */
const mostCutBytes = 64 * 1024;

interface Track {
  number: number;
  type: number;
  codec: string;
  frame: FrameLength | undefined;
  rate: number;
  channels: number;
  /** What decoders make of its blocks, as far as that is known. */
  ms: number;
  bytes: number;
}

/**
 * `Duration` says it, where there is one. It is believed only where the sound may be as short: by the times of its blocks, by what
 * decoders make of them, and by their bytes. Undefined where that cannot be. Source: https://www.matroska.org/technical/elements.html
 */
export async function webmLength(file: FileBytes): Promise<number | undefined> {
  const window = new FileWindow(file);
  const film = new Film();
  let at = 0;
  for (let count = 0; at < file.length && count < mostElements; count += 1) {
    const turn = window.reach(at, headBytes);
    if (turn !== undefined) await turn;
    const head = headOf(window.from(at, headBytes));
    if (head === undefined) return undefined;
    at += head.bytes;
    if (containers.has(head.id)) {
      if (head.id === element.trackEntry && film.tracks.push(newTrack()) > mostTracks) return undefined;
      continue;
    }
    if (head.size === undefined) return undefined;
    const isBlock = head.id === element.simpleBlock || head.id === element.block;
    const left = file.length - at;
    // A file that was cut ends in a block; anything else that is longer than the file would hide what comes.
    if (head.size > left && !(isBlock && left < mostCutBytes)) return undefined;
    const wanted = isBlock ? blockBytes : mostValueBytes;
    if (isBlock || values.has(head.id)) {
      const bytes = Math.min(head.size, wanted);
      const more = window.reach(at, bytes);
      if (more !== undefined) await more;
      if (isBlock) film.takeBlock(window.from(at, bytes), head.size);
      else film.takeValue(head.id, window.from(at, bytes));
    }
    at += head.size;
  }
  return film.seconds(Math.min(1, at / file.length));
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

function newTrack(): Track {
  return { number: 0, type: 0, codec: '', frame: undefined, rate: 48_000, channels: 2, ms: 0, bytes: 0 };
}

class Film {
  readonly tracks: Track[] = [];
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
    else if (id === element.codecPrivate) track.frame = aacFrame(bytes);
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
    const isLaced = ((bytes[at + 2] ?? 0) & 6) !== 0;
    const frames = isLaced ? (bytes[at + 3] ?? 0) + 1 : 1;
    // Of laced frames the first one stands behind their sizes: they are taken for the usual ones.
    if (track.codec.startsWith('A_OPUS')) track.ms += isLaced ? frames * 20 : opusMs(bytes[at + 3], bytes[at + 4]);
    else if (track.codec.startsWith('A_AAC'))
      track.ms += (1000 * frames * (track.frame?.samples ?? 1024)) / (track.frame?.rate ?? track.rate);
  }

  /** `part`: of the file, that was looked through. */
  seconds(part: number): number | undefined {
    const heard = this.tracks.filter(({ type }) => type === sound);
    const ofScale = (units: number) => possible((units * this.#scale) / 1e9);
    const seconds = saidOrHeld(ofScale(this.#duration), Math.max(ofScale(this.#latest), ...heard.map(({ ms }) => ms / 1000 / part)));
    const isPacked = heard.every((track) => track.bytes <= seconds * mostPacked({ ...track, isLossy: lossy.test(track.codec) }));
    return seconds > 0 && isPacked ? seconds : undefined;
  }
}

function numberIn(bytes: Buffer): number {
  return bytes.length >= 1 && bytes.length <= 6 ? bytes.readUIntBE(0, bytes.length) : 0;
}

function fractionIn(bytes: Buffer): number {
  if (bytes.length === 8) return bytes.readDoubleBE(0);
  return bytes.length === 4 ? bytes.readFloatBE(0) : 0;
}
