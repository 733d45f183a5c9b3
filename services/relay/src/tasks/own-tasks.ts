import { drawingModels, longestTaskMs, type TaskKind } from '@tollgate/contracts';
import { rows, type TaskRow } from '@tollgate/db';
import type { JsonObject } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../auth/callers.ts';
import type { Call } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import { readBody } from '../request/body.ts';
import { parseJson } from '../request/json-scan.ts';
import { objectIn } from '../request/read-request.ts';

const mostIds = 500;
const mostListed = 100;
const mostBodyBytes = 256 * 1024;

/** The caller's own task by its provider's id; undefined when he has none of that name, whoever else has. */
export async function ownTask(kind: TaskKind, userId: number, upstreamId: string): Promise<TaskRow | undefined> {
  const [row] = await ownTasks(kind, userId, [upstreamId]);
  return row;
}

/** Each once, the newest of a name: a modal has the id of the button that it came from. */
export async function ownTasks(kind: TaskKind, userId: number, upstreamIds: string[]): Promise<TaskRow[]> {
  if (upstreamIds.length === 0) return [];
  const upstreamId = upstreamIds.length === 1 ? (upstreamIds[0] as string) : { $in: upstreamIds };
  const found = await rows
    .tasks()
    .find({ upstreamId, userId, kind }, { sort: { at: 1 } })
    .toArray();
  return [...new Map(found.map((row) => [row.upstreamId, row])).values()];
}

/** The newest of a caller's tasks that a provider knows by name. */
export function latestOwnTasks(kind: TaskKind, userId: number, which: { isOpen?: true }): Promise<TaskRow[]> {
  return rows
    .tasks()
    .find({ userId, kind, ...which, upstreamId: { $exists: true } }, { sort: { at: -1 }, limit: mostListed })
    .toArray();
}

/** `{"ids": [...]}`. Throws: AppError `invalid_request`. */
export async function idsAsked(relay: Relay, call: Call): Promise<string[]> {
  const body = await readBody(call.request, { maxBytes: mostBodyBytes, take: (bytes) => relay.openCalls.buffer(call, bytes) });
  const { ids } = objectIn(parseJson(Buffer.concat(body.long?.whole(body.json) ?? [body.json])));
  if (!Array.isArray(ids) || ids.length > mostIds) {
    throw new AppError('invalid_request', { reason: `ids must be a list of at most ${mostIds}` }, { param: 'ids' });
  }
  return [...new Set(ids.filter((id) => typeof id === 'string' || typeof id === 'number').map(String))].filter((id) => id !== '');
}

/** The only account that callers see. */
export const accountId = 'tollgate';

/**
 * A lone midjourney-proxy tells of the accounts that draw for it. Here one stands for all channels and tells of none: whether it is
 * enabled is whether this caller finds somebody who draws.
 */
export function accountView({ settings, table }: Pick<Relay, 'settings' | 'table'>, caller: Caller): JsonObject {
  const group = caller.tokenGroup || caller.userGroup;
  const isServed = Object.values(drawingModels).some(
    (model) => (caller.modelLimits?.has(model) ?? true) && table.tiers(group, model).length > 0,
  );
  return {
    id: accountId,
    guildId: '',
    channelId: '',
    userToken: '',
    userAgent: '',
    enable: settings.options.DrawingEnabled && isServed,
    timeoutMinutes: longestTaskMs.drawing / 60_000,
    properties: {},
  };
}

/** A drawing as midjourney-proxy tells of one. Times in ms since 1970; 0: not yet. */
export function drawingView(row: TaskRow, imageUrl: string): JsonObject {
  return {
    id: row.upstreamId ?? '',
    action: row.action,
    customId: row.customId ?? '',
    botType: row.botType ?? '',
    prompt: row.prompt,
    promptEn: row.promptEn ?? '',
    description: row.description ?? '',
    state: row.state ?? '',
    submitTime: row.at.getTime(),
    startTime: row.startedAt?.getTime() ?? 0,
    finishTime: row.endedAt?.getTime() ?? 0,
    imageUrl,
    status: row.status,
    progress: row.progress,
    failReason: row.failReason,
    buttons: row.buttons ?? [],
    maskBase64: '',
    properties: row.properties ?? {},
  };
}

/** Where a caller finds a picture: here, by a link that expires, or at its source. */
export function imageAddress(relay: Relay, row: TaskRow, host: string | undefined): string {
  const url = row.imageUrl ?? '';
  const { MjForwardUrlEnabled, ServerAddress } = relay.settings.options;
  if (url === '' || !MjForwardUrlEnabled) return url;
  const server = ServerAddress || `http://${host ?? 'localhost'}`;
  return server + relay.images.link(row._id, { url, nowMs: relay.wallet.time() });
}

/** Music as Suno-API tells of it. Times in seconds; 0: not yet. */
export function musicView(row: TaskRow): JsonObject {
  const seconds = (at: Date | null) => Math.floor((at?.getTime() ?? 0) / 1000);
  return {
    task_id: row.upstreamId ?? '',
    action: row.action,
    status: row.status,
    fail_reason: row.failReason,
    submit_time: seconds(row.at),
    start_time: seconds(row.startedAt),
    finish_time: seconds(row.endedAt),
    progress: row.progress,
    data: row.data ?? null,
  };
}
