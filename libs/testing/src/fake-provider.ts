import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FakeAnswer, type FakeQuestion, type FakeScript, fakeAnswer } from './fake-answers.ts';
import { play } from './fake-play.ts';
import { questionOf } from './fake-question.ts';

/** One call as the provider saw it, and what became of it: the truth that bills are held against. */
export interface SeenCall {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  /** The body as it came; parsed in `json`. */
  body: string;
  json: unknown;
  model: string;
  /** What the test marked the call with: the body's `user`, else the header `x-request-id`. */
  mark: string | undefined;
  /** `full`: everything was written out; `partial`: the line broke on either side; `failed`: an error status; `open`: not over yet. */
  outcome: 'open' | 'full' | 'partial' | 'failed';
  promptTokens: number;
  /** What the whole answer has, and how much of that was written. */
  completionTokens: number;
  sentTokens: number;
}

export interface FakeTotals {
  full: number;
  partial: number;
  failed: number;
  open: number;
  /** Of the full ones. */
  promptTokens: number;
  completionTokens: number;
}

export interface FakeProviderOptions {
  port?: number;
  /** False keeps totals only, for benchmarks. */
  keepCalls?: boolean;
  script?: FakeScript;
}

export interface FakeProvider {
  url: string;
  port: number;
  /** Every call, in order of arrival. */
  calls: SeenCall[];
  lastCall(): SeenCall;
  /** How every call is answered from now on, or every call for one model. */
  answers(script: FakeScript, model?: string): void;
  /** How the next calls are answered, one each; then `answers` holds again. */
  answersNext(...scripts: FakeScript[]): void;
  totals(model?: string): FakeTotals;
  openSockets(): number;
  /** How many calls were being answered at once, at the most. */
  mostOpen(): number;
  /** Forgets scripts and calls. */
  reset(): void;
  close(): Promise<void>;
}

const noTotals: FakeTotals = { full: 0, partial: 0, failed: 0, open: 0, promptTokens: 0, completionTokens: 0 };

/**
 * A provider for tests: a real HTTP server that answers by script and keeps what it was asked and what it answered. Other
 * processes steer it with `POST /__script` ({script, model?, next?}), `GET /__seen` ({calls, totals}) and `POST /__reset`.
 */
export async function startFakeProvider(options: FakeProviderOptions = {}): Promise<FakeProvider> {
  const keepCalls = options.keepCalls ?? true;
  const calls: SeenCall[] = [];
  const queue: FakeScript[] = [];
  const byModel = new Map<string, FakeScript>();
  const totals = new Map<string, FakeTotals>();
  const prepared = new Map<string, FakeAnswer>();
  let script: FakeScript = options.script ?? {};

  const setScript = (next: FakeScript, model?: string) => {
    prepared.clear();
    if (model === undefined) script = next;
    else byModel.set(model, next);
  };
  let [open, mostOpen] = [0, 0];
  const reset = () => {
    prepared.clear();
    mostOpen = open;
    calls.length = 0;
    queue.length = 0;
    byModel.clear();
    totals.clear();
    script = options.script ?? {};
  };
  const totalsOf = (model: string) => {
    let found = totals.get(model);
    if (found === undefined) {
      found = { ...noTotals };
      totals.set(model, found);
    }
    return found;
  };

  /** The standing script answers alike questions alike: made once, so that benchmarks do not measure us. */
  const preparedAnswer = (standing: FakeScript, question: FakeQuestion): FakeAnswer => {
    const key = Object.values(question).join('|');
    const found = prepared.get(key) ?? fakeAnswer(standing, question);
    prepared.set(key, found);
    return found;
  };

  const answer = (req: IncomingMessage, res: ServerResponse, body: string) => {
    const path = req.url ?? '/';
    if (path.startsWith('/__')) {
      steer(path, body, { res, setScript, queue, reset, calls, totals: () => sum(totals.values()) });
      return;
    }
    const json = parse(body);
    const question = questionOf(path, json);
    const chosen = queue.shift() ?? byModel.get(question.model) ?? script;
    const written = chosen === script ? preparedAnswer(chosen, question) : fakeAnswer(chosen, question);
    const call: SeenCall = {
      method: req.method ?? '',
      path,
      headers: req.headers,
      body,
      json,
      model: question.model,
      mark: markOf(json, req),
      outcome: 'open',
      promptTokens: written.promptTokens,
      completionTokens: written.completionTokens,
      sentTokens: 0,
    };
    if (keepCalls) calls.push(call);
    const total = totalsOf(question.model);
    total.open += 1;
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    const settle = (outcome: 'full' | 'partial' | 'failed') => {
      if (call.outcome !== 'open') return;
      call.outcome = outcome;
      total.open -= 1;
      open -= 1;
      total[outcome] += 1;
      if (outcome !== 'full') return;
      call.sentTokens = call.completionTokens;
      total.promptTokens += call.promptTokens;
      total.completionTokens += call.completionTokens;
    };
    res.once('close', () => settle('partial'));
    void play(res, { script: chosen, answer: written, call, settle });
  };

  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
    if (req.method === 'GET') {
      answer(req, res, '');
      return;
    }
    const pieces: Buffer[] = [];
    req.on('data', (piece: Buffer) => pieces.push(piece));
    req.on('end', () => answer(req, res, (pieces.length === 1 ? pieces[0] : Buffer.concat(pieces))?.toString('utf8') ?? ''));
  });
  const sockets = new Set<object>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    calls,
    lastCall: () => {
      const last = calls.at(-1);
      if (last === undefined) throw new Error('the provider was not called');
      return last;
    },
    answers: setScript,
    answersNext: (...scripts) => void queue.push(...scripts),
    totals: (model) => (model === undefined ? sum(totals.values()) : { ...totalsOf(model) }),
    openSockets: () => sockets.size,
    mostOpen: () => mostOpen,
    reset,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function markOf(json: unknown, req: IncomingMessage): string | undefined {
  const user = (json as { user?: unknown } | null)?.user;
  const header = req.headers['x-request-id'];
  if (typeof user === 'string') return user;
  return typeof header === 'string' ? header : undefined;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // a GET, a form, or a test of what is no JSON
  }
}

function sum(all: Iterable<FakeTotals>): FakeTotals {
  const result = { ...noTotals };
  for (const one of all) for (const key of Object.keys(result) as (keyof FakeTotals)[]) result[key] += one[key];
  return result;
}

interface Steering {
  res: ServerResponse;
  setScript(script: FakeScript, model?: string): void;
  queue: FakeScript[];
  reset(): void;
  calls: SeenCall[];
  totals(): FakeTotals;
}

function steer(path: string, body: string, { res, setScript, queue, reset, calls, totals }: Steering): void {
  if (path === '/__script') {
    const order = JSON.parse(body) as { script: FakeScript; model?: string; next?: boolean };
    if (order.next) queue.push(order.script);
    else setScript(order.script, order.model);
  } else if (path === '/__reset') {
    reset();
  }
  const seen = path === '/__seen' ? { calls, totals: totals() } : { totals: totals() };
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(seen));
}
