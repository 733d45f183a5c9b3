import { drawingModels, noUsage, type OptionValues, type TaskSubmission, taskExisted } from '@tollgate/contracts';
import { rows, type TaskRow } from '@tollgate/db';
import { type Price, quotaOf } from '@tollgate/pricing';
import { type TaskDialect, UpstreamError } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { moveTask, type NewTask, recordTask, rejectionReasons } from '@tollgate/tasks';
import { assertHasBalance, authenticate } from '../auth/authenticate.ts';
import type { AuthContext, Caller } from '../auth/callers.ts';
import type { AskedCall, Call, Checked, HeldCall } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import { firstOf } from '../pipeline/attempts.ts';
import { reserve } from '../quota/hold.ts';
import { leaseChannel } from '../quota/limits.ts';
import { usageEvent } from '../quota/report.ts';
import { runOf } from '../quota/runs.ts';
import { type JsonBody, readBody } from '../request/body.ts';
import { parseJson, refuseDoubled } from '../request/json-scan.ts';
import { assertGroup, objectIn } from '../request/read-request.ts';
import { noChannelFor, pinnedChannel } from '../routing/candidates.ts';
import { type ChannelPlan, channelPlan } from '../routing/channel-plan.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import { askChannel } from './ask-channel.ts';
import { charge, endKnown, endRefused, noteTaken, releaseNow } from './end-task.ts';
import { modesAsked, type SentBody, type TaskRequest } from './task-request.ts';

/** Reads what a path and its body ask for. */
export type ReadTask = (sent: SentBody, options: OptionValues) => TaskRequest;

/** What is charged where a model has no price by the call, in US dollars: as the product family does. */
const usualPrice = 0.1;

/** What a provider answered, taken or not. */
export interface Submitted {
  request: TaskRequest;
  submission: TaskSubmission;
}

/**
 * One submission, end to end. Quota is held and the row is written before a provider is asked; the hold carries its bill from
 * then on, so that whoever dies, the task is charged once if it was taken, and what fails is given back by its id.
 * Throws: AppError, UpstreamError.
 */
export async function submitTask(relay: Relay, call: Call, read: ReadTask): Promise<Submitted> {
  await relay.gate.enter(call);
  const { options } = relay.settings;
  if (relay.publisher.full) throw new AppError('service_unavailable', {}, { retryAfterSeconds: 5 });
  const entrance = await authenticate(relay, call);
  await assertHasBalance(relay, entrance.caller, call.request);
  const body = await readBody(call.request, {
    maxBytes: relay.limits.RELAY_MAX_BODY_BYTES,
    take: (bytes) => relay.openCalls.buffer(call, bytes),
  });
  const json = objectIn(parseJson(body.json));
  refuseDoubled(json, body.nestedFields);
  call.run = await runOf(relay, call, entrance.caller, { body: json });
  const request = read({ json, textOf: (text) => body.long?.filled(text) ?? text }, options);
  call.model = request.model;
  assertAllowed(relay, { request, caller: entrance.caller, filter: json.accountFilter });
  const group = entrance.caller.tokenGroup || entrance.caller.userGroup;
  if (entrance.caller.tokenGroup !== '') assertGroup(relay, group, entrance.caller);
  const origin = request.follows && (await originOf(request, entrance.caller));
  const plan = planFor(relay, {
    request,
    group,
    entrance,
    origin,
    atMs: call.atMs,
    take: (channel) => leaseChannel(relay, call, channel),
  });
  const checked = Object.assign(call, { checked: factsOf(relay, { request, group, caller: entrance.caller }) });
  if (origin !== undefined && request.prompt === '') request.prompt = origin.prompt;
  const { held } = await reserve(relay, checked, { maxTokens: undefined, choices: 1, longest: 0, channel: plan.first(performance.now()) });
  const submission = await submitHeld(relay, held, {
    request,
    body,
    plan,
    isPinned: origin !== undefined || entrance.channelId !== undefined,
  });
  return { request, submission };
}

interface Allowed {
  request: TaskRequest;
  caller: Caller;
  filter: unknown;
}

function assertAllowed(relay: Relay, { request, caller, filter }: Allowed): void {
  const { options, hasSensitiveWord } = relay.settings;
  const { kind, model, mode, prompt } = request;
  if (kind === 'drawing' && !options.DrawingEnabled) throw new AppError('drawing_disabled');
  if (kind === 'music' && !options.TaskEnabled) throw new AppError('tasks_disabled');
  if (caller.modelLimits !== undefined && !caller.modelLimits.has(model)) throw new AppError('model_not_found', { model });
  if (caller.drawingModes !== undefined) {
    const refused = modesAsked(mode, prompt, filter, options).find((asked) => !caller.drawingModes?.has(asked));
    if (refused !== undefined) throw new AppError('drawing_mode_not_allowed', { mode: refused });
  }
  if (hasSensitiveWord?.(prompt)) throw new AppError('sensitive_words_detected');
}

/** The caller's own task that this one goes on with. */
async function originOf({ kind, follows }: TaskRequest, caller: Caller): Promise<TaskRow> {
  const tasks = rows.tasks().find({ upstreamId: follows?.id ?? '', userId: caller.userId, kind }, { sort: { at: -1 }, limit: 1 });
  const [origin] = await tasks.toArray();
  if (origin === undefined) throw new AppError('task_not_found');
  if (follows?.needsSuccess && origin.status !== 'SUCCESS') throw new AppError('task_not_finished');
  return origin;
}

interface Wish {
  request: TaskRequest;
  group: string;
  entrance: AuthContext;
  origin: TaskRow | undefined;
  /** When it was asked for, by the shared clock. */
  atMs: number;
  take(channel: RoutedChannel): Promise<number | undefined> | undefined;
}

/** The channels that may be asked: the one that has the task that is gone on with, the one that was named, or those of the group. */
function planFor(relay: Relay, { request, group, entrance, origin, atMs, take }: Wish): ChannelPlan<TaskDialect> {
  const { model, kind } = request;
  const dialectOf = ({ provider }: RoutedChannel) => (provider.tasks?.kind === kind ? provider.tasks : undefined);
  const tiersOf = () => {
    if (origin !== undefined) return [[channelOfTask(relay, origin)]];
    return entrance.channelId === undefined ? relay.table.tiers(group, model) : [[pinnedChannel(relay, entrance)]];
  };
  const tiers = tiersOf();
  if (tiers.length === 0) throw noChannelFor(relay, { group, model });
  if (!tiers.flat().some((channel) => dialectOf(channel) !== undefined)) {
    throw new AppError('mode_not_supported', { model, mode: kind });
  }
  return channelPlan({ tiers, model, group, breakers: relay.breakers, dialectOf, promptTokens: 0, sharedNowMs: atMs, take });
}

function channelOfTask(relay: Relay, { channelId }: TaskRow): RoutedChannel {
  const channel = relay.table.channel(channelId);
  if (channel?.isEnabled !== true) throw new AppError('task_channel_disabled');
  return channel;
}

function factsOf(relay: Relay, { request, group, caller }: { request: TaskRequest; group: string; caller: Caller }): Checked {
  return {
    caller,
    group,
    tokenName: caller.tokenName,
    mode: request.kind,
    model: request.model,
    isStream: false,
    price: priceOf(relay, { request, group }),
    extras: undefined,
    fieldRatios: undefined,
    hosted: undefined,
    promptEstimate: noUsage,
    reasoningEffort: undefined,
    most: undefined,
    bill: undefined,
  };
}

/** A task costs what its call costs, whatever comes of it: a model that is priced by tokens, or not at all, costs what is usual. */
function priceOf(relay: Relay, { request, group }: { request: TaskRequest; group: string }): Price {
  const { GroupRatio, QuotaPerUnit } = relay.settings.options;
  // What a button leaves to its modal costs what the modal does, where no modal follows.
  const model = request.isFree ? drawingModels.MODAL : request.model;
  const { ordinary: known, origin = 'default' } = relay.settings.price(model, group, relay.wallet.time()) ?? {};
  const fixed = known?.kind === 'fixed' ? known.modelPrice : usualPrice;
  const plain = { modelRatio: 0, completionRatio: 1, cacheRatio: 1, cacheWrite5mRatio: 1, cacheWrite1hRatio: 1, audioRatio: 1 };
  const shared = { audioCompletionRatio: 1, groupRatio: known?.groupRatio ?? GroupRatio[group] ?? 1, quotaPerUnit: QuotaPerUnit };
  return { ordinary: { kind: 'fixed', ...plain, ...shared, modelPrice: fixed }, origin };
}

/** Nothing is done before a modal says more, which is charged: so says the code. With another one the work has begun. */
function freeOf({ ordinary, origin }: Price): Price {
  return { ordinary: { ...ordinary, modelPrice: 0 }, origin };
}

interface Task {
  request: TaskRequest;
  body: JsonBody;
  plan: ChannelPlan<TaskDialect>;
  /** Nobody but one channel may be asked. */
  isPinned: boolean;
}

/** A provider that does not take a task is no failure of the call: what it says is the answer. */
async function submitHeld(relay: Relay, call: HeldCall, task: Task): Promise<TaskSubmission> {
  let submission: TaskSubmission;
  try {
    submission = await firstAccepting(relay, call, task);
  } catch (error) {
    const reason = error instanceof UpstreamError || error instanceof AppError ? error.message : 'It could not be submitted';
    await endRefused(relay, call, { code: 5, reason });
    throw error;
  }
  if (!submission.taken) {
    await endRefused(relay, call, { code: submission.code, reason: submission.description });
    return submission;
  }
  if (submission.code !== taskExisted) relay.answers.count(call);
  const isFree = task.request.isFree && submission.code === taskExisted;
  if (isFree) Object.assign(call.checked, { price: freeOf(call.checked.price) });
  const noted = await noteTaken(relay, call, { ...submission, isFree });
  switch (noted) {
    case 'taken':
      await charge(relay, call as AskedCall);
      return submission;
    case 'known':
      await endKnown(relay, call);
      return submission;
    case 'other':
      await endRefused(relay, call, rejectionReasons.other);
      throw new AppError('upstream_bad_answer');
    case 'lost':
      await releaseNow(relay, call);
      throw new AppError('internal_error');
  }
}

/** A provider that is full or has no account is passed over, as one that fails. The row names a channel before it is called. */
function firstAccepting(relay: Relay, call: HeldCall, { request, body, plan, isPinned }: Task): Promise<TaskSubmission> {
  return firstOf<HeldCall, TaskSubmission, TaskDialect>(relay, call, {
    plan,
    most: isPinned ? 1 : relay.settings.options.RetryTimes + 1,
    outlivesCaller: true,
    isWorthAnother,
    async ask(held, { channel, dialect: tasks }) {
      const asked = Object.assign(held, { upstreamModel: request.model });
      await persistBeforeSubmit(relay, asked, request);
      return askChannel(relay, { channel, tasks, body, ...request, edits: editsFor(relay, call, request) });
    },
    verdict({ taken, code }) {
      if (code === noAccount) return new UpstreamError({ kind: 'balance', status: 502, message: 'No available account instance' });
      return taken || !passedOver.has(code) ? 'accepted' : 'next';
    },
  });
}

const noAccount = 3;
const passedOver: ReadonlySet<number> = new Set([23]);

/** Where an answer broke off the task may have been taken: another channel would draw it once more. */
function isWorthAnother(error: unknown): boolean {
  if (error instanceof UpstreamError) return error.retryable && error.kind !== 'interrupted' && error.kind !== 'unreadable';
  return error instanceof AppError && error.code === 'egress_refused';
}

/** Writes the row, and into the hold the bill in case this process dies from now on, before a provider is called. */
async function persistBeforeSubmit(relay: Relay, call: AskedCall, request: TaskRequest): Promise<void> {
  const quota = quotaOf(noUsage, call.checked.price.ordinary);
  try {
    if (call.triedChannels.length === 1) await recordTask(newTask(call, request, quota));
    else await moveTask(call.id, { channelId: call.channel.id, keyId: call.channel.chosenKey?.id });
    call.hold.deadlineMs = Date.now() + relay.limits.RELAY_HOLD_MS;
    await relay.wallet.progress(call.hold, { event: billOf(call), deadlineMs: call.hold.deadlineMs });
  } catch (cause) {
    throw new AppError('service_unavailable', {}, { cause, retryAfterSeconds: 2 });
  }
}

function newTask(call: AskedCall, request: TaskRequest, quota: number): NewTask {
  const { userId, username, tokenId } = call.checked.caller;
  const { kind, action } = request;
  return {
    id: call.id,
    kind,
    action,
    at: new Date(call.atMs),
    owner: { userId, username, tokenId },
    channelId: call.channel.id,
    keyId: call.channel.chosenKey?.id,
    quota,
    request,
  };
}

function billOf(call: AskedCall) {
  return usageEvent(call, { usage: noUsage, usageSource: 'upstream', endReason: 'complete' });
}

/** Where a provider may tell how the task goes: an address that nobody else can know. What it tells is not believed, only looked after. */
function editsFor(relay: Relay, call: HeldCall, { kind, edits, hasHook }: TaskRequest): TaskRequest['edits'] {
  const { MjNotifyEnabled, ServerAddress } = relay.settings.options;
  if (kind !== 'drawing' || hasHook || !MjNotifyEnabled || ServerAddress === '') return edits;
  return { ...edits, set: { ...edits.set, notifyHook: relay.callbacks.address(ServerAddress, call.id) } };
}
