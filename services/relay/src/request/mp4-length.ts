import { type AudioBounds, possible, refusedAudio } from './audio-frames.ts';
import { type FileBytes, FileWindow } from './file-bytes.ts';
import {
  describe,
  handledBy,
  isReadByPackets,
  knownCodecs,
  lengthIn,
  mostPacketBytes,
  newTrack,
  type Run,
  type Table,
  type Track,
  takePackets,
  trackSeconds,
  type Word,
} from './mp4-tracks.ts';

const mostBoxes = 4000;
const deepest = 8;
const mostBoxBytes = 16 * 1024;
/** Of one table; what stands beyond is not counted. */
const mostTableBytes = 4 << 20;
/** Sizes and places that are kept to find packets by. */
const mostKept = 2_000_000;
/** What decoders step into, whatever size it states. */
const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf', 'dinf', 'edts', 'tref', 'udta']);

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
    if (end === undefined) return movie.bounds();
    const { kind, size, headBytes } = await movie.head(at, end - at);
    if (size < headBytes) {
      if (ends.length === 1) return undefined;
      at = end;
      continue;
    }
    const [from, to] = [at + headBytes, Math.min(end, at + size)];
    const isContainer = containers.has(kind) && ends.length < deepest;
    if (kind === 'stsd' && at + size > end) throw refusedAudio('a description in it is longer than what holds it');
    if (kind === 'moof') movie.beginFragments(at);
    await movie.take(kind, from, to);
    if (isContainer) ends.push(to);
    at = isContainer ? from : to;
  }
  return undefined;
}

interface Fragment {
  track: Track | undefined;
  duration: number;
  size: number;
  /** Where its samples lie from. */
  base: number;
}

class Movie {
  readonly #file: FileBytes;
  readonly #window: FileWindow;
  readonly #fileBytes: number;
  readonly #tracks: Track[] = [];
  readonly #defaults = new Map<number, { duration: number; size: number }>();
  #fragment: Fragment | undefined;
  #moofAt = 0;
  /** Where a fragment's samples lie that does not say. */
  #implicit = 0;
  #kept = 0;
  #stated = 0;

  constructor(file: FileBytes) {
    this.#file = file;
    this.#window = new FileWindow(file);
    this.#fileBytes = file.length;
  }

  beginFragments(at: number): void {
    this.#moofAt = at;
    this.#implicit = at;
  }

  /** Throws: AppError for a codec whose length cannot be found. */
  async bounds(): Promise<AudioBounds | undefined> {
    const heard = this.#tracks.filter(({ isVideo }) => !isVideo);
    for (const track of heard) {
      const { codec, handler, samples } = track;
      if (handler === 'soun' && samples > 0 && !knownCodecs.has(codec)) {
        throw refusedAudio(`the codec ${codec.replace(/[^\w.-]/g, '')} of an MP4 file is not supported`);
      }
      if (!isReadByPackets(codec)) continue;
      const runs = [...(await this.#runsOf(track)), ...track.runs];
      await takePackets(track, new FileWindow(this.#file, mostPacketBytes), runs);
    }
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
    ['hdlr', ({ track, box }) => handledBy(track, box.toString('latin1', 8, 12))],
    ['stsd', ({ track, box, from, to }) => describe({ track, box, size: to - from })],
    ['stts', (box) => this.#addLengths(box)],
    ['stsz', (box) => this.#addSizes(box)],
    ['stco', (box) => this.#place(box, 'chunks', { head: 8, rows: box.word(4), step: 4 })],
    ['co64', (box) => this.#place(box, 'chunks', { head: 8, rows: box.word(4), step: 8 })],
    ['stsc', (box) => this.#place(box, 'perChunk', { head: 8, rows: box.word(4), step: 12 })],
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

  #place(
    { track, from, to }: NotedBox,
    kind: 'sizes' | 'chunks' | 'perChunk',
    { head, ...table }: Pick<Table, 'rows' | 'step'> & { head: number },
  ) {
    track.tables.isDoubled ||= track.tables[kind] !== undefined;
    track.tables[kind] = { from: from + head, to, ...table };
  }

  /** Where the samples of a track lie that are not in fragments. Throws: AppError where its tables leave that open. */
  async #runsOf({ tables }: Track): Promise<Run[]> {
    const { size, sizes, chunks, perChunk, isDoubled } = tables;
    if (sizes === undefined || chunks === undefined || perChunk === undefined) return [];
    const each = await this.#column(sizes, size);
    const offsets = await this.#column(chunks);
    const changes: { first: number; count: number }[] = [];
    await this.#rows(perChunk, (row) => void changes.push({ first: row.readUInt32BE(0), count: Math.max(1, row.readUInt32BE(4)) }));
    if (isDoubled) throw refusedAudio('a table stands in it twice');
    const runs: Run[] = [];
    let [change, sample] = [0, 0];
    for (const [index, at] of offsets.entries()) {
      while ((changes[change + 1]?.first ?? Number.POSITIVE_INFINITY) <= index + 1) change += 1;
      const end = Math.min(each.length, sample + (changes[change]?.count ?? 0));
      runs.push({ at, sizes: each.slice(sample, end) });
      sample = end;
    }
    return runs;
  }

  /** The numbers of a table, each `constant` where that is one. */
  async #column(table: Table, constant = 0): Promise<number[]> {
    const { rows, step } = table;
    if (constant > 0) return new Array<number>(this.#keep(Math.ceil(Math.min(rows, this.#fileBytes / constant)))).fill(constant);
    const numbers: number[] = [];
    this.#keep(Math.min(rows, (table.to - table.from) / step));
    await this.#rows(table, (row) => void numbers.push(step === 8 ? Number(row.readBigUInt64BE(0)) : row.readUInt32BE(0)));
    return numbers;
  }

  #keep(count: number): number {
    this.#kept += count;
    if (this.#kept > mostKept) throw refusedAudio('it has too many samples');
    return count;
  }

  async #addSizes(noted: NotedBox): Promise<void> {
    const { track, word, from, to } = noted;
    const [size, stated] = [word(4), word(8)];
    this.#place(noted, 'sizes', { head: 12, rows: stated, step: 4 });
    track.tables.size = size;
    if (size === 0) {
      await this.#rows({ from: from + 12, to, rows: stated, step: 4 }, (row) => {
        track.samples += 1;
        track.bytes += row.readUInt32BE(0);
      });
    } else {
      // QuickTime states one byte for each sample of PCM, however many it has.
      const bytes = Math.max(size, track.pcmBytes);
      const count = Math.min(stated, this.#fileBytes / bytes);
      track.samples += count;
      track.bytes += count * bytes;
    }
    track.bytes = Math.min(track.bytes, this.#fileBytes);
  }

  /** Which track a fragment is of, and what its samples are where they do not say. */
  #begin({ word, box }: NotedBox): void {
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
    const ownBase = flags & 0x20000 ? this.#moofAt : this.#implicit;
    const base = flags & 1 && box.length >= 16 ? Number(box.readBigUInt64BE(8)) : ownBase;
    this.#fragment = { track, duration, size, base };
  }

  async #addRun({ word, from, to }: NotedBox): Promise<void> {
    if (this.#fragment?.track === undefined) return;
    const { track, duration, size, base } = this.#fragment;
    const [flags, count] = [word(0), word(4)];
    const has = (flag: number) => (flags & flag ? 4 : 0);
    const step = has(0x100) + has(0x200) + has(0x400) + has(0x800);
    const start = from + 8 + has(1) + has(4);
    const at = base + (flags & 1 ? word(8) | 0 : 0);
    const isByPackets = isReadByPackets(track.codec);
    let end = at;
    const sizes: number[] = [];
    if (step === 0) {
      track.samples += Math.min(count, size > 0 ? this.#fileBytes / size : 0);
      track.summed += count * duration;
      const whole = size > 0 ? Math.ceil(Math.min(count, this.#fileBytes / size)) : 0;
      end += whole * size;
      track.bytes += whole * size;
      if (isByPackets) for (let left = this.#keep(whole); left > 0; left -= 1) sizes.push(size);
    } else {
      await this.#rows({ from: start, to, rows: count, step }, (row) => {
        track.samples += 1;
        track.summed += has(0x100) ? row.readUInt32BE(0) : duration;
        const own = has(0x200) ? row.readUInt32BE(has(0x100)) : size;
        track.bytes += own;
        end += own;
        if (isByPackets && this.#keep(1)) sizes.push(own);
      });
    }
    track.bytes = Math.min(track.bytes, this.#fileBytes);
    this.#implicit = end;
    if (isByPackets) track.runs.push({ at, sizes });
  }

  async #rows(table: Table, take: (row: Buffer) => void): Promise<void> {
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
