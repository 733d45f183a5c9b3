import type { TaskKind } from '@tollgate/contracts';
import { rows, type TaskRow } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Relay } from '../context/relay.ts';
import type { Call } from '../pipeline/call.ts';
import { readBody } from '../request/body.ts';
import { parseJson } from '../request/json-body.ts';
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
