import { type AnyRequest, type JsonObject, patchJson } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Call } from '../call/call.ts';
import type { Address, RelayRoute, SentRequest } from '../call/route.ts';
import type { Relay } from '../process/relay.ts';
import { readBody } from './body.ts';
import type { Caller } from './callers.ts';
import type { Entrance } from './entrance.ts';
import { parsedBytes, parseJson, withoutByteOrderMark } from './json-body.ts';

/** A request that was read, and the group that is in force for it. */
export interface Reading {
  request: AnyRequest;
  sent: SentRequest;
  group: string;
}

interface Question {
  route: Pick<RelayRoute, 'read'>;
  address: Address;
  entrance: Entrance;
}

/** Reads the body, in the words of the hub, and finds the group in force. Throws: AppError. */
export async function readRequest(relay: Relay, call: Call, question: Question): Promise<Reading> {
  const sent = await readBody(call.request, {
    maxBytes: relay.limits.RELAY_MAX_BODY_BYTES,
    take: (bytes) => relay.openCalls.buffer(call, bytes),
  });
  const body = withoutByteOrderMark(sent);
  relay.openCalls.buffer(call, parsedBytes(body));
  return understood(relay, question, body);
}

function understood(relay: Relay, { route, address, entrance }: Question, body: Buffer): Reading {
  const sent: SentRequest = { bytes: body, json: objectIn(parseJson(body)), address };
  const { caller, isPlayground } = entrance;
  let wanted = caller.tokenGroup;
  if (isPlayground) {
    wanted = typeof sent.json.group === 'string' ? sent.json.group : '';
    sent.bytes = patchJson(sent.bytes, { remove: ['group'] });
  }
  const request = route.read(sent);
  const group = wanted || caller.userGroup;
  if (wanted !== '') assertGroup(relay, group, caller);
  if (caller.modelLimits !== undefined && !caller.modelLimits.has(request.model))
    throw new AppError('model_not_found', { model: request.model });
  return { request, sent, group };
}

function objectIn(body: unknown): JsonObject {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as JsonObject;
  throw new AppError('invalid_request', { reason: 'The body must be a JSON object' });
}

/** A user may use his own group and the ones that are open to all; a group without a ratio has been given up. */
function assertGroup(relay: Relay, group: string, caller: Caller): void {
  const { UserUsableGroups, GroupRatio } = relay.settings.options;
  const isUsable = group === caller.userGroup || Object.hasOwn(UserUsableGroups, group);
  if (!isUsable || !Object.hasOwn(GroupRatio, group)) throw new AppError('group_not_allowed', { group });
}
