import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { LateBus } from '@tollgate/bus';
import { topics } from '@tollgate/bus';
import { type CallsRecorded, callRecordsGroup, callsRecordedVersion, mostAttempts } from '@tollgate/contracts';
import { UpstreamError } from '@tollgate/providers';
import { AppError, type Logger } from '@tollgate/runtime';
import type { AskedCall, Call } from '../context/call.ts';
import { CallerLeft } from '../context/errors.ts';
import type { RoutedChannel } from '../routing/routed-channel.ts';
import { ChannelMinutes } from './channel-minutes.ts';
import { causeOf, failedAttemptOf, failedCallOf, kindOf } from './failed-call.ts';
import { Failures } from './failures.ts';

/** What the relay notes of calls beside their bills: those that failed, and how each channel does. */
export interface CallRecords {
  /** An attempt ended with an answer, whole or broken off. */
  answered(call: Call & Pick<AskedCall, 'channel'>, nowMs: number): void;
  attemptFailed(call: Call, channel: RoutedChannel, error: unknown): void;
  /** After a failed attempt of `call.channel` another channel is tried. */
  failedOver(call: Call): void;
  /** A call failed. Only those that reached authentication are noted. */
  failed(call: Call, failure: { status: number; error: unknown }): void;
  close(): Promise<void>;
}

const tickMs = 1_000;
/** Failed calls go out with the next tick; counts of channels less often, since each is several writes of billing. */
const countsEveryMs = 5_000;
const minuteMs = 60_000;
const lagEveryMs = 30_000;
/** With so many events unhandled, what comes is counted here: records must never fill the memory that bills need. */
const mostUnhandled = 500;
const retryMs = 2_000;
const closeMs = 2_000;

interface Dependencies {
  bus: Pick<LateBus, 'publishEncoded' | 'lag'>;
  logger: Pick<Logger, 'warn'>;
  /** In ms since 1970, by Redis's clock. */
  now(): number;
}

/**
 * Counts in memory and publishes one event at a time, apart from the queue of bills. While the bus is away or billing behind, counts go
 * on growing in place and failed calls beyond a bound lose their details, never their count.
 */
export function callRecords({ bus, logger, now }: Dependencies): CallRecords {
  const process = randomBytes(8).toString('hex');
  const failures = new Failures();
  const channels = new ChannelMinutes();
  const closing = new AbortController();
  let sequence = 0;
  let countedAt = performance.now();
  let lagAt = Number.NEGATIVE_INFINITY;
  let isBehind = false;
  let sending: Promise<void> | undefined;

  const minuteNow = (): number => minuteOf(now());

  function flush(withCounts: boolean): void {
    if (sending !== undefined || isBehind) return;
    if (failures.isEmpty && (channels.isEmpty || !withCounts)) return;
    sequence += 1;
    const event: CallsRecorded = {
      version: callsRecordedVersion,
      process,
      sequence,
      ...failures.take(),
      channels: withCounts ? channels.take() : [],
    };
    if (withCounts) countedAt = performance.now();
    sending = publish(JSON.stringify(event)).finally(() => {
      sending = undefined;
    });
  }

  /** Repeats until the bus has it: billing drops what comes twice. */
  async function publish(json: string): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        return await bus.publishEncoded(topics.callsRecorded, [{ key: process, json }]);
      } catch (error) {
        logger.warn({ err: error }, 'records of calls not published, retrying');
        await delay(retryMs, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
  }

  async function lookBehind(): Promise<void> {
    lagAt = performance.now();
    isBehind = (await bus.lag(topics.callsRecorded, callRecordsGroup).catch(() => 0)) > mostUnhandled;
  }

  const timer = setInterval(() => {
    const nowMs = performance.now();
    if (nowMs - lagAt > lagEveryMs) void lookBehind();
    flush(nowMs - countedAt >= countsEveryMs);
  }, tickMs);
  timer.unref();

  return {
    answered(call, nowMs) {
      const { channel, model, outcome, firstTokenMs, startedAt, attemptAt } = call;
      const { endReason } = outcome ?? {};
      if (endReason === 'upstream_died' || endReason === 'timeout') {
        channels.failed(minuteNow(), { channelId: channel.id, model, kind: endReason === 'timeout' ? 'timeout' : 'interrupted' });
        return;
      }
      channels.answered(minuteNow(), {
        channelId: channel.id,
        model,
        durationMs: nowMs - attemptAt,
        usage: outcome?.usage,
        firstTokenMs: firstTokenMs < 0 ? undefined : Math.max(0, startedAt + firstTokenMs - attemptAt),
      });
    },
    attemptFailed(call, channel, error) {
      const kind = call.isGone ? 'client_gone' : kindOf(error);
      channels.failed(minuteNow(), { channelId: channel.id, model: call.model, kind });
      call.failedAttempts ??= [];
      if (call.failedAttempts.length < mostAttempts) call.failedAttempts.push(failedAttemptOf(call, channel, { kind, error }));
    },
    failedOver({ channel, model }) {
      if (channel !== undefined) channels.failedOver(minuteNow(), { channelId: channel.id, model });
    },
    failed(call, { status, error }) {
      if (call.outcome !== undefined) return; // its log row says how it ended
      const gone = status === 499 || error instanceof CallerLeft;
      const { caller, channel, id } = call;
      if (caller === undefined && status !== 401) return;
      const code = gone ? 'client_gone' : codeOf(error);
      failures.add(`${caller?.userId} ${caller?.tokenId} ${status} ${code} ${channel?.id}`, {
        id,
        minute: minuteOf(call.atMs),
        causeOf: () => causeOf(call, { status, code }),
        rowOf: (cause) => failedCallOf(call, { cause, error: gone ? undefined : error }),
      });
    },
    async close() {
      clearInterval(timer);
      await Promise.race([lastFlush(), delay(closeMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)]);
      closing.abort();
    },
  };

  async function lastFlush(): Promise<void> {
    await sending;
    flush(true);
    await sending;
  }
}

function minuteOf(ms: number): number {
  return ms - (ms % minuteMs);
}

function codeOf(error: unknown): string {
  if (error instanceof UpstreamError) return `upstream_${error.kind}`;
  return error instanceof AppError ? error.code : 'internal_error';
}
