import { type AudioBounds, opusMs, refusedAudio } from './audio-frames.ts';
import { type FileBytes, FileWindow } from './file-bytes.ts';
import { flacSeconds } from './packet-frames.ts';

/** Which of the modes of a Vorbis stream have long blocks. */
export interface VorbisModes {
  isLong: readonly boolean[];
  /** How many bits of a packet name its mode. */
  bits: number;
}

const modeBits = 41;

/**
 * The modes stand at the end of the setup header, behind codebooks that are laborious to read, so they are read from the end: a mode is
 * a flag, two fields of 16 bits that must be 0, and a mapping; before the first one stands how many there are, in 6 bits.
 * Source: https://xiph.org/vorbis/doc/Vorbis_I_spec.html#x1-650004.2.4
 */
export function vorbisModes(setup: Buffer): VorbisModes | undefined {
  let end = setup.length * 8 - 1;
  const bit = (at: number) => ((setup[at >> 3] ?? 0) >> (at & 7)) & 1;
  const number = (at: number, count: number) => {
    let value = 0;
    for (let i = 0; i < count; i += 1) value += bit(at + i) << i;
    return value;
  };
  while (end > 0 && bit(end) === 0) end -= 1; // the framing bit
  let found: number | undefined;
  for (let count = 1; count <= 64; count += 1) {
    const at = end - count * modeBits;
    if (at < 6 || number(at + 1, 16) !== 0 || number(at + 17, 16) !== 0 || number(at + 33, 8) > 63) break;
    if (number(at - 6, 6) + 1 === count) found = count;
  }
  if (found === undefined) return undefined;
  const first = end - found * modeBits;
  const isLong = Array.from({ length: found }, (_, mode) => bit(first + mode * modeBits) === 1);
  return { isLong, bits: found === 1 ? 0 : 32 - Math.clz32(found - 1) };
}

/** What a packet of audio makes of samples, by its first byte and the block before it; without modes, as if all blocks were long. */
export function vorbisSamples(
  first: number,
  { modes, sizes: [short, long], before }: { modes: VorbisModes | undefined; sizes: readonly [number, number]; before: number },
): { samples: number; size: number } {
  const mode = modes === undefined ? 0 : (first >> 1) & ((1 << modes.bits) - 1);
  const size = (modes?.isLong[mode] ?? true) ? long : short;
  return { samples: before === 0 ? 0 : (before + size) / 4, size };
}

const pageHeadBytes = 27;
const mostPageBytes = pageHeadBytes + 255 + 255 * 255;
const mostHeaderBytes = 256 * 1024;
const mostStreams = 1_000;
const windowBytes = 256 * 1024;
/** Pages that begin within another one are damage; so many of them are no accident. */
const mostNested = 1_000;
const mark = Buffer.from('OggS');

/** One logical stream, of those that lie side by side or behind each other. */
interface Stream {
  codec: 'opus' | 'vorbis' | 'flac' | 'speex' | undefined;
  rate: number;
  /** Samples of a packet of Speex. */
  packetSamples: number;
  sizes: [short: number, long: number];
  modes: VorbisModes | undefined;
  before: number;
  /** The last position that its pages state, in samples, and what it does not play at its beginning. */
  position: number;
  skipped: number;
  /** A header packet of Vorbis that goes on in the next page. */
  header: Buffer[] | undefined;
}

/**
 * The sum of what all packets of all audio streams last, each by its own header. Every page mark begins a page, inside of another page
 * too: decoders find their way back by it. Positions that pages state do not count. Source: https://www.rfc-editor.org/rfc/rfc3533
 */
export async function oggLength(file: FileBytes): Promise<AudioBounds | undefined> {
  const window = new FileWindow(file, windowBytes);
  const streams = new Map<number, Stream>();
  let last: Stream | undefined;
  let [declared, decoded, nested, pageEnd] = [0, 0, 0, 0];
  for (let at = 0; at + pageHeadBytes < file.length; ) {
    const turn = window.reach(at, mostPageBytes);
    if (turn !== undefined) await turn;
    const page = window.from(at, mostPageBytes);
    if (page.readUInt32BE(0) !== mark.readUInt32BE(0)) {
      const found = window.indexOf(mark, at + 1);
      at = found < 0 ? Math.max(at + 1, window.end - mark.length + 1) : found;
      continue;
    }
    if (at < pageEnd) nested += 1;
    if (nested > mostNested) throw refusedAudio('its pages overlap');
    pageEnd = at + pageBytes(page);
    const serial = page.readUInt32LE(14);
    const body = pageHeadBytes + (page[26] ?? 0);
    const begun = streamIn(page.subarray(body));
    const isFirst = ((page[5] ?? 0) & 2) !== 0 || begun?.codec !== undefined;
    if (isFirst && begun !== undefined) {
      declared += declaredSeconds(streams.get(serial));
      streams.set(serial, begun);
      if (streams.size > mostStreams) throw refusedAudio('it has too many streams');
      if (begun.codec !== undefined) last = begun;
    }
    const stream = streams.get(serial) ?? last;
    if (stream?.codec !== undefined) {
      decoded += pageSeconds(stream, page, body);
      stream.position = Number(page.readBigInt64LE(6));
    }
    at += 1;
  }
  for (const stream of streams.values()) declared += declaredSeconds(stream);
  // Pages may state any position; it counts only as what encoders pad.
  return last === undefined ? undefined : { declared: Math.min(declared, decoded), decoded, least: 0 };
}

function declaredSeconds(stream: Stream | undefined): number {
  const { codec, rate = 0, position = 0, skipped = 0 } = stream ?? {};
  return codec === undefined || rate === 0 || position < 0 ? 0 : Math.max(0, position - skipped) / rate;
}

function pageBytes(page: Buffer): number {
  const sizes = page.subarray(pageHeadBytes, pageHeadBytes + (page[26] ?? 0));
  return pageHeadBytes + sizes.length + sizes.reduce((sum, size) => sum + size, 0);
}

/** The codec that a page's first packet names; undefined: it names none. */
function streamIn(packet: Buffer): Stream | undefined {
  const stream: Stream = {
    codec: undefined,
    rate: 48_000,
    packetSamples: 0,
    sizes: [0, 0],
    modes: undefined,
    before: 0,
    position: 0,
    skipped: 0,
    header: undefined,
  };
  const starts = (text: string) => packet.toString('latin1', 0, text.length) === text;
  if (starts('OpusHead') && packet.length >= 12) return { ...stream, codec: 'opus', skipped: packet.readUInt16LE(10) };
  if (starts('\x01vorbis') && packet.length >= 29) {
    const [short, long] = [1 << ((packet[28] ?? 0) & 15), 1 << ((packet[28] ?? 0) >> 4)];
    return { ...stream, codec: 'vorbis', rate: packet.readUInt32LE(12), sizes: [short, long] };
  }
  if (starts('\x7fFLAC') && packet.length >= 31) return { ...stream, codec: 'flac', rate: packet.readUIntBE(27, 3) >> 4 };
  if (starts('Speex   ') && packet.length >= 68) {
    const packetSamples = packet.readUInt32LE(56) * Math.max(1, packet.readUInt32LE(64));
    return { ...stream, codec: 'speex', rate: packet.readUInt32LE(36), packetSamples };
  }
  return packet.length > 0 ? stream : undefined;
}

/** What the packets last that begin in a page. */
function pageSeconds(stream: Stream, page: Buffer, body: number): number {
  const segments = page[26] ?? 0;
  let isContinued = ((page[5] ?? 0) & 1) !== 0;
  let [from, at, seconds] = [body, body, 0];
  for (let segment = 0; segment < segments; segment += 1) {
    const size = page[pageHeadBytes + segment] ?? 0;
    at += size;
    const isWhole = size < 255;
    if (!isWhole && segment < segments - 1) continue;
    const packet = page.subarray(from, at);
    if (isContinued) goOn(stream, packet, isWhole);
    else if (packet.length > 0) seconds += packetSeconds(stream, packet, isWhole);
    isContinued = false;
    from = at;
  }
  return seconds;
}

function packetSeconds(stream: Stream, packet: Buffer, isWhole: boolean): number {
  const { codec, rate } = stream;
  if (codec === 'opus') return packet.toString('latin1', 0, 4) === 'Opus' ? 0 : opusMs(packet[0], packet[1]) / 1000;
  if (rate === 0) return 0;
  if (codec === 'speex') return packet.toString('latin1', 0, 5) === 'Speex' ? 0 : stream.packetSamples / rate;
  if (codec === 'flac') return flacSeconds(packet, rate);
  if (((packet[0] ?? 0) & 1) === 0) {
    const { samples, size } = vorbisSamples(packet[0] ?? 0, stream);
    stream.before = size;
    return samples / rate;
  }
  if (packet[0] === 5) {
    stream.header = [packet];
    goOn(stream, Buffer.alloc(0), isWhole);
  }
  return 0;
}

/** The setup header of Vorbis may go on over pages. */
function goOn(stream: Stream, piece: Buffer, isWhole: boolean): void {
  if (stream.header === undefined) return;
  stream.header.push(Buffer.from(piece));
  const bytes = stream.header.reduce((sum, { length }) => sum + length, 0);
  if (isWhole) stream.modes = vorbisModes(Buffer.concat(stream.header));
  if (isWhole || bytes > mostHeaderBytes) stream.header = undefined;
}
