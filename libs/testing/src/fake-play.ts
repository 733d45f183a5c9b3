import type { ServerResponse } from 'node:http';
import type { FakeAnswer, FakeScript } from './fake-answers.ts';

interface Playing {
  script: FakeScript;
  answer: FakeAnswer;
  /** Told how many tokens of the answer were written. */
  call: { sentTokens: number };
  settle(outcome: 'full' | 'partial' | 'failed'): void;
}

/** Writes an answer out as its script says. */
export async function play(res: ServerResponse, { script, answer, call, settle }: Playing): Promise<void> {
  if (script.delayMs) await wait(script.delayMs);
  if (script.refuseBy === 'hang') return;
  if (script.refuseBy === 'destroy') {
    res.destroy();
    return;
  }
  if (script.raw !== undefined) {
    res.socket?.end(script.raw);
    return;
  }
  const outcome = answer.status < 400 ? 'full' : 'failed';
  const [only] = answer.pieces;
  if (answer.pieces.length === 1 && script.breakBy === undefined && only !== undefined) {
    res.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(only) });
    // Counted when the bytes have left, so that a caller who went away is not counted as answered.
    res.end(only, () => settle(outcome));
    return;
  }
  res.writeHead(answer.status, answer.headers);
  res.flushHeaders();
  for (const [index, piece] of answer.pieces.entries()) {
    if (script.breakBy !== undefined && index === (script.breakAfter ?? 0)) {
      if (answer.pieces.length === 1) res.write(Buffer.from(piece).subarray(0, Math.floor(Buffer.byteLength(piece) / 2)));
      breakOff(res, script.breakBy);
      return;
    }
    if (res.destroyed) return;
    const isTaken = res.write(piece);
    call.sentTokens += answer.tokens[index] ?? 0;
    if (script.paceMs) await wait(script.paceMs);
    else if (!isTaken) await drained(res);
  }
  res.end(() => settle(outcome));
}

function breakOff(res: ServerResponse, by: NonNullable<FakeScript['breakBy']>): void {
  if (by === 'end') res.end();
  // What was written must arrive before the line is cut.
  else if (by === 'destroy') setTimeout(() => res.destroy(), 20);
  else if (by === 'error') res.end(`data: ${JSON.stringify({ error: { message: 'The server had an error', type: 'server_error' } })}\n\n`);
}

/** Until more may be written, or nobody is there to read it. */
function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      res.off('drain', go).off('close', go);
      resolve();
    };
    res.once('drain', go).once('close', go);
  });
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
