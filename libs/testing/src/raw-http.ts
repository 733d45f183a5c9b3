import { connect } from 'node:net';

/** Sends bytes as they are and resolves with all that comes back until the server ends. `ends`: our side is ended right after. */
export function sendRaw(origin: string, bytes: string | Buffer, { ends = false }: { ends?: boolean } = {}): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const pieces: Buffer[] = [];
    socket.on('data', (piece) => pieces.push(piece));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A server that refuses need not read on; what it said before counts.
      if (pieces.length > 0 && (error.code === 'EPIPE' || error.code === 'ECONNRESET')) resolve(Buffer.concat(pieces).toString());
      else reject(error);
    });
    socket.on('end', () => {
      socket.end();
      resolve(Buffer.concat(pieces).toString());
    });
    if (ends) socket.end(bytes);
    else socket.write(bytes);
  });
}
