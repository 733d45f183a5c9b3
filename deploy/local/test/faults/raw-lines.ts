import { connect, type Socket } from 'node:net';

/** A call that keeps what it has sent in the relay's memory, until its line is cut. */
export function bodyWithoutEnd({ address, apiKey }: { address: string; apiKey: string }): Socket {
  const line = lineTo(address);
  const [whole, sent] = [33e6, 32e6];
  line.write(
    [
      'POST /v1/chat/completions HTTP/1.1',
      'host: tollgate',
      `authorization: Bearer ${apiKey}`,
      'content-type: application/json',
      `content-length: ${whole}`,
      '',
      '{"model":"',
    ].join('\r\n'),
  );
  line.write(Buffer.alloc(sent, 'a'));
  return line;
}

export function lineTo(address: string): Socket {
  const { hostname, port } = new URL(address);
  const line = connect(Number(port), hostname);
  line.on('error', () => undefined); // cut at the end
  return line;
}
