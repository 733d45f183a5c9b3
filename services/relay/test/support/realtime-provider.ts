import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

type Json = Record<string, unknown>;

/** One session as the provider saw it. */
export interface SeenSession {
  path: string;
  headers: IncomingHttpHeaders;
  events: Json[];
  socket: WebSocket;
  say(event: Json): void;
  /** Events of one type. */
  of(type: string): Json[];
}

/** How answers are given, until told otherwise. */
export interface Manner {
  /** Refuses the handshake with this status and body. */
  refuse?: { status: number; body: Json } | undefined;
  /** Says this first instead of `session.created`. */
  firstWord?: Json | undefined;
  /** Words of an answer, each one piece; `sound`: pieces of 100 ms of speech. */
  words: number;
  sound: number;
  /** Stops after so many pieces and says nothing more. */
  stopAfter: number;
  paceMs: number;
  refusesUpdates: boolean;
  /** Types of events that are refused. */
  refuses: string[];
  /** What an event leads to is said when no more of them have come for a while, as when events were sent without waiting. */
  answersLate: boolean;
  /** The bill of an answer; null: none is told. */
  usage: Json | null;
}

export interface RealtimeProvider {
  url: string;
  sessions: SeenSession[];
  last(): SeenSession;
  manner(changes: Partial<Manner>): void;
  reset(): void;
  close(): Promise<void>;
}

export const usualUsage = {
  total_tokens: 150,
  input_tokens: 100,
  output_tokens: 50,
  input_token_details: {
    text_tokens: 40,
    audio_tokens: 60,
    cached_tokens: 30,
    cached_tokens_details: { text_tokens: 20, audio_tokens: 10 },
  },
  output_token_details: { text_tokens: 20, audio_tokens: 30 },
};

const usual: Manner = {
  words: 3,
  sound: 2,
  stopAfter: Number.POSITIVE_INFINITY,
  paceMs: 0,
  refusesUpdates: false,
  refuses: [],
  answersLate: false,
  usage: usualUsage,
};
/** 100 ms of 16-bit samples at 24 kHz. */
export const tenthOfSecond = Buffer.alloc(4_800).toString('base64');

/** A provider that speaks OpenAI's realtime protocol, as its documentation says. */
export async function startRealtimeProvider(): Promise<RealtimeProvider> {
  const sessions: SeenSession[] = [];
  let manner = { ...usual };
  const http = createServer();
  const server = new WebSocketServer({ noServer: true });
  http.on('upgrade', (request, socket, head) => {
    if (manner.refuse !== undefined) {
      const body = JSON.stringify(manner.refuse.body);
      const type = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
      return void socket.end(`HTTP/1.1 ${manner.refuse.status} Refused\r\n${type}${body}`);
    }
    server.handleUpgrade(request, socket, head, (line) => open(line, request.url ?? '', request.headers));
  });

  function open(socket: WebSocket, path: string, headers: IncomingHttpHeaders): void {
    const events: Json[] = [];
    let late: Json[] = [];
    let timer: NodeJS.Timeout | undefined;
    const now = (event: Json) => socket.send(JSON.stringify({ event_id: `event_${events.length}`, ...event }));
    const say = (event: Json) => {
      if (!manner.answersLate) return now(event);
      late.push(event);
      clearTimeout(timer);
      timer = setTimeout(() => {
        for (const each of late) now(each);
        late = [];
      }, 50);
    };
    const session: SeenSession = { path, headers, events, socket, say: now, of: (type) => events.filter((event) => event.type === type) };
    sessions.push(session);
    const running = new Map<string, { isCancelled: boolean }>();
    let answers = 0;
    socket.on('error', () => undefined);
    socket.on('message', (data, isBinary) => {
      const event = (isBinary ? { type: 'binary' } : JSON.parse(String(data))) as Json;
      events.push(event);
      const refusal = { type: 'invalid_request_error', message: 'No such voice', event_id: event.event_id };
      if (manner.refuses.includes(String(event.type))) {
        say({ type: 'error', error: { ...refusal, message: 'Refused' } });
        return;
      }
      if (event.type === 'session.update')
        say(manner.refusesUpdates ? { type: 'error', error: refusal } : { type: 'session.updated', session: event.session });
      if (event.type === 'conversation.item.create') say({ type: 'conversation.item.created', item: event.item });
      if (event.type === 'response.create') void answer();
      if (event.type === 'response.cancel') {
        const found = running.get(String(event.response_id));
        if (found !== undefined) found.isCancelled = true;
      }
      if (event.type === 'input_audio_buffer.clear') say({ type: 'input_audio_buffer.cleared' });
      if (event.type === 'input_audio_buffer.commit') say({ type: 'input_audio_buffer.committed', item_id: `item_${events.length}` });
    });
    say(manner.firstWord ?? { type: 'session.created', session: { id: 'sess_1', model: 'upstream', turn_detection: null } });

    async function answer(): Promise<void> {
      const { words, sound, stopAfter, paceMs, usage } = manner;
      const response = { id: `resp_${sessions.indexOf(session)}_${answers}`, status: 'in_progress' };
      answers += 1;
      const state = { isCancelled: false };
      running.set(response.id, state);
      say({ type: 'response.created', response });
      for (let piece = 0; piece < words + sound; piece += 1) {
        if (piece >= stopAfter) {
          while (!state.isCancelled && socket.readyState === socket.OPEN) await new Promise((resolve) => setTimeout(resolve, 5));
          if (manner.stopAfter === 0) return;
        }
        if (state.isCancelled || socket.readyState !== socket.OPEN) break;
        if (paceMs > 0) await new Promise((resolve) => setTimeout(resolve, paceMs));
        const own = { response_id: response.id, item_id: 'item', output_index: 0, content_index: 0 };
        if (piece < words) say({ type: 'response.output_text.delta', delta: `w${piece} `, ...own });
        else say({ type: 'response.output_audio.delta', delta: tenthOfSecond, ...own });
      }
      running.delete(response.id);
      say({ type: 'response.done', response: { ...response, status: state.isCancelled ? 'cancelled' : 'completed', usage } });
    }
  }

  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    sessions,
    last() {
      const session = sessions.at(-1);
      if (session === undefined) throw new Error('no session was opened');
      return session;
    },
    manner: (changes) => Object.assign(manner, changes),
    reset() {
      manner = { ...usual };
      sessions.length = 0;
    },
    async close() {
      for (const { socket } of sessions) socket.terminate();
      server.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
