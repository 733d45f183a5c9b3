import { refusedAudio } from './audio-bounds.ts';
import { opusMs } from './audio-frames.ts';
import type { FileWindow } from './file-bytes.ts';
import { flacFrame } from './flac-length.ts';
import { mpegFrame } from './framed-length.ts';

/** Samples that lie in a row, whose bytes say how long they sound. */
export interface Run {
  at: number;
  /** In bytes, of each. */
  sizes: ArrayLike<number>;
}

/** How many seconds a packet of so many bytes sounds, by the first of them. */
type PacketSeconds = (head: Buffer, track: { rate: number; size: number }) => number;

/** Codecs whose packets say how long they are. */
export const packetSecondsOf: Record<string, PacketSeconds> = {
  Opus: (head) => opusMs(head[0], head[1]) / 1000,
  fLaC(head, { rate }) {
    const frame = flacFrame(head);
    return frame === undefined ? 0 : frame.samples / (frame.rate || rate || 48_000);
  },
  '.mp3'(head, { size }) {
    const frame = mpegFrame(head);
    return frame === undefined ? 0 : frame.seconds * Math.max(1, Math.ceil(size / frame.bytes));
  },
};

const headBytes = 16;
/** Packets lie about in the order of time; so many steps to a place that is not near by are no accident. */
const mostJumps = 20_000;
const nearBytes = 64 * 1024;

/** The sum of what the packets last. Throws: AppError where they are scattered over the file. */
export async function packetsSeconds(
  window: FileWindow,
  runs: Iterable<Run>,
  { seconds, rate }: { seconds: PacketSeconds; rate: number },
): Promise<number> {
  let sum = 0;
  let jumps = 0;
  let last = 0;
  for (const { at: from, sizes } of runs) {
    let at = from;
    for (let i = 0; i < sizes.length; i += 1) {
      const size = sizes[i] ?? 0;
      if (Math.abs(at - last) > nearBytes && ++jumps > mostJumps) throw refusedAudio('its samples are scattered');
      last = at;
      const turn = window.reach(at, headBytes);
      if (turn !== undefined) await turn;
      if (size > 0) sum += seconds(window.from(at, Math.min(size, headBytes)), { rate, size });
      at += size;
    }
  }
  return sum;
}
