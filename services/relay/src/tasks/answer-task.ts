import type { TaskRow } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { request as send } from 'undici';
import type { Relay } from '../context/relay.ts';
import { isObject } from '../dialects/fields.ts';
import type { Call } from '../pipeline/call.ts';
import { failCall } from '../pipeline/fail-call.ts';
import { readBody } from '../request/body.ts';
import { parseJson } from '../request/json-body.ts';
import { objectIn } from '../request/read-request.ts';
import { answerHeaders } from '../response/respond.ts';
import { accountId, accountView } from './account.ts';
import { drawingRequest, isDrawingSubmission } from './drawing-request.ts';
import { forwardImage } from './forward-image.ts';
import { musicRequest } from './music-request.ts';
import { idsAsked, latestOwnTasks, ownerOf, ownTask, ownTasks } from './own-tasks.ts';
import { submitTask } from './submit-task.ts';
import { drawingView, imageAddress, musicView } from './task-views.ts';

type Answer = (relay: Relay, call: Call) => Promise<unknown>;

/** `/mj/...`, also under one of the modes that clients put before it; `/suno/...`. */
const drawingPath = /^\/(?:((?:mj-)?(?:fast|relax|turbo))\/)?mj\/(.{1,300})$/;
const musicPath = /^\/suno\/(.{1,300})$/;

/** Who answers a path of tasks; undefined for a path that is none of theirs. Bodies and answers are those of the proxies that it stands for. */
export function taskRouteAt(path: string): { methods: string; answer: Answer } | undefined {
  const [, mode = '', drawing] = drawingPath.exec(path) ?? [];
  if (drawing !== undefined) return drawingRoute(drawing, mode);
  const music = musicPath.exec(path)?.[1];
  return music === undefined ? undefined : musicRoute(music);
}

function drawingRoute(path: string, mode: string): ReturnType<typeof taskRouteAt> {
  if (isDrawingSubmission(path)) return { methods: 'POST', answer: (relay, call) => submitDrawing(relay, call, { path, mode }) };
  if (path === 'task/list-by-condition') return { methods: 'POST', answer: listDrawings };
  if (path === 'task/list') return { methods: 'GET', answer: (relay, call) => latestDrawings(relay, call, {}) };
  if (path === 'task/queue') return { methods: 'GET', answer: (relay, call) => latestDrawings(relay, call, { isOpen: true }) };
  if (path === 'account/list') return { methods: 'GET', answer: async (relay, call) => [await ownAccount(relay, call)] };
  if (path === `account/${accountId}/fetch`) return { methods: 'GET', answer: ownAccount };
  const [, asked, id = '', secret] = /^(task|image|notify)(?:\/([\w.:-]{1,128}))?(?:\/([\w-]{1,128}))?$/.exec(path) ?? [];
  if (asked === 'task' && secret === 'fetch') return { methods: 'GET', answer: (relay, call) => fetchDrawing(relay, call, id) };
  if (asked === 'task' && secret === 'image-seed') return { methods: 'GET', answer: (relay, call) => imageSeed(relay, call, id) };
  if (asked === 'image' && secret === undefined) return { methods: 'GET', answer: (relay, call) => forwardImage(relay, call, id) };
  if (asked === 'notify') return { methods: 'POST', answer: (relay, call) => hearCallback(relay, call, { id, secret: secret ?? '' }) };
  return undefined;
}

function musicRoute(path: string): ReturnType<typeof taskRouteAt> {
  const [, asked, rest] = /^(submit|fetch)(?:\/([\w.:-]{1,128}))?$/.exec(path) ?? [];
  if (asked === 'submit' && rest !== undefined) return { methods: 'POST', answer: (relay, call) => submitMusic(relay, call, rest) };
  if (asked !== 'fetch') return undefined;
  if (rest === undefined) return { methods: 'POST', answer: listMusic };
  return { methods: 'GET', answer: (relay, call) => fetchMusic(relay, call, rest) };
}

/** One call about tasks, end to end. */
export async function answerTask(relay: Relay, call: Call, { methods, answer }: { methods: string; answer: Answer }): Promise<void> {
  let status = 200;
  try {
    relay.openCalls.enter(call);
    const { method = '' } = call.request;
    if (method !== methods) throw new AppError('method_not_allowed', { method });
    const body = await answer(relay, call);
    if (!call.response.headersSent) answerJson(call, body);
  } catch (error) {
    status = failCall(relay, call, { error });
  } finally {
    relay.openCalls.leave(call);
    relay.metrics.answered(call, status);
    const { checked, channel } = call;
    relay.callLog({
      requestId: call.id,
      ...{ status, mode: checked?.mode, model: channel === undefined ? undefined : checked?.model },
      ...{ userId: checked?.caller.userId, tokenId: checked?.caller.tokenId, channelId: channel?.id, tries: call.triedChannels.length },
      ...{ stream: false, ms: Math.round(call.elapsedMs), firstTokenMs: -1 },
    });
  }
}

function answerJson(call: Call, body: unknown): void {
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
  call.response.writeHead(200, answerHeaders(call, headers)).end(bytes);
}

/** 21 (done before) and 22 (queued) are success to callers; only where a modal has to follow do they have to know. */
async function submitDrawing(relay: Relay, call: Call, at: { path: string; mode: string }): Promise<unknown> {
  const { request, submission } = await submitTask(relay, call, (sent, options) => drawingRequest(at, sent, options));
  const { taken, code, description, result, properties } = submission;
  const told = taken && (code === 22 || (code === 21 && !request.isFree)) ? 1 : code;
  return { code: told, description, result, properties: properties ?? {} };
}

async function submitMusic(relay: Relay, call: Call, action: string): Promise<unknown> {
  const { submission } = await submitTask(relay, call, (sent) => musicRequest(action, sent));
  const { taken, codeText, description, upstreamId } = submission;
  if (taken) return { code: 'success', message: description, data: upstreamId };
  const body = Buffer.from(JSON.stringify({ code: codeText, message: description, data: null }));
  call.response.writeHead(500, answerHeaders(call, { 'content-type': 'application/json', 'content-length': body.length })).end(body);
  return undefined;
}

async function fetchDrawing(relay: Relay, call: Call, id: string): Promise<unknown> {
  const { userId } = await ownerOf(relay, call);
  const row = await ownTask('drawing', userId, id);
  if (row === undefined) throw new AppError('task_not_found');
  return drawingView(row, imageAddress(relay, row, call.request.headers.host));
}

async function ownAccount(relay: Relay, call: Call): Promise<unknown> {
  return accountView(relay, await ownerOf(relay, call));
}

async function listDrawings(relay: Relay, call: Call): Promise<unknown> {
  const { userId } = await ownerOf(relay, call);
  return drawingViews(relay, call, await ownTasks('drawing', userId, await idsAsked(relay, call)));
}

/** A proxy lists all of its tasks there, and those it still works on; here each caller sees his own. */
async function latestDrawings(relay: Relay, call: Call, which: { isOpen?: true }): Promise<unknown> {
  const { userId } = await ownerOf(relay, call);
  return drawingViews(relay, call, await latestOwnTasks('drawing', userId, which));
}

const drawingViews = (relay: Relay, call: Call, found: TaskRow[]) =>
  found.map((row) => drawingView(row, imageAddress(relay, row, call.request.headers.host)));

const seedMs = 30_000;
const mostSeedBytes = 64 * 1024;

/** Only the channel that made a picture knows its seed. */
async function imageSeed(relay: Relay, call: Call, id: string): Promise<unknown> {
  const { userId } = await ownerOf(relay, call);
  const row = await ownTask('drawing', userId, id);
  if (row?.upstreamId === undefined) throw new AppError('task_not_found');
  const channel = relay.table.channel(row.channelId);
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

async function fetchMusic(relay: Relay, call: Call, id: string): Promise<unknown> {
  const { userId } = await ownerOf(relay, call);
  const row = await ownTask('music', userId, id);
  if (row === undefined) throw new AppError('task_not_found');
  return { code: 'success', message: '', data: musicView(row) };
}

async function listMusic(relay: Relay, call: Call): Promise<unknown> {
  const { userId } = await ownerOf(relay, call);
  const found = await ownTasks('music', userId, await idsAsked(relay, call));
  return { code: 'success', message: '', data: found.map(musicView) };
}

const mostCallbackBytes = 1024 * 1024;

/** A provider says that something became of a task. What, the sync asks for itself: of the body only the task's name there is looked at. */
async function hearCallback(relay: Relay, call: Call, { id, secret }: { id: string; secret: string }): Promise<undefined> {
  if (!relay.callbacks.isValid(id, secret)) throw new AppError('callback_refused');
  const body = await readBody(call.request, { maxBytes: mostCallbackBytes, take: (bytes) => relay.openCalls.buffer(call, bytes) });
  const { id: upstreamId } = objectIn(parseJson(body.json));
  relay.callbacks.hint(id, typeof upstreamId === 'string' || typeof upstreamId === 'number' ? String(upstreamId).slice(0, 128) : '');
  return undefined;
}
