import type { TaskRow } from '@tollgate/db';
import { isObject } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { request as send } from 'undici';
import type { Caller } from '../auth/callers.ts';
import type { Call } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';

import { failCall } from '../pipeline/count-call.ts';
import { authenticateToRead } from '../pipeline/enter-to-read.ts';
import { logCall } from '../records/log-call.ts';
import { readBody } from '../request/body.ts';
import { parseJson } from '../request/json-scan.ts';
import { objectIn } from '../request/read-request.ts';
import { answerHeaders } from '../response/respond.ts';
import { boundToKey } from '../routing/key-pool.ts';
import { forwardImage } from './forward-image.ts';
import { accountId, accountView, drawingView, idsAsked, imageAddress, latestOwnTasks, musicView, ownTask, ownTasks } from './own-tasks.ts';
import { submitTask } from './submit-task.ts';
import { drawingRequest, drawingSubmissions, musicRequest } from './task-request.ts';

/** What the path names. */
interface Named {
  /** What follows `/mj/` or `/suno/`. */
  path: string;
  /** The mode that clients put before it; '' for none. */
  mode: string;
  id: string;
  secret: string;
}

/**
 * A route of tasks. What only reads gets its caller here, so that no route can leave out a check; a submission authenticates with its
 * reservation, and a signed address is its own proof.
 */
type TaskRoute = { method: 'GET' | 'POST'; path: string } & (
  | { access: 'read'; answer(relay: Relay, call: Call, named: Named & { caller: Caller }): Promise<unknown> }
  | { access: 'submit' | 'signed'; answer(relay: Relay, call: Call, named: Named): Promise<unknown> }
);

/** Under `/mj/`, also behind one of the modes. Bodies and answers are those of midjourney-proxy. */
export const drawingRoutes: readonly TaskRoute[] = [
  ...drawingSubmissions.map((path): TaskRoute => ({ method: 'POST', path, access: 'submit', answer: submitDrawing })),
  { method: 'POST', path: 'task/list-by-condition', access: 'read', answer: listDrawings },
  { method: 'GET', path: 'task/list', access: 'read', answer: (relay, call, { caller }) => latestDrawings(relay, call, { caller }) },
  {
    method: 'GET',
    path: 'task/queue',
    access: 'read',
    answer: (relay, call, { caller }) => latestDrawings(relay, call, { caller, isOpen: true }),
  },
  { method: 'GET', path: 'account/list', access: 'read', answer: async (relay, _call, { caller }) => [accountView(relay, caller)] },
  {
    method: 'GET',
    path: `account/${accountId}/fetch`,
    access: 'read',
    answer: async (relay, _call, { caller }) => accountView(relay, caller),
  },
  { method: 'GET', path: 'task/:id/fetch', access: 'read', answer: fetchDrawing },
  { method: 'GET', path: 'task/:id/image-seed', access: 'read', answer: imageSeed },
  { method: 'GET', path: 'image/:id', access: 'signed', answer: (relay, call, { id }) => forwardImage(relay, call, id) },
  { method: 'POST', path: 'notify', access: 'signed', answer: hearCallback },
  { method: 'POST', path: 'notify/:id', access: 'signed', answer: hearCallback }, // both without what they need
  { method: 'POST', path: 'notify/:id/:secret', access: 'signed', answer: hearCallback },
];

/** Under `/suno/`. Bodies and answers are those of Suno-API. */
export const musicRoutes: readonly TaskRoute[] = [
  { method: 'POST', path: 'submit/:id', access: 'submit', answer: submitMusic },
  { method: 'POST', path: 'fetch', access: 'read', answer: listMusic },
  { method: 'GET', path: 'fetch/:id', access: 'read', answer: fetchMusic },
];

const drawingPath = /^\/(?:((?:mj-)?(?:fast|relax|turbo))\/)?mj\/(.{1,300})$/;
const musicPath = /^\/suno\/(.{1,300})$/;

interface FoundTaskRoute {
  route: TaskRoute;
  named: Named;
}

/** The route of a path of tasks; undefined for a path that is none of theirs. */
export function taskRouteAt(path: string): FoundTaskRoute | undefined {
  const [, mode = '', drawing] = drawingPath.exec(path) ?? [];
  if (drawing !== undefined) return routeAmong(drawingPatterns, drawing, mode);
  const music = musicPath.exec(path)?.[1];
  return music === undefined ? undefined : routeAmong(musicPatterns, music, '');
}

type Patterns = readonly { route: TaskRoute; pattern: RegExp }[];

const patternsOf = (routes: readonly TaskRoute[]): Patterns =>
  routes.map((route) => ({
    route,
    pattern: new RegExp(`^${route.path.replace(':id', '(?<id>[\\w.:-]{1,128})').replace(':secret', '(?<secret>[\\w-]{1,128})')}$`),
  }));
const drawingPatterns = patternsOf(drawingRoutes);
const musicPatterns = patternsOf(musicRoutes);

function routeAmong(patterns: Patterns, path: string, mode: string): FoundTaskRoute | undefined {
  for (const { route, pattern } of patterns) {
    const match = pattern.exec(path);
    if (match !== null) return { route, named: { path, mode, id: match.groups?.id ?? '', secret: match.groups?.secret ?? '' } };
  }
  return undefined;
}

/** Rejects while the database is away: tasks are there. */
async function read(relay: Relay, call: Call, { route, named }: { route: TaskRoute & { access: 'read' }; named: Named }): Promise<unknown> {
  const caller = await authenticateToRead(relay, call);
  return relay.datastores.guard('MongoDB', () => route.answer(relay, call, { ...named, caller }));
}

/** One call about tasks, end to end. */
export async function answerTask(relay: Relay, call: Call, { route, named }: FoundTaskRoute): Promise<void> {
  let status = 200;
  try {
    relay.openCalls.enter(call);
    const { method = '' } = call.request;
    if (method !== route.method) throw new AppError('method_not_allowed', { method, allow: `${route.method}, OPTIONS` });
    const body = route.access === 'read' ? await read(relay, call, { route, named }) : await route.answer(relay, call, named);
    if (!call.response.headersSent) answerJson(call, body);
  } catch (error) {
    status = failCall(relay, call, { error });
    relay.records.failed(call, { status, error });
  } finally {
    relay.openCalls.leave(call);
    relay.metrics.answered(call, status);
    logCall(relay, call, status, { stream: false });
  }
}

function answerJson(call: Call, body: unknown): void {
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
  call.response.writeHead(200, answerHeaders(call, headers)).end(bytes);
}

type OwnTask = Pick<Named, 'id'> & { caller: Caller };

/** 21 (done before) and 22 (queued) are success to callers; only where a modal has to follow do they have to know. */
async function submitDrawing(relay: Relay, call: Call, at: Pick<Named, 'path' | 'mode'>): Promise<unknown> {
  const { request, submission } = await submitTask(relay, call, (sent, options) => drawingRequest(at, sent, options));
  const { taken, code, description, result, properties } = submission;
  const told = taken && (code === 22 || (code === 21 && !request.isFree)) ? 1 : code;
  return { code: told, description, result, properties: properties ?? {} };
}

async function submitMusic(relay: Relay, call: Call, { id: action }: Named): Promise<unknown> {
  const { submission } = await submitTask(relay, call, (sent) => musicRequest(action, sent));
  const { taken, codeText, description, upstreamId } = submission;
  if (taken) return { code: 'success', message: description, data: upstreamId };
  const body = Buffer.from(JSON.stringify({ code: codeText, message: description, data: null }));
  call.response.writeHead(500, answerHeaders(call, { 'content-type': 'application/json', 'content-length': body.length })).end(body);
  return undefined;
}

async function fetchDrawing(relay: Relay, call: Call, { caller, id }: OwnTask): Promise<unknown> {
  const row = await ownTask('drawing', caller.userId, id);
  if (row === undefined) throw new AppError('task_not_found');
  return drawingView(row, imageAddress(relay, row, call.request.headers.host));
}

async function listDrawings(relay: Relay, call: Call, { caller }: Pick<OwnTask, 'caller'>): Promise<unknown> {
  return drawingViews(relay, call, await ownTasks('drawing', caller.userId, await idsAsked(relay, call)));
}

/** A proxy lists all of its tasks there, and those it still works on; here each caller sees his own. */
async function latestDrawings(relay: Relay, call: Call, { caller, ...which }: { caller: Caller; isOpen?: true }): Promise<unknown> {
  return drawingViews(relay, call, await latestOwnTasks('drawing', caller.userId, which));
}

const drawingViews = (relay: Relay, call: Call, found: TaskRow[]) =>
  found.map((row) => drawingView(row, imageAddress(relay, row, call.request.headers.host)));

const seedMs = 30_000;
const mostSeedBytes = 64 * 1024;

/** Only the channel that made a picture knows its seed. */
async function imageSeed(relay: Relay, _call: Call, { caller, id }: OwnTask): Promise<unknown> {
  const row = await ownTask('drawing', caller.userId, id);
  if (row?.upstreamId === undefined) throw new AppError('task_not_found');
  const channel = boundToKey(relay.table.channel(row.channelId), row.keyId);
  const { provider, target, isEnabled } = channel ?? {};
  if (provider?.tasks === undefined || target === undefined || !isEnabled) throw new AppError('task_channel_disabled');
  const url = provider.tasks.submitUrl(`/mj/task/${encodeURIComponent(row.upstreamId)}/image-seed`, target);
  try {
    const answer = await send(url, {
      dispatcher: (channel?.proxy === undefined ? relay.egress : relay.egress.through(channel.proxy)).dispatcher,
      headers: { ...provider.headers({ ...target, model: '' }), 'user-agent': 'tollgate' },
      signal: AbortSignal.timeout(seedMs),
    });
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of answer.body as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > mostSeedBytes) throw new AppError('upstream_bad_answer');
      pieces.push(piece);
    }
    const told: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'));
    if (!isObject(told)) throw new AppError('upstream_bad_answer');
    const { code, description, result } = told;
    return { code, description, result };
  } catch (cause) {
    if (cause instanceof AppError && cause.code !== 'egress_refused') throw cause;
    throw new AppError('upstream_unreachable', {}, { cause });
  }
}

async function fetchMusic(_relay: Relay, _call: Call, { caller, id }: OwnTask): Promise<unknown> {
  const row = await ownTask('music', caller.userId, id);
  if (row === undefined) throw new AppError('task_not_found');
  return { code: 'success', message: '', data: musicView(row) };
}

async function listMusic(relay: Relay, call: Call, { caller }: Pick<OwnTask, 'caller'>): Promise<unknown> {
  const found = await ownTasks('music', caller.userId, await idsAsked(relay, call));
  return { code: 'success', message: '', data: found.map(musicView) };
}

const mostCallbackBytes = 1024 * 1024;

/** A provider says that something became of a task. What, the sync asks for itself: of the body only the task's name there is looked at. */
async function hearCallback(relay: Relay, call: Call, { id, secret }: Named): Promise<undefined> {
  if (!relay.callbacks.isValid(id, secret)) throw new AppError('callback_refused');
  const body = await readBody(call.request, { maxBytes: mostCallbackBytes, take: (bytes) => relay.openCalls.buffer(call, bytes) });
  const { id: upstreamId } = objectIn(parseJson(body.json));
  relay.callbacks.hint(id, typeof upstreamId === 'string' || typeof upstreamId === 'number' ? String(upstreamId).slice(0, 128) : '');
  return undefined;
}
