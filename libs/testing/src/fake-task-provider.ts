import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A task as the provider keeps it, in its own words. */
export type FakeTask = Record<string, unknown> & { id: string };

export interface TaskQuestion {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  json: Record<string, unknown>;
}

/** What a test lets the provider do with a question; undefined: the usual. `hang` never answers, `cut` breaks the line. */
export type TaskScript = (question: TaskQuestion) => { status?: number; body: unknown } | 'hang' | 'cut' | undefined;

/** A Midjourney proxy and a Suno in one. */
export interface FakeTaskProvider {
  url: string;
  /** All that was asked, in order. */
  asked: TaskQuestion[];
  tasks: Map<string, FakeTask>;
  /** How questions are answered from now on. */
  answers(script: TaskScript | undefined): void;
  /** Moves a task on. */
  moves(id: string, change: Record<string, unknown>): void;
  /** Moves all of them on. */
  ends(change: (task: FakeTask) => Record<string, unknown>): void;
  reset(): void;
  close(): Promise<void>;
}

/** Ids as midjourney-proxy makes them; unlike over all providers of a run. */
let lastId = 1_741_001_500_000_000;

export async function startFakeTaskProvider(): Promise<FakeTaskProvider> {
  const tasks = new Map<string, FakeTask>();
  const asked: TaskQuestion[] = [];
  let script: TaskScript | undefined;

  function usual({ path, json }: TaskQuestion): unknown {
    if (path.endsWith('/task/list-by-condition')) return (json.ids as string[]).flatMap((id) => tasks.get(id) ?? []);
    if (path.endsWith('/image-seed')) return { code: 1, description: 'Success', result: '3740201' };
    if (path === '/suno/fetch') {
      const found = (json.ids as string[]).flatMap((id) => tasks.get(id) ?? []);
      return { code: 'success', message: '', data: found.map(({ id, ...task }) => ({ task_id: id, ...task })) };
    }
    if (path.endsWith('/submit/upload-discord-images')) {
      return { code: 1, description: 'Success', result: ['https://cdn.example.com/up/1.png'], properties: {} };
    }
    lastId += 1;
    const id = String(lastId);
    tasks.set(id, { id, status: 'SUBMITTED', progress: '0%', ...(path.startsWith('/suno') && { data: null }) });
    if (path.startsWith('/suno')) return { code: 'success', message: '', data: id };
    return { code: 1, description: 'Submit success', result: id, properties: {} };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const text = Buffer.concat(pieces).toString('utf8');
    const { method = '', url = '', headers } = request;
    const question = { method, path: url, headers, json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
    asked.push(question);
    const scripted = script?.(question);
    if (scripted === 'hang') return;
    if (scripted === 'cut') return void request.socket.destroy();
    const { status = 200, body } = scripted ?? { body: usual(question) };
    response.writeHead(status, { 'content-type': 'application/json' }).end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    tasks,
    answers(next) {
      script = next;
    },
    moves(id, change) {
      const task = tasks.get(id);
      if (task === undefined) throw new Error(`no task ${id}`);
      Object.assign(task, change);
    },
    ends(change) {
      for (const task of tasks.values()) Object.assign(task, change(task));
    },
    reset() {
      script = undefined;
      asked.length = 0;
      tasks.clear();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
