import { promptTokensOf, type Usage } from '@tollgate/contracts';
import type { AnyRequest, TextMeasure } from '@tollgate/providers';
import { AppError, type CallTrace } from '@tollgate/runtime';
import { assertHasBalance } from '../auth/authenticate.ts';
import type { AuthContext } from '../auth/callers.ts';
import type { Call, Checked, CheckedCall, HostedTools } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import type { Address, ModeRules, RelayRoute, SentRequest } from '../context/route.ts';
import { release, reserve } from '../quota/hold.ts';
import { settleHostedTools } from '../quota/hosted-tools.ts';
import { leaseChannel } from '../quota/limits.ts';
import { longestAnswer } from '../quota/longest-answer.ts';
import { extrasOf } from '../quota/priced-fields.ts';
import { runOf } from '../quota/runs.ts';
import { logCall } from '../records/log-call.ts';
import { soundLength } from '../request/audio-length.ts';
import type { Form } from '../request/form-body.ts';
import { type Reading, readRequest } from '../request/read-request.ts';
import { lookInSlices } from '../request/scan-in-chunks.ts';
import { openStreamWriter, type StreamWriter } from '../response/stream-writer.ts';
import { channelsFor } from '../routing/candidates.ts';
import { channelPlan } from '../routing/channel-plan.ts';
import type { Tiers } from '../routing/channel-table.ts';
import { cacheLifeOf, conversationOf } from '../routing/conversation.ts';
import { firstAnswer } from './attempts.ts';
import { failCall } from './count-call.ts';

export interface CallOptions {
  route: RelayRoute;
  address: Address;
  enter(call: Call): AuthContext | Promise<AuthContext>;
  /** Answers a request that is read in another way; undefined: it is a call like all others. */
  instead?(call: Call, read: { reading: Reading; entrance: AuthContext }): Promise<void> | undefined;
}

/** One call, end to end. Quota is held before a provider is asked; the hold ends reported or released however the call ends. */
export async function relayCall(relay: Relay, call: Call, options: CallOptions): Promise<void> {
  const { route } = options;
  let writer: (StreamWriter & Disposable) | undefined;
  let status = 200;
  call.trace = relay.tracing?.begin(route.rules.mode, { traceparent: headerOf(call, 'traceparent'), atMs: call.atMs });
  try {
    relay.openCalls.enter(call);
    const turn = relay.gate.enter(call);
    if (turn !== undefined) await turn;
    if (relay.publisher.full) throw new AppError('service_unavailable', {}, { retryAfterSeconds: 5 });
    call.trace?.phase('authenticate');
    const entering = options.enter(call);
    const entrance = entering instanceof Promise ? await entering : entering;
    call.trace?.phase('check');
    const asking = assertHasBalance(relay, entrance.caller, call.request);
    if (asking !== undefined) await asking;
    // Alone in this to hold the request and its bytes: a stream lets go of them at its first content.
    const reading = await readRequest(relay, call, { ...options, entrance });
    const instead = options.instead?.(call, { reading, entrance });
    if (instead !== undefined) return await instead;
    const running = runOf(relay, call, entrance.caller, { body: reading.sent.json });
    if (running !== undefined) call.run = await running;
    const read = { reading, entrance, route };
    const checking = checkRead(relay, call, read);
    const { checked, candidates, wish } = checking instanceof Promise ? await checking : checking;
    call.trace?.phase('reserve');
    const { model, group, promptEstimate } = checked.checked;
    const plan = channelPlan({
      ...candidates,
      model,
      group,
      breakers: relay.breakers,
      promptTokens: promptTokensOf(promptEstimate),
      sharedNowMs: relay.wallet.time(),
      take: (channel) => leaseChannel(relay, call, channel),
    });
    const conversation = conversationOf(checked, reading, candidates.tiers);
    const finding = conversation === undefined ? undefined : relay.affinity.find(conversation);
    const { held, outputLimit } = await reserve(relay, checked, { ...wish, channel: plan.first(performance.now()) });
    if (conversation !== undefined) {
      const servedBy = await finding;
      call.conversation = { name: conversation, servedBy };
      if (servedBy !== undefined) plan.prefer(servedBy);
    }
    call.onHeld?.();
    if (held.checked.isStream) {
      const { RELAY_HEARTBEAT_MS: heartbeatMs, RELAY_SLOW_READER_MS: slowReaderMs } = relay.limits;
      writer = openStreamWriter(call, relay.openCalls, { heartbeatMs, slowReaderMs });
    }
    await firstAnswer(relay, held, {
      route,
      forwarding: Object.assign(reading, { outputLimit, choices: wish.choices }),
      plan,
      most: entrance.channelId === undefined ? relay.settings.options.RetryTimes + 1 : 1,
      writer,
    });
    if (conversation !== undefined && call.channel !== undefined) relay.affinity.keep(conversation, call.channel, cacheLifeOf(checked));
  } catch (error) {
    if (call.hold !== undefined) release(relay, call.hold);
    status = failCall(relay, call, { error, writer });
    relay.records.failed(call, { status, error });
    if (error instanceof AppError) call.trace?.failed(error.code); // of providers' errors the attempt has told
  } finally {
    writer?.[Symbol.dispose]();
    call.spool?.close();
    relay.openCalls.leave(call);
    relay.metrics.answered(call, status);
    if (status < 400 || call.firstTokenMs >= 0 || call.isUsageStated) relay.answers.count(call);
    logCall(relay, call, status);
    if (call.trace !== undefined) endTrace(call, call.trace, status);
  }
}

interface ReadCall {
  reading: Reading;
  entrance: AuthContext;
  route: RelayRoute;
}

/** What takes a while to find out about a large request. */
interface Looked {
  /** What its texts weigh, which have been looked at. */
  measure?: TextMeasure | undefined;
  /** How long the sound in it lasts, as far as it says. */
  seconds?: number | undefined;
}

function isShort({ sent }: Reading): boolean {
  return sent.long === undefined && sent.form === undefined;
}

type CheckedRead = ReturnType<typeof checkRequest>;

/** Finds who may serve a request, what it costs and how long its answer may get. Throws: AppError. */
export function checkRead(relay: Relay, call: Call, read: ReadCall): CheckedRead | Promise<CheckedRead> {
  return isShort(read.reading) ? checkRequest(relay, call, read) : checkLarge(relay, call, read);
}

async function checkLarge(relay: Relay, call: Call, read: ReadCall): Promise<CheckedRead> {
  const { request, sent } = read.reading;
  const { long, form } = sent;
  const { hasSensitiveWord } = relay.settings;
  const measure = long && (await lookInSlices(request, { rules: read.route.rules, long, hasSensitiveWord }));
  const seconds = form && (await secondsIn(form));
  return checkRequest(relay, call, read, { measure, seconds });
}

function checkRequest(relay: Relay, call: Call, { reading, entrance, route }: ReadCall, { measure, seconds }: Looked = {}) {
  const { group } = reading;
  const { rules } = route;
  const { RequestFieldRatio: ratios } = relay.settings.options;
  const hosted = rules.hasExtras
    ? settleHostedTools(reading, { ratios, price: relay.settings.price(reading.request.model, group, call.atMs) })
    : undefined;
  const candidates = channelsFor(relay, { reading, entrance, route });
  const { request } = reading;
  call.changes = reading.changes;
  const checked: CheckedCall = Object.assign(call, {
    checked: factsOf(relay, {
      atMs: call.atMs,
      request,
      group,
      entrance,
      rules,
      tiers: candidates.tiers,
      measure,
      sent: reading.sent,
      seconds,
      hosted,
    }),
  });
  const output = rules.output(request, measure);
  const longest = longestAnswer(relay.settings, { ...candidates, request, asked: output.maxTokens });
  return { checked, candidates, wish: { ...output, longest } };
}

/** How long the sound in a form lasts, as far as that can be told. */
async function secondsIn({ files, spool }: Form): Promise<number | undefined> {
  const file = files.find(({ field }) => field === 'file');
  return file && soundLength(spool, file);
}

interface Question {
  /** When the call began. */
  atMs: number;
  request: AnyRequest;
  group: string;
  entrance: AuthContext;
  rules: ModeRules;
  tiers: Tiers;
  measure: TextMeasure | undefined;
  sent: SentRequest;
  seconds: number | undefined;
  hosted: HostedTools | undefined;
}

function factsOf(relay: Relay, { atMs, request, group, entrance, rules, tiers, measure, sent, seconds, hosted }: Question): Checked {
  const { caller, isPlayground } = entrance;
  const { hasSensitiveWord, price: priceOf } = relay.settings;
  if (hasSensitiveWord !== undefined && measure === undefined) {
    rules.eachText?.(request, (text) => {
      if (hasSensitiveWord(text)) throw new AppError('sensitive_words_detected');
    });
  }
  const price = priceOf(request.model, group, atMs);
  if (price === undefined) throw new AppError('unpriced_model', { model: request.model });
  const terms = rules.terms?.({ request, price, measure, settings: relay.settings, form: sent.form, seconds });
  return {
    caller,
    group,
    tokenName: isPlayground ? `playground-${group}` : caller.tokenName,
    mode: rules.mode,
    model: request.model,
    isStream: request.stream === true,
    price: terms?.price ?? price,
    extras: rules.hasExtras
      ? extrasOf(request, { ratios: relay.settings.options.RequestFieldRatio, modes: price.modes, byUse: hosted?.names }, tiers)
      : undefined,
    fieldRatios: rules.hasExtras ? relay.settings.options.RequestFieldRatio : undefined,
    hosted,
    promptEstimate: terms?.estimate ?? withTurnsBefore(rules.weigh(request, measure), sent),
    most: terms?.most ?? hosted?.most,
    bill: terms?.bill,
    reasoningEffort: typeof request.reasoning_effort === 'string' ? request.reasoning_effort.slice(0, 32) : undefined,
  };
}

/** What a provider keeps of the turns before is part of the prompt, too. */
function withTurnsBefore(estimate: Usage, { boundTo }: SentRequest): Usage {
  return boundTo === undefined ? estimate : { ...estimate, textInput: estimate.textInput + boundTo.tokens };
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
