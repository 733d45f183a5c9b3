import fc from 'fast-check';
import type { CrashPoint } from '../crash-points.ts';

/** One event of a schedule. Numbers that identify something (a call, a partition, a zombie) are taken modulo what exists. */
export type Step =
  | { do: 'reserve'; user: number; amount: number; minimum: number; token: 'limited' | 'unlimited' | 'none'; seconds: number }
  | { do: 'progress'; call: number; amount: number; quota: number; seconds: number }
  /** The relay dies before publishing (0), or publishes once or twice; `again`: it reports twice. */
  | { do: 'report'; call: number; quota: number; publish: number; again: boolean }
  | { do: 'release'; call: number }
  | { do: 'publishAgain'; call: number }
  /** A consumer takes the next events of a partition; it may crash at some step, or before it commits. */
  | { do: 'consume'; partition: number; size: number; crash: CrashPoint | null; commit: boolean }
  | { do: 'consumeTwiceAtOnce'; partition: number; size: number }
  /** A consumer takes events and freezes; others continue; it wakes up later. */
  | { do: 'freeze'; partition: number; size: number }
  | { do: 'wake'; zombie: number; crash: CrashPoint | null }
  | { do: 'repartition'; partitions: number }
  | { do: 'restartBus' }
  | { do: 'recreateTopic' }
  | { do: 'reconcile' }
  | { do: 'sweep'; afterSeconds: number; busDown: boolean }
  | { do: 'post'; user: number; amount: number; toToken: boolean; crash: CrashPoint | null }
  | { do: 'setTokenRemain'; user: number; remain: number }
  | { do: 'emptyRedis' };

const index = fc.nat({ max: 30 });
const user = fc.nat({ max: 1 });
const quota = fc.nat({ max: 90 });
const seconds = fc.nat({ max: 120 });
const crash = fc.option(
  fc.record({ step: fc.nat({ max: 12 }), when: fc.constantFrom('before' as const, 'half' as const, 'after' as const) }),
  { freq: 2 },
);
const token = fc.constantFrom('limited' as const, 'unlimited' as const, 'none' as const);
const size = fc.integer({ min: 1, max: 6 });

/** Calls and consumers are common, disasters rare; a schedule of forty steps still has some of each. */
export const schedule: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 10,
      arbitrary: fc.record({ do: fc.constant('reserve' as const), user, amount: quota, minimum: fc.nat({ max: 40 }), token, seconds }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('progress' as const), call: index, amount: quota, quota, seconds }) },
    {
      weight: 12,
      arbitrary: fc.record({ do: fc.constant('report' as const), call: index, quota, publish: fc.nat({ max: 2 }), again: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), call: index }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('publishAgain' as const), call: index }) },
    { weight: 12, arbitrary: fc.record({ do: fc.constant('consume' as const), partition: index, size, crash, commit: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('consumeTwiceAtOnce' as const), partition: index, size }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('freeze' as const), partition: index, size }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('wake' as const), zombie: index, crash }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('repartition' as const), partitions: fc.integer({ min: 1, max: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restartBus' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('recreateTopic' as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('reconcile' as const) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('sweep' as const), afterSeconds: fc.nat({ max: 200 }), busDown: fc.boolean() }) },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('post' as const),
        user,
        amount: fc.integer({ min: -80, max: 120 }),
        toToken: fc.boolean(),
        crash,
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('setTokenRemain' as const), user, remain: quota }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('emptyRedis' as const) }) },
  ),
  { minLength: 8, maxLength: 45, size: 'max' },
);
