import { Counter, exposeGauge, Gauge, Histogram, metrics as registry } from '@tollgate/runtime';
import type { Refunded } from './refunds/refund.ts';
import type { Settled } from './settlement/settle.ts';
import type { Swept } from './sweep/sweep.ts';

export interface BillingMetrics {
  /** `lagMs`: how long the oldest event of the batch waited from publication to charge. */
  settled(batch: Settled, lagMs: number): void;
  refunded(result: Refunded): void;
  swept(result: Swept): void;
  /** `uncharged`: answers that no charge accounts for. */
  reconciled(result: { walletsChecked: number; differences: number; uncharged: number }): void;
}

interface Sources {
  holds(): Promise<{ open: number; reported: number }>;
  lag(): Promise<number>;
  refundLag(): Promise<number>;
  dead(): number;
  /** Dead letters that wait for a replay, over all topics and processes. */
  deadLetters(): Promise<number>;
}

let made: ReturnType<typeof create> | undefined;

function create() {
  const registers = [registry];
  const events = new Counter({
    name: 'tollgate_events_settled_total',
    help: 'Usage events by what became of them',
    labelNames: ['outcome'],
    registers,
  });
  const quota = new Counter({ name: 'tollgate_quota_charged_total', help: 'Quota charged', registers });
  const refunded = new Counter({ name: 'tollgate_quota_refunded_total', help: 'Quota of failed tasks that was given back', registers });
  const uncollected = new Counter({ name: 'tollgate_quota_uncollected_total', help: 'Quota that no balance covered', registers });
  const wait = new Histogram({
    name: 'tollgate_settlement_lag_seconds',
    help: 'From the end of the answer to its charge, first event of each batch',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300],
    registers,
  });
  const sweeps = new Counter({
    name: 'tollgate_holds_swept_total',
    help: 'Overdue holds by what became of them',
    labelNames: ['outcome'],
    registers,
  });
  const differences = new Gauge({
    name: 'tollgate_wallet_differences',
    help: 'Wallets that differ from the ledger and the log',
    registers,
  });
  const uncharged = new Gauge({
    name: 'tollgate_answers_uncharged',
    help: 'Answers of the last day, as relays counted them, that no charge accounts for',
    registers,
  });
  return { events, quota, refunded, uncollected, wait, sweeps, differences, uncharged };
}

/** The metrics of billing, created once per process. `tollgate_answered_not_billed` must return to zero when calls cease. */
export function billingMetrics(sources: Sources): BillingMetrics {
  made ??= create();
  const { events, quota, refunded, uncollected, wait, sweeps, differences, uncharged } = made;
  exposeGauge('tollgate_events_dead', 'Unreadable events that this process set aside', sources.dead);
  exposeGauge('tollgate_dead_letters_waiting', 'Dead letters that nobody has published again', sources.deadLetters);
  exposeGauge('tollgate_events_waiting', 'Events on the bus not charged yet', sources.lag);
  exposeGauge('tollgate_refunds_waiting', 'Failed tasks on the bus whose cost is not given back yet', sources.refundLag);
  exposeGauge('tollgate_holds_open', 'Calls that are running', async () => (await sources.holds()).open);
  exposeGauge(
    'tollgate_answered_not_billed',
    'Calls answered minus calls billed or released',
    async () => (await sources.holds()).reported,
  );

  return {
    settled(batch, lagMs) {
      events.inc({ outcome: 'billed' }, batch.charged);
      events.inc({ outcome: 'redelivered' }, batch.redelivered);
      events.inc({ outcome: 'duplicate' }, batch.duplicates);
      quota.inc(batch.quota);
      uncollected.inc(batch.uncollected);
      wait.observe(Math.max(0, lagMs) / 1_000);
    },
    refunded: (result) => refunded.inc(result.quota),
    swept(result) {
      for (const [outcome, count] of Object.entries(result)) sweeps.inc({ outcome }, count);
    },
    reconciled(result) {
      differences.set(result.differences);
      uncharged.set(result.uncharged);
    },
  };
}
