import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { soundLength } from '../src/enter/sound-length.ts';
import { spools } from '../src/enter/spool.ts';

const nothing = { take: () => undefined, letGo: () => undefined };

/** How long a file of these bytes lasts, which stands between other bytes, as one of a form does. */
async function lengthOf(...parts: (Buffer | string)[]): Promise<number | undefined> {
  const bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  const spool = spools({ directory: '/tmp', maxBytes: 1 << 30 }).open(nothing);
  await spool.write(Buffer.from('before'));
  const from = spool.length;
  await spool.write(bytes);
  await spool.write(Buffer.from('behind'));
  try {
    return await soundLength(spool, { field: 'file', name: 'a', type: '', from, to: from + bytes.length });
  } finally {
    spool.close();
  }
}

function big(...values: [bytes: number, value: number][]): Buffer {
  return Buffer.concat(
    values.map(([bytes, value]) => {
      const buffer = Buffer.alloc(bytes);
      if (bytes === 8) buffer.writeBigUInt64BE(BigInt(value));
      else buffer.writeUIntBE(value, 0, bytes);
      return buffer;
    }),
  );
}

function little(...values: [bytes: number, value: number][]): Buffer {
  return Buffer.concat(values.map((value) => big(value).reverse()));
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
    const mvhd = [big([4, 40]), 'mvhd', Buffer.alloc(12), big([4, 1000], [4, 7500]), Buffer.alloc(12)];
    expect(
      await lengthOf(
        big([4, 16]),
        'ftypM4A ',
        Buffer.alloc(4),
        big([4, 100_008]),
        'mdat',
        Buffer.alloc(100_000),
        big([4, 48]),
        'moov',
        ...mvhd,
      ),
    ).to.equal(7.5);
    expect(
      await lengthOf(
        big([4, 0x1a45dfa3]),
        Buffer.alloc(20),
        big([3, 0x2ad7b1], [1, 0x83], [3, 1_000_000]),
        big([2, 0x4489], [1, 0x84], [4, 0x461c4000]),
        Buffer.alloc(8),
      ),
    ).to.equal(10);
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
