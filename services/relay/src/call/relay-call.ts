import { type AnyRequest, type JsonObject, patchJson } from '@tollgate/providers';
import { AppError, type CallTrace } from '@tollgate/runtime';
import { answerError } from '../answer/respond.ts';
import { openStreamWriter, type StreamWriter } from '../answer/stream-writer.ts';
import { CallerLeft, readBody } from '../enter/body.ts';
import { assertMayCall, type Caller } from '../enter/callers.ts';
import { clientAddress } from '../enter/client-address.ts';
import type { Entrance } from '../enter/entrance.ts';
import { parsedBytes, parseJson, withoutByteOrderMark } from '../enter/json-body.ts';
import { assertSomethingLeft } from '../enter/something-left.ts';
import { release, reserve } from '../money/hold.ts';
import { longestAnswer } from '../money/longest-answer.ts';
import { extrasOf } from '../money/priced-fields.ts';
import type { Relay } from '../process/relay.ts';
import { firstAnswer } from '../routing/attempts.ts';
import { kindsIn } from '../routing/channel-kinds.ts';
import { channelPlan } from '../routing/channel-plan.ts';
import type { RoutedChannel, Tiers } from '../routing/channel-table.ts';
import type { Call, Checked } from './call.ts';
import type { Address, ModeRules, RelayRoute, SentRequest } from './route.ts';

export interface CallOptions {
  route: RelayRoute;
  address: Address;
  enter(call: Call): Entrance | Promise<Entrance>;
}

/** One call, end to end. Quota is held before a provider is asked; the hold ends reported or released however the call ends. */
export async function relayCall(relay: Relay, call: Call, options: CallOptions): Promise<void> {
  const { route } = options;
  const { rules } = route;
  let writer: (StreamWriter & Disposable) | undefined;
  let countedFor: number | undefined;
  let status = 200;
  call.trace = relay.tracing?.begin(rules.mode, { traceparent: headerOf(call, 'traceparent'), atMs: call.atMs });
  try {
    relay.openCalls.enter(call);
    if (relay.publisher.full) throw new AppError('service_unavailable', {}, { retryAfterSeconds: 5 });
    call.trace?.phase('authenticate');
    const entrance = await options.enter(call);
    const { caller } = entrance;
    call.trace?.phase('check');
    assertMayCall(caller, call.atMs);
    if (caller.allowedAddresses?.has(clientAddress(call.request, relay.trustedProxies)) === false) throw new AppError('ip_not_allowed');
    if (relay.settings.options.ModelRequestRateLimitEnabled) {
      await relay.requestLimit.admit({ userId: caller.userId, requestId: call.id }, relay.settings.options);
      countedFor = caller.userId;
    }
    const asking = assertSomethingLeft(relay, caller, call.request);
    if (asking !== undefined) await asking;
    // Alone in this to hold the request and its bytes: a stream lets go of them at its first content.
    const reading = await readCall(relay, call, { options, entrance });
    const { request, group } = reading;
    const tiers = channelsFor(relay, { request, group, entrance, rules });
    const checked = Object.assign(call, { checked: check(relay, { request, group, entrance, rules, tiers }) });
    const output = rules.output(request);
    const longest = longestAnswer(relay.settings, { rules, request, tiers, asked: output.maxTokens });
    call.trace?.phase('reserve');
    const { held, outputLimit } = await reserve(relay, checked, { ...output, longest });
    if (held.checked.isStream) {
      const { RELAY_HEARTBEAT_MS: heartbeatMs, RELAY_SLOW_READER_MS: slowReaderMs } = relay.limits;
      writer = openStreamWriter(call, relay.openCalls, { heartbeatMs, slowReaderMs });
    }
    await firstAnswer(relay, held, {
      route,
      forwarding: Object.assign(reading, { outputLimit, choices: output.choices }),
      plan: channelPlan({
        tiers,
        model: held.checked.model,
        group,
        breakers: relay.breakers,
        dialectOf: rules.dialectOf,
      }),
      most: entrance.channelId === undefined ? relay.settings.options.RetryTimes + 1 : 1,
      writer,
    });
  } catch (error) {
    if (call.hold !== undefined) release(relay, call.hold);
    status = fail(relay, call, { error, writer });
    if (error instanceof AppError) call.trace?.failed(error.code); // of providers' errors the attempt has told
    if (countedFor !== undefined) relay.requestLimit.failed({ userId: countedFor, requestId: call.id });
  } finally {
    writer?.[Symbol.dispose]();
    relay.openCalls.leave(call);
    relay.metrics.answered(call, status);
    log(relay, call, status);
    if (call.trace !== undefined) endTrace(call, call.trace, status);
  }
}

interface Reading {
  request: AnyRequest;
  sent: SentRequest;
  group: string;
}

async function readCall(relay: Relay, call: Call, { options, entrance }: { options: CallOptions; entrance: Entrance }): Promise<Reading> {
  const sent = await readBody(call.request, {
    maxBytes: relay.limits.RELAY_MAX_BODY_BYTES,
    take: (bytes) => relay.openCalls.buffer(call, bytes),
  });
  const body = withoutByteOrderMark(sent);
  relay.openCalls.buffer(call, parsedBytes(body));
  return readRequest(relay, options, { body, entrance });
}

/** Reads the body and finds the group in force. Throws: AppError. */
function readRequest(relay: Relay, { route, address }: CallOptions, { body, entrance }: { body: Buffer; entrance: Entrance }): Reading {
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

interface Wish {
  request: AnyRequest;
  group: string;
  entrance: Entrance;
  rules: ModeRules;
}

/** The channels that may serve a request, in tiers. Throws: AppError that says why there are none. */
function channelsFor(relay: Relay, { request, group, entrance, rules }: Wish): Tiers {
  const { model } = request;
  const tiers = entrance.channelId === undefined ? relay.table.tiers(group, model) : [[pinnedChannel(relay, entrance)]];
  if (tiers.length === 0) {
    if (relay.table.isSuspended(group, model)) throw new AppError('no_available_channel', { model, group }, { retryAfterSeconds: 30 });
    throw new AppError('model_not_found', { model });
  }
  const isServed = kindsIn(tiers).some(({ provider }) => rules.dialectOf(provider) !== undefined);
  if (!isServed) throw new AppError('mode_not_supported', { model, mode: rules.mode });
  return tiers;
}

function pinnedChannel(relay: Relay, { caller, channelId }: Entrance): RoutedChannel {
  if (!caller.isAdmin) throw new AppError('channel_pinning_forbidden');
  const channel = channelId === undefined ? undefined : relay.table.channel(channelId);
  if (channel === undefined) throw new AppError('invalid_channel_id');
  if (!channel.isEnabled) throw new AppError('channel_disabled');
  return channel;
}

function check(relay: Relay, { request, group, entrance, rules, tiers }: Wish & { tiers: Tiers }): Checked {
  const { caller, isPlayground } = entrance;
  const { hasSensitiveWord, price: priceOf } = relay.settings;
  if (hasSensitiveWord !== undefined) {
    rules.eachText?.(request, (text) => {
      if (hasSensitiveWord(text)) throw new AppError('sensitive_words_detected');
    });
  }
  const price = priceOf(request.model, group);
  if (price === undefined) throw new AppError('unpriced_model', { model: request.model });
  return {
    caller,
    group,
    tokenName: isPlayground ? `playground-${group}` : caller.tokenName,
    mode: rules.mode,
    model: request.model,
    isStream: request.stream === true,
    price,
    extras: rules.hasExtras ? extrasOf(request, relay.settings.options.RequestFieldRatio, tiers) : undefined,
    promptEstimate: rules.weigh(request),
    reasoningEffort: typeof request.reasoning_effort === 'string' ? request.reasoning_effort.slice(0, 32) : undefined,
  };
}

/** Tells the caller, in a stream by its last event; returns the status for the log. */
function fail(relay: Relay, call: Call, { error, writer }: { error: unknown; writer: StreamWriter | undefined }): number {
  if (call.isGone || error instanceof CallerLeft) return 499;
  const told = answerError(call.response, error, call);
  if (writer !== undefined && call.response.headersSent && !call.response.writableEnded) writer.fail(error);
  if (!call.request.complete) call.request.removeAllListeners('data').resume(); // what is still coming is not kept
  if (told.code === 'internal_error') relay.logger.error({ requestId: call.id, err: error }, 'a call failed for a reason of our own');
  return told.status;
}

/** The model's name is a caller's text: it is only told when a channel serves it. */
function log(relay: Relay, call: Call, status: number): void {
  const { checked, channel } = call;
  relay.callLog({
    requestId: call.id,
    status,
    mode: checked?.mode,
    model: channel === undefined ? undefined : checked?.model,
    userId: checked?.caller.userId,
    tokenId: checked?.caller.tokenId,
    channelId: channel?.id,
    tries: call.triedChannels.length,
    stream: checked?.isStream,
    ms: Math.round(call.elapsedMs),
    firstTokenMs: call.firstTokenMs,
  });
}

/** Ids, names and numbers, as in the log: what a caller says of himself does not leave the house. */
function endTrace(call: Call, trace: CallTrace, status: number): void {
  const { checked, channel } = call;
  trace.end(status, {
    'tollgate.request_id': call.id,
    'tollgate.user_id': checked?.caller.userId,
    'tollgate.token_id': checked?.caller.tokenId,
    'tollgate.channel_id': channel?.id,
    'tollgate.tries': call.triedChannels.length,
    'tollgate.stream': checked?.isStream,
    'gen_ai.request.model': channel === undefined ? undefined : checked?.model,
  });
}

function headerOf({ request }: Call, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}
