import { type AudioBounds, mostPacked, possible, refusedAudio } from './audio-frames.ts';
import { type FileBytes, FileWindow } from './file-bytes.ts';
import { frameSeconds, framesOf, newTrack, type WebmTrack } from './webm-frames.ts';

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
  blockGroup: 0xa0,
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
 * lies within another element counts as well as what follows that element: decoders find their way back by the mark that these begin with. Source: https://www.rfc-editor.org/rfc/rfc9559
 */
export async function webmLength(file: FileBytes): Promise<AudioBounds | undefined> {
  const entering = await walk(file, { entersAtMarks: true });
  // Where no element holds a mark, both ways are the same.
  const passing = entering.hasEntered ? (await walk(file, { entersAtMarks: false })).bounds : undefined;
  const found = [entering.bounds, passing].filter((bounds) => bounds !== undefined);
  const greatest = (of: keyof AudioBounds) => Math.max(...found.map((bounds) => bounds[of]));
  return found.length === 0 ? undefined : { declared: greatest('declared'), decoded: greatest('decoded'), least: greatest('least') };
}

interface Walk {
  bounds: AudioBounds | undefined;
  /** An element ended at a mark in it. */
  hasEntered: boolean;
}

/** Steps from element to element. With `entersAtMarks`, one that holds a mark ends there; else it is passed by its size. */
async function walk(file: FileBytes, { entersAtMarks }: { entersAtMarks: boolean }): Promise<Walk> {
  const window = new FileWindow(file);
  const ahead = marks.map((mark) => ({ mark, window: new FileWindow(file), place: -1 }));
  const film = new Film();
  let [at, mark, groupEnd, hasEntered] = [0, -1, 0, false];
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
      if (head.id === element.blockGroup && head.size !== undefined) groupEnd = at + head.size;
      if (head.id === element.trackEntry && film.tracks.push(newTrack()) > mostTracks) throw refusedAudio('it has too many tracks');
      continue;
    }
    const isBlock = head?.id === element.simpleBlock || head?.id === element.block;
    const left = file.length - at - (head?.bytes ?? 0);
    const isCut = (head?.size ?? 0) > left && !(isBlock && left < mostFrameBytes);
    if (head?.size === undefined || isCut) {
      at = groupEnd > at ? Math.min(groupEnd, mark) : mark; // decoders go on behind a damaged group
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
    const end = Math.min(from + head.size, file.length);
    const isEntered = entersAtMarks && mark > at && mark < end;
    hasEntered ||= isEntered;
    at = isEntered ? mark : end;
  }
  return { bounds: film.bounds(Math.min(1, at / file.length)), hasEntered };
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
    track.isConfigured = false;
    if (id === element.timestampScale) this.#scale = numberIn(bytes);
    else if (id === element.duration) this.#duration = Math.max(this.#duration, fractionIn(bytes));
    else if (id === element.timestamp) this.#cluster = numberIn(bytes);
    else if (id === element.trackNumber) track.number = numberIn(bytes);
    else if (id === element.trackType) track.type = numberIn(bytes);
    else if (id === element.codec) track.codec = bytes.toString('latin1');
    else if (id === element.codecPrivate) track.config = Buffer.from(bytes);
    else if (id === element.bitDepth) track.bitDepth = numberIn(bytes);
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
    for (const { packed } of heard) packed.check();
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
