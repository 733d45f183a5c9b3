import type { AudioBounds } from './audio-bounds.ts';
import { possible } from './audio-frames.ts';
import { type FileBytes, FileWindow } from './file-bytes.ts';
import { describe, newTrack, type Track, trackSeconds } from './mp4-tracks.ts';

const mostBoxes = 4000;
const deepest = 8;
const mostBoxBytes = 16 * 1024;
/** Of one table; what stands beyond is not counted. */
const mostTableBytes = 4 << 20;
const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf']);

/**
 * Boxes lie one after the other and in each other; `moov` holds `mvhd`, which says it. That is believed only where what is no picture
 * may be as short: by the lengths of its samples, by what decoders make of them, and by their bytes. Undefined where it does not say,
 * or cannot be so. Source: ISO/IEC 14496-12
 */
export async function mp4Length(file: FileBytes): Promise<AudioBounds | undefined> {
  const movie = new Movie(file);
  const ends = [file.length];
  let at = 0;
  for (let boxes = 0; boxes < mostBoxes; boxes += 1) {
    while (ends.length > 0 && at + 8 > (ends.at(-1) ?? 0)) at = Math.max(at, ends.pop() ?? 0);
    const end = ends.at(-1);
    if (end === undefined) return movie.bounds;
    const { kind, size, headBytes } = await movie.head(at, end - at);
    if (size < headBytes) return undefined;
    const [from, to] = [at + headBytes, Math.min(end, at + size)];
    const isContainer = containers.has(kind) && ends.length < deepest;
    await movie.take(kind, from, to);
    if (isContainer) ends.push(to);
    at = isContainer ? from : to;
  }
  return undefined;
}

type Word = (at: number) => number;
interface Fragment {
  track: Track | undefined;
  duration: number;
  size: number;
}

class Movie {
  readonly #window: FileWindow;
  readonly #fileBytes: number;
  readonly #tracks: Track[] = [];
  readonly #defaults = new Map<number, { duration: number; size: number }>();
  #fragment: Fragment | undefined;
  #stated = 0;

  constructor(file: FileBytes) {
    this.#window = new FileWindow(file);
    this.#fileBytes = file.length;
  }

  get bounds(): AudioBounds | undefined {
    const heard = this.#tracks.filter(({ isVideo }) => !isVideo);
    const decoded = Math.max(0, ...heard.map(trackSeconds));
    const least = Math.max(0, ...heard.map(({ bytes, mostBytesPerSecond: most }) => bytes / most));
    const bounds = { declared: this.#stated, decoded, least };
    return Math.max(...Object.values(bounds)) > 0 ? bounds : undefined;
  }

  async head(at: number, left: number): Promise<{ kind: string; size: number; headBytes: number }> {
    const head = await this.#read(at, 16);
    const kind = head.toString('latin1', 4, 8);
    const size = head.readUInt32BE(0);
    if (size !== 1) return { kind, size: size || left, headBytes: 8 };
    return { kind, size: head.length < 16 ? 0 : Number(head.readBigUInt64BE(8)), headBytes: 16 };
  }

  /** Notes what a box says. */
  async take(kind: string, from: number, to: number): Promise<void> {
    const note = this.#notes.get(kind);
    if (note === undefined) return;
    const box = await this.#read(from, Math.min(to - from, mostBoxBytes));
    const word = (at: number) => (at >= 0 && at + 4 <= box.length ? box.readUInt32BE(at) : 0);
    await note({ box, word, isLong: box[0] === 1, from, to, track: this.#tracks.at(-1) ?? newTrack() });
  }

  readonly #notes = new Map<string, (box: NotedBox) => Promise<void> | void>([
    ['mvhd', ({ word, isLong }) => this.#state(lengthIn(word, isLong), word(isLong ? 20 : 12))],
    ['trak', () => void this.#tracks.push(newTrack())],
    ['tkhd', ({ track, word, isLong }) => void Object.assign(track, { id: word(isLong ? 20 : 12) })],
    ['mdhd', ({ track, word, isLong }) => void Object.assign(track, { scale: word(isLong ? 20 : 12), stated: lengthIn(word, isLong) })],
    ['hdlr', ({ track, box }) => void Object.assign(track, { isVideo: box.toString('latin1', 8, 12) === 'vide' })],
    ['stsd', ({ track, box }) => describe(track, box)],
    ['stts', (box) => this.#addLengths(box)],
    ['stsz', (box) => this.#addSizes(box)],
    ['trex', ({ word }) => void this.#defaults.set(word(4), { duration: word(12), size: word(16) })],
    ['tfhd', (box) => this.#begin(box)],
    ['trun', (box) => this.#addRun(box)],
  ]);

  #state(length: number, scale: number): void {
    if (scale > 0) this.#stated = Math.max(this.#stated, possible(length / scale));
  }

  async #addLengths({ track, word, from, to }: NotedBox): Promise<void> {
    await this.#rows({ from: from + 8, to, rows: word(4), step: 8 }, (row) => {
      track.summed += row.readUInt32BE(0) * row.readUInt32BE(4);
    });
  }

  async #addSizes({ track, word, from, to }: NotedBox): Promise<void> {
    const [size, stated] = [word(4), word(8)];
    if (size === 0) {
      await this.#rows({ from: from + 12, to, rows: stated, step: 4 }, (row) => {
        track.samples += 1;
        track.bytes += row.readUInt32BE(0);
      });
    } else {
      const count = Math.min(stated, this.#fileBytes / size);
      track.samples += count;
      track.bytes += count * size;
    }
    track.bytes = Math.min(track.bytes, this.#fileBytes);
  }

  /** Which track a fragment is of, and what its samples are where they do not say. */
  #begin({ word }: NotedBox): void {
    const [flags, id] = [word(0), word(4)];
    let at = 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0);
    const next = (flag: number, otherwise = 0) => {
      if ((flags & flag) === 0) return otherwise;
      at += 4;
      return word(at - 4);
    };
    const known = this.#defaults.get(id);
    const [duration, size] = [next(8, known?.duration), next(16, known?.size)];
    const heard = this.#tracks.filter(({ isVideo }) => !isVideo);
    // Decoders play what names no known track where there is only one.
    const track = this.#tracks.find((each) => each.id === id) ?? (heard.length === 1 ? heard[0] : undefined);
    this.#fragment = { track, duration, size };
  }

  async #addRun({ word, from, to }: NotedBox): Promise<void> {
    const { track, duration, size } = this.#fragment ?? {};
    if (track === undefined || duration === undefined || size === undefined) return;
    const [flags, count] = [word(0), word(4)];
    const has = (flag: number) => (flags & flag ? 4 : 0);
    const step = has(0x100) + has(0x200) + has(0x400) + has(0x800);
    const start = from + 8 + has(1) + has(4);
    if (step === 0) {
      track.samples += Math.min(count, size > 0 ? this.#fileBytes / size : 0);
      track.summed += count * duration;
    } else {
      await this.#rows({ from: start, to, rows: count, step }, (row) => {
        track.samples += 1;
        track.summed += has(0x100) ? row.readUInt32BE(0) : duration;
        track.bytes += has(0x200) ? row.readUInt32BE(has(0x100)) : size;
      });
    }
    track.bytes = Math.min(track.bytes, this.#fileBytes);
  }

  async #rows(table: { from: number; to: number; rows: number; step: number }, take: (row: Buffer) => void): Promise<void> {
    const { from, rows, step } = table;
    const end = Math.min(table.to, from + rows * step, from + mostTableBytes);
    const held = 4096 * step;
    for (let at = from; at + step <= end; at += held) {
      const piece = await this.#read(at, Math.min(held, end - at));
      for (let row = 0; row + step <= piece.length; row += step) take(piece.subarray(row, row + step));
    }
  }

  async #read(at: number, bytes: number): Promise<Buffer> {
    await this.#window.reach(at, bytes);
    return this.#window.from(at, bytes);
  }
}

interface NotedBox {
  box: Buffer;
  /** A number of 32 bits in it; 0 beyond its end. */
  word: Word;
  /** Its times are of 64 bits. */
  isLong: boolean;
  from: number;
  to: number;
  track: Track;
}

/** Of a header of a movie or a track: in its own units. */
function lengthIn(word: Word, isLong: boolean): number {
  const length = isLong ? word(24) * 2 ** 32 + word(28) : word(16);
  return length >= (isLong ? 2 ** 63 : 2 ** 32 - 1) ? 0 : length;
}
