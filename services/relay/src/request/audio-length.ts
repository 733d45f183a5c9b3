import { type AudioBounds, longestOf, refusedAudio } from './audio-frames.ts';
import { type FileBytes, FileWindow } from './file-bytes.ts';
import { flacFrame, flacLength } from './flac-length.ts';
import type { FormFile } from './form-body.ts';
import { adtsFrame, amrLength, framesLength, mpegFrame } from './framed-length.ts';
import { mp4Length } from './mp4-length.ts';
import { oggLength } from './ogg-length.ts';
import type { Spool } from './spool.ts';
import { wavLength } from './wav-length.ts';
import { webmLength } from './webm-length.ts';

const headBytes = 64 * 1024;
/** Boxes that an MP4 or a QuickTime file may begin with. */
const mp4Boxes = new Set(['ftyp', 'moov', 'mdat', 'moof', 'styp', 'free', 'skip', 'wide', 'pnot']);
/** So many frames that follow each other are no chance. */
const fewestFrames = 3;
const mostTags = 16;

/**
 * How long the audio in a file lasts, in seconds: the greatest of what its headers state, what decoders make of all its frames, and what
 * its bytes are at the least. undefined: the file is none of WAV, FLAC, Ogg (Opus, Vorbis, FLAC, Speex), MP3, AAC, AMR, MP4, WebM.
 * Throws: AppError `invalid_request` where a file contradicts itself or is in a codec whose length is unknown.
 */
export async function soundLength(spool: Spool, { from, to }: FormFile): Promise<number | undefined> {
  const start = await behindTags(spool, { from, to });
  // A tag may hide what it claims to hold.
  const bounds =
    (await boundsFrom(spool, { from: start, to })) ?? (start > from ? await boundsFrom(spool, { from: from + 10, to }) : undefined);
  return bounds && longestOf(bounds);
}

/** Formats that are known by how they begin. One of them whose length cannot be found is damaged, or hides something. */
async function known(bounds: Promise<AudioBounds | undefined>): Promise<AudioBounds> {
  const found = await bounds;
  if (found === undefined || !(Math.max(found.declared, found.decoded, found.least) > 0)) throw refusedAudio('no audio is found in it');
  return found;
}

async function boundsFrom(spool: Spool, { from, to }: Pick<FormFile, 'from' | 'to'>): Promise<AudioBounds | undefined> {
  const slice = (begin: number, end: number) => spool.slice(from + begin, Math.min(to, from + end));
  return boundsOf({ head: await slice(0, headBytes), length: to - from, slice });
}

/** Decoders of every format pass over ID3 tags at the beginning. Source: https://id3.org/id3v2.4.0-structure */
async function behindTags(spool: Spool, { from, to }: Pick<FormFile, 'from' | 'to'>): Promise<number> {
  let start = from;
  for (let tags = 0; tags < mostTags; tags += 1) {
    const head = await spool.slice(start, Math.min(to, start + 10));
    if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') break;
    const size = head.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 127), 0);
    const footer = ((head[5] ?? 0) & 0x10) !== 0 ? 10 : 0;
    if (start + 10 + size + footer > to) break;
    start += 10 + size + footer;
  }
  return start;
}

function boundsOf(file: FileBytes): Promise<AudioBounds | undefined> | AudioBounds | undefined {
  const { head } = file;
  const word = (at: number) => head.toString('latin1', at, at + 4);
  if (['RIFF', 'RF64', 'BW64'].includes(word(0)) && word(8) === 'WAVE') return known(wavLength(file));
  if (word(0) === 'fLaC' || flacFrame(head.subarray(0, 16)) !== undefined) return known(flacLength(file));
  if (word(0) === 'OggS') return known(oggLength(file));
  if (mp4Boxes.has(word(4))) return known(mp4Length(file));
  if (head.length > 4 && head.readUInt32BE(0) === 0x1a45dfa3) return known(webmLength(file));
  if (head.toString('latin1', 0, 6) === '#!AMR\n') return amrLength(new FileWindow(file), file.length, { isWide: false });
  if (head.toString('latin1', 0, 9) === '#!AMR-WB\n') return amrLength(new FileWindow(file), file.length, { isWide: true });
  return framed(file);
}

/** A stream of frames without a file around it. */
async function framed(file: FileBytes): Promise<AudioBounds | undefined> {
  for (const frameAt of [adtsFrame, mpegFrame]) {
    const { bounds, longestRun, first } = await framesLength(new FileWindow(file), { from: 0, to: file.length }, frameAt);
    if (longestRun >= fewestFrames || (first === 0 && longestRun > 0)) return bounds;
  }
  return undefined;
}
