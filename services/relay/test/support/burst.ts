import { once } from 'node:events';
import { connect } from 'node:net';

export interface BurstCall {
  path: string;
  body: unknown;
  authorization: string;
}

export interface BurstAnswer {
  status: number;
  headers: Headers;
  json: unknown;
}

/**
 * Sends all calls within one turn of the event loop, each on a line that has been answered on before: connections are accepted one a turn.
 * `onAnswer` hears of each answer as it is whole.
 */
export async function burst(url: string, calls: BurstCall[], onAnswer?: (at: number) => void): Promise<BurstAnswer[]> {
  const { hostname, port } = new URL(url);
  const lines = calls.map(() => connect(Number(port), hostname));
  await Promise.all(
    lines.map((line) => {
      line.write('GET /livez HTTP/1.1\r\nhost: relay\r\n\r\n');
      return once(line, 'data');
    }),
  );
  const answers = lines.map(async (line, at) => {
    const pieces: Buffer[] = [];
    line.on('data', (piece: Buffer) => pieces.push(piece));
    await once(line, 'end');
    onAnswer?.(at);
    return parsed(Buffer.concat(pieces).toString());
  });
  for (const [at, { path, body, authorization }] of calls.entries()) {
    const text = JSON.stringify(body);
    const head = ['host: relay', 'connection: close', 'content-type: application/json', `authorization: ${authorization}`];
    lines[at]?.write([`POST ${path} HTTP/1.1`, ...head, `content-length: ${Buffer.byteLength(text)}`, '', text].join('\r\n'));
  }
  return Promise.all(answers);
}

function parsed(text: string): BurstAnswer {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [first = '', ...fields] = head.split('\r\n');
  const headers = new Headers(fields.map((field) => field.split(': ', 2) as [string, string]));
  return { status: Number(first.split(' ')[1]), headers, json: JSON.parse(body) };
}
