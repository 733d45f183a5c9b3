import type { Socket } from 'node:net';

/** A connection error that records whether a response had been received on the connection before. */
export interface SocketFailure extends Error {
  hadAnswered?: boolean;
}

/** Prepares a new connection for two cases that undici does not handle: see the functions below. */
export function prepareSocket(socket: Socket): void {
  tellReuse(socket);
  readOverContinue(socket);
}

/** Marks errors of a reused connection: the server may have closed it just when it was used again. */
function tellReuse(socket: Socket): void {
  const readBefore = socket.bytesRead;
  socket.prependListener('error', (error: SocketFailure) => {
    error.hadAnswered = socket.bytesRead > readBefore;
  });
}

const continueLine = Buffer.from('HTTP/1.1 100');
const headEnd = '\r\n\r\n';

/**
 * A server may send an unrequested `100 Continue`, which undici treats as a malformed response. Only the first bytes after a write are
 * checked. Source: https://www.rfc-editor.org/rfc/rfc9110#section-15.2
 */
function readOverContinue(socket: Socket): void {
  const { read, write } = socket;
  let isAnswerDue = false;
  let held: Buffer | undefined;
  socket.write = (...args: unknown[]) => {
    isAnswerDue = true;
    return (write as (...args: unknown[]) => boolean).apply(socket, args);
  };
  socket.read = (size?: number) => {
    const bytes = read.call(socket, size) as Buffer | null;
    if (!isAnswerDue || bytes === null) return bytes;
    const rest = withoutContinue(held === undefined ? bytes : Buffer.concat([held, bytes]));
    isAnswerDue = rest.isUndecided;
    held = rest.isUndecided ? rest.bytes : undefined;
    return rest.isUndecided ? null : rest.bytes;
  };
}

/** Removes leading `100 Continue` heads; undecided while the bytes may still be part of one. */
function withoutContinue(bytes: Buffer): { bytes: Buffer; isUndecided: boolean } {
  let rest = bytes;
  for (;;) {
    const length = Math.min(rest.length, continueLine.length);
    if (!continueLine.subarray(0, length).equals(rest.subarray(0, length))) return { bytes: rest, isUndecided: false };
    const end = rest.indexOf(headEnd);
    if (end < 0) return { bytes: rest, isUndecided: rest.length < longestHead };
    rest = rest.subarray(end + headEnd.length);
    if (rest.length === 0) return { bytes: rest, isUndecided: true };
  }
}

const longestHead = 16 * 1024;
