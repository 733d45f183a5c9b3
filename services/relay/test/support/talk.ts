import { eventually } from '@tollgate/testing';
import { WebSocket } from 'ws';

type Json = Record<string, unknown>;

/** A caller's session, and all that it was told. */
export interface Talk {
  socket: WebSocket;
  heard: Json[];
  say(event: Json): void;
  /** The first event of a type behind those that were waited for before. */
  next(type: string): Promise<Json>;
  /** The code that it was closed with. */
  closed(): Promise<number>;
}

interface TalkOptions {
  model?: string;
  query?: string;
  headers?: Record<string, string>;
  protocols?: string[];
}

const patient = { timeoutMs: 60_000 };

/** Opens a session at a relay's door. Rejects with the answer's status and body when it is refused. */
export async function talkAt(url: string, authorization: string | undefined, options: TalkOptions = {}): Promise<Talk> {
  const { model = 'voice', query = '', headers = {}, protocols = [] } = options;
  const address = `${url.replace('http', 'ws')}/v1/realtime?model=${model}${query}`;
  const socket = new WebSocket(address, protocols, { headers: { ...headers, ...(authorization && { authorization }) } });
  const heard: Json[] = [];
  let seen = 0;
  let code: number | undefined;
  socket.on('error', () => undefined);
  socket.on('message', (data) => heard.push(JSON.parse(String(data)) as Json));
  socket.once('close', (closed) => {
    code = closed;
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
    socket.once('unexpected-response', (_request, answer) => {
      let body = '';
      answer.on('data', (piece) => {
        body += String(piece);
      });
      answer.on('end', () => reject(new Refused(answer.statusCode ?? 0, body)));
    });
  });
  return {
    socket,
    heard,
    say: (event) => socket.send(JSON.stringify(event)),
    next: (type) =>
      eventually(() => {
        const at = heard.findIndex((event, index) => index >= seen && event.type === type);
        if (at < 0) throw new Error(`no ${type} among ${heard.slice(seen).map((event) => JSON.stringify(event).slice(0, 200))}`);
        seen = at + 1;
        return heard[at] as Json;
      }, patient),
    closed: () =>
      eventually(() => {
        if (code === undefined) throw new Error('it is open');
        return code;
      }, patient),
  };
}

/** A session that was refused before it was opened. */
export class Refused extends Error {
  readonly status: number;
  readonly body: string;

  constructor(status: number, body: string) {
    super(`refused with ${status}: ${body}`);
    this.status = status;
    this.body = body;
  }
}
