import type { Socket } from 'node:net';
import { int32At } from '../values/raw.ts';

const maxMessageBytes = 48_000_000 + 1024 * 1024;

/** Cuts what a socket receives into whole messages; a length that cannot be ends the connection. */
export function readMessages(socket: Socket, onMessage: (message: Buffer) => void): void {
  let chunks: Buffer[] = [];
  let have = 0;
  let need = 0;
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    have += chunk.length;
    while (have >= 4) {
      if (need === 0) {
        if ((chunks[0] as Buffer).length < 4) chunks = [Buffer.concat(chunks)];
        need = int32At(chunks[0] as Buffer, 0);
        if (need < 21 || need > maxMessageBytes) {
          socket.destroy();
          return;
        }
      }
      if (have < need) return;
      const whole = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      onMessage(whole.subarray(0, need));
      const left = whole.subarray(need);
      chunks = left.length > 0 ? [left] : [];
      have = left.length;
      need = 0;
    }
  });
}
