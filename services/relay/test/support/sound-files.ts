/** Numbers, the greatest byte first. */
export function big(...values: [bytes: number, value: number][]): Buffer {
  return Buffer.concat(
    values.map(([bytes, value]) => {
      const buffer = Buffer.alloc(bytes);
      if (bytes === 8) buffer.writeBigUInt64BE(BigInt(value));
      else buffer.writeUIntBE(value, 0, bytes);
      return buffer;
    }),
  );
}

/** The same, the smallest first. */
export function little(...values: [bytes: number, value: number][]): Buffer {
  return Buffer.concat(values.map((value) => big(value).reverse()));
}

/** A box of an MP4. */
export function box(kind: string, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  return Buffer.concat([big([4, body.length + 8]), Buffer.from(kind), body]);
}

export interface Movie {
  /** Ms by its headers. */
  stated?: number;
  frames?: number;
  /** Units that each lasts; bytes that each has. */
  delta?: number;
  size?: number;
  isConstant?: boolean;
  codec?: string;
  before?: Buffer[];
}

/** A file of AAC at 16 kHz whose headers say what they like. */
export function mp4(
  { stated = 1000, frames, delta = 1024, size = 16, isConstant = false, codec = 'mp4a', before = [] }: Movie,
  ...data: [times: number, bytes: number][]
): (Buffer | string)[] {
  const config = Buffer.from([5, 2, 0x14, 0x08]); // AAC-LC, 16 kHz, mono
  const esds = box('esds', big([4, 0]), Buffer.from([3, 23, 0, 1, 0, 4, 17, 0x40]), Buffer.alloc(12), config);
  const entry = box(codec, Buffer.alloc(16), big([2, 1], [2, 16], [4, 0], [4, 16_000 * 65_536]), codec === 'mp4a' ? esds : '');
  const sizes = Buffer.alloc(isConstant ? 0 : 4 * (frames ?? 0));
  for (let at = 0; at < sizes.length; at += 4) sizes.writeUInt32BE(size, at);
  const samples = frames && [
    box('stts', big([4, 0], [4, 1], [4, frames], [4, delta])),
    box('stsz', big([4, 0], [4, isConstant ? size : 0], [4, frames]), sizes),
  ];
  const track = [
    box('tkhd', Buffer.alloc(12), big([4, 1]), Buffer.alloc(68)),
    box(
      'mdia',
      box('mdhd', Buffer.alloc(12), big([4, 16_000], [4, stated * 16]), Buffer.alloc(4)),
      box('hdlr', Buffer.alloc(8), 'soun', Buffer.alloc(13)),
      box('minf', box('stbl', box('stsd', big([4, 0], [4, 1]), entry), ...(samples || []))),
    ),
  ];
  const mvhd = box('mvhd', Buffer.alloc(12), big([4, 1000], [4, stated]), Buffer.alloc(80));
  return [
    box('ftyp', 'M4A ', Buffer.alloc(4)),
    ...data.map(([times, bytes]) => box('mdat', Buffer.alloc(times * bytes))),
    box('moov', mvhd, ...before, ...(frames === undefined ? [] : [box('trak', ...track)])),
  ];
}

/** So many frames of 16 bytes. */
export function fragment(frames: number): Buffer {
  const tfhd = box('tfhd', big([4, 0x18], [4, 1], [4, 1], [4, 16]));
  return Buffer.concat([
    box('moof', box('traf', tfhd, box('trun', big([4, 1], [4, frames], [4, 0])))),
    box('mdat', Buffer.alloc(frames * 16)),
  ]);
}

/** An element of a WebM. */
function element(id: number, body: Buffer, { isOpen = false } = {}): Buffer {
  const name = big([Math.ceil((32 - Math.clz32(id)) / 8), id]);
  return Buffer.concat([name, isOpen ? Buffer.from([0xff]) : Buffer.concat([Buffer.from([0x10]), big([3, body.length])]), body]);
}

interface Film {
  duration?: number;
  scale?: number;
  packets?: number;
  size?: number;
  codec?: string;
  isGrouped?: boolean;
  isRecorded?: boolean;
}

/** A WebM of Opus in packets of 20 ms whose headers, and times, say what they like. */
export function webm(said: Film): Buffer[] {
  const { duration, scale = 1_000_000, packets = 0, size = 16, codec = 'A_OPUS', isGrouped = false, isRecorded = false } = said;
  const float = Buffer.alloc(4);
  float.writeFloatBE(duration ?? 0);
  const info = [element(0x2ad7b1, big([4, scale])), ...(duration === undefined ? [] : [element(0x4489, float)])];
  const audio = element(0xe1, Buffer.concat([element(0xb5, Buffer.from([0x47, 0x3b, 0x80, 0x00])), element(0x9f, big([1, 1]))]));
  const track = [element(0xd7, big([1, 1])), element(0x83, big([1, 2])), element(0x86, Buffer.from(codec)), audio];
  const packet = Buffer.concat([Buffer.from([0x81, 0, 0, 0x80, 0x78]), Buffer.alloc(size - 1)]); // of CELT, 20 ms
  const block = isGrouped ? element(0xa0, element(0xa1, packet)) : element(0xa3, packet);
  const cluster = element(0x1f43b675, Buffer.concat([element(0xe7, big([1, 0])), ...Array.from({ length: packets }, () => block)]), {
    isOpen: isRecorded,
  });
  const segment = Buffer.concat([
    element(0x1549a966, Buffer.concat(info)),
    element(0x1654ae6b, element(0xae, Buffer.concat(track))),
    cluster,
  ]);
  return [element(0x1a45dfa3, Buffer.alloc(20)), element(0x18538067, segment, { isOpen: isRecorded })];
}
