/** What ends an answer in chunks: https://www.rfc-editor.org/rfc/rfc9112#section-7.1 */
export const lastChunk = '0\r\n\r\n';

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** A chunk with its head and tail, to be written at once: Node writes them as four pieces, an eighth of what a frame costs. Nothing is no chunk. */
export function chunkOf(piece: Buffer | string): Buffer | string {
  if (piece.length === 0) return piece;
  if (typeof piece === 'string') return `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`;
  const head = piece.length.toString(16);
  const chunk = Buffer.allocUnsafe(head.length + piece.length + 4);
  for (let at = 0; at < head.length; at += 1) chunk[at] = head.charCodeAt(at);
  endLine(chunk, head.length);
  chunk.set(piece, head.length + 2);
  endLine(chunk, chunk.length - 2);
  return chunk;
}

/** Byte by byte: of so few, a call of Node's own costs more. */
function endLine(chunk: Buffer, at: number): void {
  chunk[at] = carriageReturn;
  chunk[at + 1] = lineFeed;
}
