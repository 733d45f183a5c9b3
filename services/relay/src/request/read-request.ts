import { type AnyRequest, type DetachedStrings, filledIn, type JsonObject, patchJson } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { AuthContext, Caller } from '../auth/callers.ts';
import type { Call } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import type { Address, RelayRoute, SentRequest } from '../context/route.ts';
import { hubDialect } from '../dialects/dialect.ts';
import { type AccountResource, checkNested } from '../dialects/nested-fields.ts';
import { type JsonBody, readBody } from './body.ts';
import { readForm } from './form-body.ts';
import { parseJson, refuseDoubled, refused } from './json-scan.ts';

/** A request that was read, and the group that is in force for it. */
export interface Reading {
  request: AnyRequest;
  sent: SentRequest;
  group: string;
  /** What of it is changed for all channels (`context/changes.ts`). */
  changes: string[] | undefined;
}

interface Question {
  route: Pick<RelayRoute, 'dialect' | 'prepare' | 'read' | 'takesForm' | 'rules'>;
  address: Address;
  entrance: AuthContext;
}

/** Reads the body, in the words of the hub, and finds the group in force. Throws: AppError. */
export async function readRequest(relay: Relay, call: Call, question: Question): Promise<Reading> {
  if (question.route.takesForm) return understood(relay, call, question, await sentForm(relay, call, question));
  const body = await readBody(call.request, {
    maxBytes: relay.limits.RELAY_MAX_BODY_BYTES,
    take: (bytes) => relay.openCalls.buffer(call, bytes),
  });
  relay.openCalls.buffer(call, body.parsedBytes);
  const sent = sentRequest(body, { call, address: question.address });
  const preparing = question.route.prepare?.(relay, call, { sent, caller: question.entrance.caller });
  if (preparing !== undefined) await preparing;
  return understood(relay, call, question, sent);
}

/** The fields of a form stand for a body of texts; its files stay where they were put. */
async function sentForm(relay: Relay, call: Call, { address }: Question): Promise<SentRequest> {
  const take = (bytes: number) => relay.openCalls.buffer(call, bytes);
  call.spool = relay.spools.open({ take, letGo: (bytes) => relay.openCalls.letGo(call, bytes) });
  const form = await readForm(call.request, { maxBytes: relay.limits.RELAY_MAX_BODY_BYTES, spool: call.spool, take });
  const json: JsonObject = { ...form.fields };
  return { bytes: Buffer.from(JSON.stringify(json)), long: undefined, json, address, form };
}

/** Long texts stay out where the caller's words are the hub's: another dialect may write them in another form. */
function sentRequest(
  { json: bytes, long, fields, nestedFields }: JsonBody,
  { call, address }: { call: Call; address: Address },
): SentRequest {
  const json = objectIn(parseJson(bytes));
  refuseDoubled(json, nestedFields);
  const sent = { bytes, long, json, address, isUnique: Object.keys(json).length === fields };
  if (long === undefined || call.dialect.name === hubDialect) return sent;
  return { ...sent, bytes: Buffer.concat(long.whole(bytes)), long: undefined, json: filled(sent.json, long) };
}

function filled(json: JsonObject, long: DetachedStrings): JsonObject {
  try {
    return filledIn(json, long) as JsonObject;
  } catch (error) {
    throw error instanceof SyntaxError ? refused('a text in it is wrong') : error;
  }
}

function understood(relay: Relay, call: Call, { route, entrance }: Question, sent: SentRequest): Reading {
  const { caller, isPlayground } = entrance;
  let wanted = caller.tokenGroup;
  if (isPlayground) {
    wanted = typeof sent.json.group === 'string' ? sent.json.group : '';
    sent.bytes = patchJson(sent.bytes, { remove: ['group'] });
  }
  if (route.dialect.name === hubDialect && sent.address.model !== undefined) nameModel(sent, sent.address.model);
  const request = route.read(sent);
  call.model = request.model;
  const isChat = route.rules.mode === 'chat';
  if (route.rules.mode === 'rerank') checkBesideDocuments(sent.json);
  else sent.account = sent.boundTo === undefined ? checkNested(sent.json, { isChat }) : checkBound(sent.json);
  const group = wanted || caller.userGroup;
  if (wanted !== '') assertGroup(relay, group, caller);
  if (caller.modelLimits !== undefined && !caller.modelLimits.has(request.model))
    throw new AppError('model_not_found', { model: request.model });
  return { request, sent, group, changes: sent.changes };
}

/** The documents of a rerank are the caller's own, whatever their fields are called. */
function checkBesideDocuments({ documents: _documents, ...json }: JsonObject): void {
  checkNested(json, { isChat: false });
}

/** The turn before is known to be the caller's own. */
function checkBound({ previous_response_id: _previous, ...json }: JsonObject): AccountResource | undefined {
  return checkNested(json);
}

/** A model in the path is the one that is called, as at Azure. */
function nameModel(sent: SentRequest, model: string): void {
  if (sent.json.model === model) return;
  sent.json.model = model;
  sent.bytes = patchJson(sent.bytes, { set: { model } });
}

export function objectIn(body: unknown): JsonObject {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as JsonObject;
  throw new AppError('invalid_request', { reason: 'The body must be a JSON object' });
}

/** A user may use his own group and the ones that are open to all; a group without a ratio has been given up. */
export function assertGroup(relay: Relay, group: string, caller: Caller): void {
  const { UserUsableGroups, GroupRatio } = relay.settings.options;
  const isUsable = group === caller.userGroup || Object.hasOwn(UserUsableGroups, group);
  if (!isUsable || !Object.hasOwn(GroupRatio, group)) throw new AppError('group_not_allowed', { group });
}
