import { randomBytes } from 'node:crypto';
import type { UsageRecorded } from '@tollgate/contracts';
import { Counter, exposeGauge, Histogram, metrics } from '@tollgate/runtime';
import type { LimitExceeded, Wallet } from '@tollgate/wallet';
import type { Call } from './call.ts';

/** What a monitor sees of the relay. */
export interface RelayMetrics {
  answered(call: Call, status: number): void;
  firstToken(call: Call): void;
  reported(event: UsageRecorded): void;
  /** A call was answered and its bill is on the way to Redis ... */
  billBegins(): void;
  /** ... where it stands now; or nothing of the answer went out, and it was dropped. */
  billEnds(): void;
  /** An answer went on although too few replicas had its bill. */
  notReplicated(): void;
  attemptFailed(channelId: number): void;
  /** A call was refused because it had waited too long for its turn. */
  shed(): void;
  /** A limit was reached: the call was refused, the channel passed over, or nothing came of it but this. */
  limitReached(reached: LimitExceeded, outcome: 'refused' | 'passed_over' | 'watched'): void;
}

/** What is read at the moment when somebody looks. */
export interface RelayGauges {
  openCalls(): number;
  waitingCalls(): number;
  /** Of all relays: what stands in Redis, answered and not charged. */
  answeredNotBilled(): Promise<number>;
  bufferedBytes(): number;
  queuedEvents(): number;
  breakers(): { failing: number; limited: number; halfOpen: number };
}

const seconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
/** Each pair of a model and a channel costs some thirty lines of every scrape: beyond so many they count as one. */
const mostLabelledPairs = 500;

/** Of this process: bills that only its memory has. */
let unwrittenBills = 0;

let made: ReturnType<typeof create> | undefined;

function create() {
  const registers = [metrics];
  return {
    requests: new Counter({
      name: 'relay_requests_total',
      help: 'Calls that were answered',
      labelNames: ['mode', 'model', 'channel', 'status'],
      registers,
    }),
    duration: new Histogram({
      name: 'relay_request_seconds',
      help: 'From the first byte of a call to the last of its answer',
      labelNames: ['model', 'channel', 'stream'],
      buckets: seconds,
      registers,
    }),
    firstToken: new Histogram({
      name: 'relay_first_token_seconds',
      help: 'Until the first content of a stream',
      labelNames: ['model', 'channel'],
      buckets: seconds,
      registers,
    }),
    reported: new Counter({
      name: 'relay_events_reported_total',
      help: 'Calls whose bill was written into their hold',
      labelNames: ['end_reason', 'usage_source'],
      registers,
    }),
    uncollected: new Counter({ name: 'relay_quota_uncollected_total', help: 'Quota that neither hold nor balance covered', registers }),
    notReplicated: new Counter({
      name: 'relay_bills_not_replicated_total',
      help: 'Answers that ended before as many replicas had their bill as REDIS_WAIT_REPLICAS says',
      registers,
    }),
    limitsReached: new Counter({
      name: 'relay_limits_reached_total',
      help: 'Calls that were beyond a limit: refused, sent to another channel, or, where limits are only watched, neither',
      labelNames: ['subject', 'limit', 'outcome'],
      registers,
    }),
    shed: new Counter({ name: 'relay_calls_shed_total', help: 'Calls refused because they had waited too long for their turn', registers }),
    failures: new Counter({
      name: 'relay_attempts_failed_total',
      help: 'Attempts that failed before a byte was out',
      labelNames: ['channel'],
      registers,
    }),
  };
}

/** The relay's metrics in the registry of the process; made once, however many relays a process has. */
export function relayMetrics(): RelayMetrics {
  made ??= create();
  const { requests, duration, firstToken, reported, uncollected, failures, limitsReached, notReplicated, shed } = made;
  const pairs = new Set<string>();
  const other = { model: 'other', channel: 'other' };
  const served = ({ channel, checked }: Call): { model: string; channel: string | number } => {
    if (channel === undefined || checked === undefined) return { model: 'none', channel: 'none' };
    const pair = `${channel.id} ${checked.model}`;
    if (!pairs.has(pair) && pairs.size >= mostLabelledPairs) return other;
    pairs.add(pair);
    return { model: checked.model, channel: channel.id };
  };
  return {
    answered(call, status) {
      const { model, channel } = served(call);
      requests.inc({ mode: call.checked?.mode ?? 'none', model, channel, status });
      duration.observe({ model, channel, stream: call.checked?.isStream ? 1 : 0 }, call.elapsedMs / 1000);
    },
    firstToken: (call) => firstToken.observe(served(call), call.firstTokenMs / 1000),
    reported(event) {
      reported.inc({ end_reason: event.endReason, usage_source: event.usageSource });
      if (event.uncollected > 0) uncollected.inc(event.uncollected);
    },
    billBegins: () => {
      unwrittenBills += 1;
    },
    billEnds: () => {
      unwrittenBills -= 1;
    },
    limitReached: ({ subject, rule }, outcome) => limitsReached.inc({ subject: subject.kind, limit: rule.name, outcome }),
    notReplicated: () => notReplicated.inc(),
    shed: () => shed.inc(),
    attemptFailed: (channelId) => failures.inc({ channel: channelId }),
  };
}

/** Gauges that are read when they are asked for; the last relay of a process is the one that is seen. */
export function exposeGauges(gauges: RelayGauges): void {
  exposeGauge('tollgate_answered_not_billed', 'Calls answered minus calls billed or released', gauges.answeredNotBilled);
  exposeGauge('relay_bills_unwritten', 'Bills of answered calls that Redis has not taken yet', () => unwrittenBills);
  exposeGauge('relay_open_calls', 'Calls that are open now', gauges.openCalls);
  exposeGauge('relay_waiting_calls', 'Calls that wait for their turn now', gauges.waitingCalls);
  exposeGauge('relay_buffered_bytes', 'Bytes of bodies held in memory', gauges.bufferedBytes);
  exposeGauge('relay_queued_events', 'Events that wait for the bus', gauges.queuedEvents);
  exposeGauge('relay_breakers_failing', 'Channels and models shut off because they fail', () => gauges.breakers().failing);
  exposeGauge('relay_breakers_limited', 'Channels and models left alone at their own wish', () => gauges.breakers().limited);
  exposeGauge(
    'relay_breakers_half_open',
    'Channels and models that wait for a probe, or for its outcome',
    () => gauges.breakers().halfOpen,
  );
}

const hourMs = 3_600_000;
/** Calls that began earlier are not counted: hardly any lasts so long. */
const keptMs = 6 * hourMs;

interface Hour {
  /** By user. */
  counts: Map<number, number>;
  /** Users whose count has changed since it was written. */
  changed: Set<number>;
}

/**
 * How many answers each user got, by the hour in which their calls began. Counted where answers leave, not where they are charged, so that
 * billing finds those that no bill accounts for. A relay that is killed loses the last seconds of its counts: that may hide a difference, but
 * makes none.
 */
export class AnswerCounts {
  readonly #wallet: Pick<Wallet, 'noteAnswers'>;
  readonly #source = randomBytes(6).toString('base64url');
  readonly #hours = new Map<number, Hour>();
  #latest = 0;

  constructor(wallet: Pick<Wallet, 'noteAnswers'>) {
    this.#wallet = wallet;
  }

  /** A call was answered, or its provider stated what it cost. To be called once for each call. */
  count({ atMs, checked }: Pick<Call, 'atMs' | 'checked'>): void {
    const begin = atMs - (atMs % hourMs);
    if (checked === undefined || begin < this.#latest - keptMs) return;
    this.#latest = Math.max(this.#latest, begin);
    let hour = this.#hours.get(begin);
    if (hour === undefined) {
      hour = { counts: new Map(), changed: new Set() };
      this.#hours.set(begin, hour);
    }
    const { userId } = checked.caller;
    hour.counts.set(userId, (hour.counts.get(userId) ?? 0) + 1);
    hour.changed.add(userId);
  }

  /** Writes what has changed to Redis. Rejects when Redis is away: then the next round writes it. */
  async write(): Promise<void> {
    for (const [begin, { counts, changed }] of this.#hours) {
      if (begin < this.#latest - keptMs) this.#hours.delete(begin);
      if (changed.size === 0) continue;
      const written = new Map([...changed].map((userId) => [userId, counts.get(userId) ?? 0]));
      await this.#wallet.noteAnswers(begin, this.#source, written);
      for (const [userId, count] of written) if (counts.get(userId) === count) changed.delete(userId);
    }
  }
}
