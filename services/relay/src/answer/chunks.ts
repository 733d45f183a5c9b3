/** What ends an answer in chunks: https://www.rfc-editor.org/rfc/rfc9112#section-7.1 */
export const lastChunk = '0\r\n\r\n';

/** A chunk with its head and tail, to be written at once: Node writes them as four pieces, an eighth of what a frame costs. Nothing is no chunk. */
export function chunkOf(piece: Buffer | string): Buffer | string {
  if (piece.length === 0) return piece;
  if (typeof piece === 'string') return `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`;
  const head = `${piece.length.toString(16)}\r\n`;
  const chunk = Buffer.allocUnsafe(head.length + piece.length + 2);
  chunk.write(head, 'latin1');
  piece.copy(chunk, head.length);
  chunk.write('\r\n', head.length + piece.length, 'latin1');
  return chunk;
}
