import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { soundLength } from '../src/request/audio-length.ts';
import type { FormFile } from '../src/request/form-body.ts';
import { type Spool, spools } from '../src/request/spool.ts';
import { big, box, fragment, little, type Movie, mp4, webm } from './support/sound-files.ts';

const nothing = { take: () => undefined, letGo: () => undefined };

/** How long a file of these bytes lasts, which stands between other bytes, as one of a form does. */
async function lengthOf(...parts: (Buffer | string)[]): Promise<number | undefined> {
  return await withSpooled(parts, (spool, file) => soundLength(spool, file));
}

/** How much of the processor's time it takes to tell that. */
async function busyMs(parts: (Buffer | string)[]): Promise<number> {
  return await withSpooled(parts, async (spool, file) => {
    const started = process.cpuUsage();
    await soundLength(spool, file);
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000;
  });
}

async function withSpooled<T>(parts: (Buffer | string)[], ask: (spool: Spool, file: FormFile) => Promise<T>): Promise<T> {
  const bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  const spool = spools({ directory: '/tmp', maxBytes: 1 << 30 }).open(nothing);
  await spool.write(Buffer.from('before'));
  const from = spool.length;
  await spool.write(bytes);
  await spool.write(Buffer.from('behind'));
  try {
    return await ask(spool, { field: 'file', name: 'a', type: '', from, to: from + bytes.length });
  } finally {
    spool.close();
  }
}

describe('How long a sound lasts', () => {
  const wave = (data: number, { format = 1, stated = 16_000, bits = 16 } = {}) => [
    'RIFF',
    little([4, 0]),
    'WAVEfmt ',
    little([4, 16], [2, format], [2, 1], [4, 8000], [4, stated], [2, 2], [2, bits]),
    'data',
    little([4, data]),
  ];
  const flac = (samples: number, { isLast = true } = {}) => [
    'fLaC',
    big([1, isLast ? 0x80 : 0], [3, 34]),
    Buffer.alloc(10),
    big([3, 44_100 << 4], [1, 15 << 4], [4, samples]), // one channel, 16 bits
    Buffer.alloc(16),
  ];
  const ogg = (samples: number, bytes: number) => [
    'OggS',
    Buffer.alloc(24),
    'OpusHead',
    Buffer.alloc(bytes),
    'OggS',
    Buffer.alloc(2),
    little([8, samples]),
    Buffer.alloc(20),
  ];
  const mp3Frame = Buffer.from([0xff, 0xfb, 0x90, 0x00]); // MPEG 1, layer III, 128 kbit, 44.1 kHz

  it('is read in what files say of themselves', async () => {
    expect(await lengthOf(...wave(48_000), Buffer.alloc(48_000))).to.equal(3);
    for (const data of [0xffffffff, 0])
      expect(await lengthOf(...wave(data), Buffer.alloc(48_000)), `while it is recorded, as ${data} bytes`).to.equal(3);
    expect(await lengthOf(...flac(441_000))).to.equal(10);
    const picture = [big([1, 0x86], [3, 500_000]), Buffer.alloc(500_000)];
    expect(await lengthOf(...flac(441_000, { isLast: false }), ...picture, Buffer.alloc(400_000)), 'with a picture').to.equal(10);
    expect(await lengthOf(...ogg(96_000, 70_000))).to.equal(2);
    const vorbis = [
      'OggS',
      Buffer.alloc(24),
      '\x01vorbis',
      Buffer.alloc(5),
      little([4, 22_050]),
      Buffer.alloc(99),
      'OggS',
      Buffer.alloc(2),
      little([8, 44_100]),
      Buffer.alloc(9),
    ];
    expect(await lengthOf(...vorbis)).to.equal(2);
    expect(await lengthOf(...mp4({ stated: 7500 }, [2, 25_000]))).to.equal(7.5);
    expect(await lengthOf(...mp4({ stated: 20_480, frames: 320 }, [2, 25_000])), 'as the frames of its one track').to.equal(20.48);
    expect(await lengthOf(...mp4({ stated: 12_000, frames: 190 })), 'with what an encoder pads').to.equal(12);
    expect(await lengthOf(...webm({ duration: 10_000 }))).to.equal(10);
    expect(await lengthOf(...webm({ duration: 20_000, packets: 1000 })), 'as its packets').to.equal(20);
    expect(await lengthOf('ID3', Buffer.from([4, 0, 0, 0, 0, 1, 0]), Buffer.alloc(128), mp3Frame, Buffer.alloc(31_996))).to.equal(2);
    expect(await lengthOf(mp3Frame, Buffer.alloc(32), 'Xing', big([4, 1], [4, 100]), Buffer.alloc(400))).to.be.closeTo(
      (100 * 1152) / 44_100,
      1e-9,
    );
  });

  it('is not what a file says that cannot be', async () => {
    const data = Buffer.alloc(48_000);
    expect(await lengthOf(...wave(48_000, { stated: 1_000_000_000 }), data), 'more bytes a second than its samples have').to.equal(3);
    expect(await lengthOf(...wave(48_000, { format: 17, stated: 4_000, bits: 4 }), data), 'packed samples').to.equal(12);
    expect(await lengthOf(...flac(1), Buffer.alloc(1_000_000)), 'a second of plain sound in one sample').to.equal(undefined);
    expect(await lengthOf(...ogg(48, 1_000_000)), 'a megabyte in a thousandth of a second').to.equal(undefined);
    const frames = (count: number) => [mp3Frame, Buffer.alloc(32), 'Xing', big([4, 1], [4, count])];
    expect(await lengthOf(...frames(1), Buffer.alloc(1_599_952)), 'a hundred seconds in one frame').to.equal(100);
    expect(await lengthOf(...frames(5000), Buffer.alloc(1_599_952)), 'frames of another size').to.be.closeTo(130.6, 0.1);
  });

  it('of an MP4 is what its samples come to, whatever its headers say', async () => {
    const hour = 56_250; // frames of 1024 samples at 16 kHz
    const lies: [what: string, said: Movie][] = [
      ['a second in the headers', { frames: hour }],
      ['a second by the lengths of its samples', { frames: hour, delta: 1 }],
      ['units of which there are too many', { frames: hour, delta: 4_000_000_000 }],
      ['samples of one size', { frames: hour, isConstant: true }],
      ['a track that begins behind another', { frames: hour, before: [box('trak', box('mdia', box('free', Buffer.alloc(50))))] }],
      ['a box that says it is longer than what it stands in', { frames: hour, before: [box('trak', big([4, 1 << 30]), 'free')] }],
    ];
    for (const [what, said] of lies) expect(await lengthOf(...mp4(said, [1, 1_000_000])), what).to.equal(3600);
    expect(await lengthOf(...mp4({ frames: 6000, codec: 'Opus', delta: 1 })), 'Opus').to.equal(60);
    const pieces = [1, 2, 3].map(() => fragment(18_750));
    expect(await lengthOf(...mp4({ frames: 0 }), ...pieces), 'in fragments').to.equal(3600);
    expect(await lengthOf(...mp4({ frames: 40, size: 25_000, codec: 'alac' }, [1, 1_000_000])), 'a megabyte in a second').to.equal(
      undefined,
    );
  });

  it('of a WebM is what its packets come to, whatever its headers say', async () => {
    for (const [what, said] of [
      ['a second in the header', { duration: 1000, packets: 50_000 }],
      ['nothing in the header', { packets: 50_000 }],
      ['a scale that makes it short', { duration: 1000, packets: 50_000, scale: 1 }],
      ['groups of blocks', { duration: 1000, packets: 50_000, isGrouped: true }],
      ['a length that cannot be', { duration: 1e13, packets: 50_000 }],
      ['sizes that are not known', { duration: 1000, packets: 50_000, isRecorded: true }],
    ] as const)
      expect(await lengthOf(...webm(said)), what).to.be.within(1000, 1001);
    expect(await lengthOf(...webm({ duration: 1000, packets: 10, size: 60_000, codec: 'A_VORBIS' })), 'too much in a second').to.equal(
      undefined,
    );
    const film = webm({ duration: 1000, packets: 50 });
    expect(await lengthOf(...film, Buffer.alloc(9)), 'with what is no element behind').to.equal(undefined);
    const hiding = Buffer.from([0xec, 0x10, 0xff, 0xff, 0xff]); // `Void`, longer than the file
    expect(await lengthOf(...film, hiding, Buffer.alloc(99)), 'with more hidden behind').to.equal(undefined);
    expect(await lengthOf(Buffer.concat(film).subarray(0, -9)), 'that was cut').to.equal(1);
  });

  it('is told soon, however many pieces there are', async () => {
    const files = [
      [box('ftyp', 'M4A ', Buffer.alloc(4)), Buffer.alloc(8_000_000, box('free'))],
      webm({ duration: 1000, packets: 1_500_000, size: 1 }),
      [
        ...webm({ packets: 0 }),
        Buffer.alloc(400_000, Buffer.from([0xae, 0x80])),
        Buffer.alloc(1_000_000, Buffer.from('a384feffff80', 'hex')),
      ],
      mp4({ frames: 8_000_000, size: 0 }),
    ];
    for (const file of files) expect(await busyMs(file), 'ms').to.be.below(1500);
  });

  it('is unknown of what is no sound, and of nothing', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('x'), Buffer.from('a text that is no sound'), Buffer.alloc(5000)]) {
      expect(await lengthOf(bytes)).to.equal(undefined);
    }
  });

  it('is looked for in any bytes without harm', async () => {
    const heads = [
      'RIFF....WAVE',
      'fLaC',
      'OggS',
      'xxxxftyp',
      '\x1a\x45\xdf\xa3',
      '\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\xff\x16\x54\xae\x6b\xff\xae\xff\x1f\x43\xb6\x75\xff\xa3',
      '\0\0\0\x08ftyp\0\0\0\0moov\0\0\0\0trak\0\0\0\0mdia',
      '\0\0\0\x08ftyp\0\0\0\0moof\0\0\0\0traf\0\0\0\0trun',
      ...['mvhd', 'mdhd', 'hdlr', 'stsd', 'stts', 'stsz', 'tfhd'].map((kind) => `\0\0\0\x08ftyp\0\0\0\0moov\0\0\0\0trak\0\0\0\x48${kind}`),
      'ID3',
      '\xff\xfb\x90\x00',
      'OggSOpusHead',
      'RIFF....WAVEfmt ',
    ];
    for (let round = 0; round < 600; round += 1) {
      const head = heads[round % heads.length] ?? '';
      const seconds = await lengthOf(head, randomBytes((round * 37) % 700));
      if (seconds !== undefined) expect(seconds).to.be.within(0, 1e6);
    }
  });
});
