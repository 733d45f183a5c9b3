import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { lengthOf as lengthOfBytes } from './audio-fuzz/length-of.ts';
import { mutated } from './audio-fuzz/mutate.ts';
import { big, box, fragment, little, type Movie, mp4, webm } from './support/sound-files.ts';

const corpus = join(import.meta.dirname, 'fixtures/audio');
const fileOf = (name: string) => readFileSync(join(corpus, name));
/** Of each file what FFmpeg plays of it, and of its damaged versions by their seeds: `audio-fuzz/main.ts --record`. */
const played = JSON.parse(fileOf('played.json').toString()) as [
  name: string,
  seconds: number,
  ofSeeds: number[],
  found?: [seed: number, seconds: number][],
][];

const whole = (parts: (Buffer | string)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
const lengthOf = (...parts: (Buffer | string)[]) => lengthOfBytes(whole(parts));

/** How much of the processor's time it takes to tell that. */
async function busyMs(parts: (Buffer | string)[]): Promise<number> {
  const bytes = whole(parts);
  const started = process.cpuUsage();
  await lengthOfBytes(bytes);
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
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
  it('is what decoders play, for every format', async () => {
    for (const [name, seconds] of played) expect(await lengthOfBytes(fileOf(name)), name).to.be.closeTo(seconds, 0.12);
    for (const data of [0xffffffff, 0])
      expect(await lengthOf(...wave(data), Buffer.alloc(48_000)), `while it is recorded, as ${data} bytes`).to.equal(3);
    expect(await lengthOf(...wave(48_000), Buffer.alloc(48_000), 'LIST', little([4, 30_000]), Buffer.alloc(30_000))).to.equal(3);
    expect(await lengthOf(...mp4({ stated: 7500 }, [2, 25_000]))).to.equal(7.5);
    expect(await lengthOf(...mp4({ stated: 20_480, frames: 320 }, [2, 25_000])), 'as the frames of its one track').to.equal(20.48);
    expect(await lengthOf(...mp4({ stated: 12_000, frames: 190 })), 'with what an encoder pads').to.equal(12);
    expect(await lengthOf(...webm({ duration: 10_000 }))).to.equal(10);
    expect(await lengthOf(...webm({ duration: 20_000, packets: 1000 })), 'as its packets').to.equal(20);
    const amr = ['#!AMR\n', ...Array.from({ length: 100 }, () => Buffer.concat([Buffer.from([0x04]), Buffer.alloc(12)]))];
    expect(await lengthOf(...amr)).to.equal(2);
  });

  it('is never below half of what decoders play of damaged files', async () => {
    const tooShort: string[] = [];
    for (const [name, , ofSeeds, found = []] of played) {
      const file = fileOf(name);
      for (const [seed, seconds] of [...ofSeeds.entries(), ...found]) {
        const bytes = mutated(file, seed);
        const length = await lengthOfBytes(bytes);
        const billed = length === undefined ? bytes.length / 4000 : length;
        if (billed !== 'refused' && seconds >= 0.3 && billed < seconds / 2)
          tooShort.push(`${name}, seed ${seed}: ${billed} of ${seconds} s`);
      }
    }
    expect(tooShort).to.deep.equal([]);
  });

  it('is not understated by headers that lie', async () => {
    const seconds = (count: number) => Buffer.alloc(16_000 * count);
    const [riff = '', size = '', head = '', format = '', data = '', bytes = ''] = wave(20);
    const secondChunk = [seconds(1).subarray(0, 20), 'data', little([4, 960_000]), seconds(60)];
    expect(await lengthOf(riff, size, head, format, data, bytes, ...secondChunk), 'two data chunks').to.be.closeTo(60, 0.01);
    expect(await lengthOf(...wave(20), seconds(60)), 'a data chunk that ends in the middle').to.be.at.least(59);
    const other = ['fmt ', little([4, 16], [2, 1], [2, 8], [4, 192_000], [4, 0], [2, 32], [2, 32])];
    expect(await lengthOf(...wave(960_000).slice(0, 4), ...other, 'data', little([4, 960_000]), seconds(60)), 'two formats').to.equal(
      'refused',
    );
    expect(await lengthOf(...wave(480_000, { format: 7, stated: 4_000_000_000, bits: 8 }), Buffer.alloc(480_000)), 'µ-law').to.equal(60);
    expect(await lengthOf(...wave(48_000, { stated: 1_000_000_000 }), Buffer.alloc(48_000)), 'bytes a second').to.equal(3);
    expect(await lengthOf(...wave(48_000, { format: 17, stated: 4_000, bits: 4 }), Buffer.alloc(48_000)), 'packed samples').to.equal(12);
    expect(await lengthOf(...wave(48_000, { format: 0x7777 }), Buffer.alloc(48_000)), 'an unknown codec').to.equal('refused');

    const flac = Buffer.from(fileOf('a.flac'));
    flac.writeUIntBE(0xfffffe, 18, 3); // 1 048 575 Hz, 8 channels
    expect(await lengthOfBytes(flac), 'STREAMINFO').to.be.closeTo(3, 0.01);
    const short = Buffer.from(fileOf('a.flac'));
    short.writeUInt32BE(1, 22);
    expect(await lengthOfBytes(short), 'samples in all').to.be.closeTo(3, 0.01);

    const ogg = fileOf('a.opus');
    expect(await lengthOf(ogg, ogg), 'two streams behind each other').to.be.closeTo(6, 0.05);
    const positions = Buffer.from(ogg);
    for (let at = positions.indexOf('OggS'); at >= 0; at = positions.indexOf('OggS', at + 1)) positions.writeBigInt64LE(48n, at + 6);
    expect(await lengthOfBytes(positions), 'positions of pages').to.be.at.least(3);

    const loud = Buffer.concat([Buffer.from('fffbe0c4', 'hex'), Buffer.alloc(1040)]); // MPEG 1, layer III, 320 kbit, 44.1 kHz
    const quiet = Buffer.concat([Buffer.from('ffe318c4', 'hex'), Buffer.alloc(68)]); // MPEG 2.5, layer III, 8 kbit, 8 kHz
    expect(await lengthOf(loud, ...Array.from({ length: 833 }, () => quiet)), 'a first frame unlike the rest').to.be.closeTo(60, 0.1);
    const tag = ['ID3', Buffer.from([4, 0, 0, 0, 0x7f, 0x7f, 0x7f])];
    expect(await lengthOf(...tag, ...Array.from({ length: 833 }, () => quiet)), 'a tag longer than the file').to.be.closeTo(60, 0.1);
    expect(await lengthOf(fileOf('a.aac').subarray(0, 7).fill(0xff, 3, 5), fileOf('a.aac')), 'an AAC frame around others').to.be.at.least(
      3,
    );
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
    expect(await lengthOf(...mp4({ frames: 40, size: 25_000, codec: 'alac' }, [1, 1_000_000])), 'a megabyte in a second').to.be.above(2.6);
  });

  it('of an MP4 is what the packets say where its codec has them say it', async () => {
    const opus = fileOf('opus.mp4');
    const lying = Buffer.from(opus);
    const lengths = lying.indexOf('stts') + 4;
    for (let row = 0; row < lying.readUInt32BE(lengths + 4); row += 1) lying.writeUInt32BE(1, lengths + 12 + 8 * row);
    for (const name of ['mvhd', 'mdhd']) lying.writeUInt32BE(1, lying.indexOf(name) + 20);
    expect(await lengthOfBytes(lying), 'lengths of samples that lie').to.be.closeTo(3, 0.1);
    const long = Buffer.concat([Buffer.from([0x0b, 0x06]), Buffer.alloc(14)]); // six frames of SILK of 20 ms
    const run = box('trun', big([4, 0x201], [4, 500], [4, 0]), ...Array.from({ length: 500 }, () => big([4, 16])));
    const moof = (offset: number) => {
      const placed = Buffer.from(run);
      placed.writeInt32BE(offset, 16);
      return box('moof', box('traf', box('tfhd', big([4, 0x20_008], [4, 1], [4, 1])), placed));
    };
    const fragments = [moof(moof(0).length + 8), box('mdat', Buffer.alloc(8000, long))];
    expect(await lengthOf(...mp4({ frames: 0, codec: 'Opus' }), ...fragments), 'long packets in a fragment').to.equal(60);
  });

  it('of PCM in an MP4 is what its bytes come to', async () => {
    for (const [name, seconds] of [
      ['pcm8.mov', 1],
      ['pcm16.mov', 0.8],
    ] as const) {
      const lying = fileOf(name);
      for (const kind of ['mvhd', 'mdhd']) lying.writeUInt32BE(1, lying.indexOf(kind) + 20);
      lying.writeUInt32BE(1, lying.indexOf('stts') + 12);
      expect(await lengthOfBytes(lying), name).to.equal(seconds);
    }
  });

  it('is refused of AAC that packs several frames into one packet', async () => {
    const packed = readFileSync(join(corpus, '../packed-aac.m4a'));
    expect(await lengthOfBytes(packed), 'MP4').to.equal('refused');
    expect(await lengthOfBytes(fileOf('a.m4a')), 'one frame each').to.equal(3);
    const frames = Array.from({ length: 20 }, () =>
      fileOf('a.aac')
        .subarray(7, 7 + 40)
        .fill(7, 39),
    );
    const packet = whole(Array.from({ length: 40 }, () => frames[0] ?? ''));
    const head = Buffer.from(fileOf('a.aac').subarray(0, 7));
    const size = packet.length + 7;
    head[3] = ((head[3] ?? 0) & 0xfc) | (size >> 11);
    head[4] = (size >> 3) & 255;
    head[5] = ((head[5] ?? 0) & 0x1f) | ((size & 7) << 5);
    expect(await lengthOf(...Array.from({ length: 4 }, () => whole([head, packet]))), 'ADTS').to.equal('refused');
  });

  it('of an MP4 in a codec that is not known is refused', async () => {
    expect(await lengthOf(...mp4({ frames: 100, codec: 'enca' }, [1, 1600]))).to.equal('refused');
    expect(await lengthOf(...mp4({ stated: 7500 }, [2, 25_000])), 'without a track').to.equal(7.5);
  });

  it('of AAC in samples longer than any frame is that of as many frames as they hold', async () => {
    expect(await lengthOf(...mp4({ frames: 10, size: 76_800 }, [1, 768_000])), '1000 frames').to.equal(64);
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
    expect(await lengthOf(...webm({ duration: 1000, packets: 10, size: 60_000, codec: 'A_VORBIS' })), 'too much in a second').to.be.above(
      6,
    );
    const film = webm({ duration: 1000, packets: 50 });
    expect(await lengthOf(...film, Buffer.alloc(9)), 'with what is no element behind').to.equal(1);
    const hiding = Buffer.from([0xec, 0x10, 0xff, 0xff, 0xff]); // `Void`, longer than the file
    const hidden = whole(webm({ packets: 500 }));
    expect(await lengthOf(...film, hiding, hidden.subarray(hidden.indexOf(Buffer.from('1f43b675', 'hex')))), 'hidden').to.equal(11);
    const cased = Buffer.from([0xec, 0x10, 0x00, 0x40, 0x00]); // `Void` around a cluster
    expect(await lengthOf(...film, cased, hidden.subarray(hidden.indexOf(Buffer.from('1f43b675', 'hex')))), 'within').to.equal(11);
    expect(await lengthOf(...webm({ duration: 1000, packets: 50, codec: 'A_UNKNOWN' })), 'an unknown codec').to.equal('refused');
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
    for (const head of ['RIFF....WAVE', 'OggS', 'xxxxftyp']) expect(await lengthOf(head, Buffer.alloc(500))).to.equal('refused');
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
      if (seconds !== undefined && seconds !== 'refused') expect(seconds).to.be.within(0, 1e6);
    }
  });
});
