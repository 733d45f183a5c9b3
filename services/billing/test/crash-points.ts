import { AsyncLocalStorage } from 'node:async_hooks';
import { rows } from '@tollgate/db';
import type { Wallet } from '@tollgate/wallet';

/** A process crash as seen from inside: the running step never returns, and no further one starts. */
export class Crash extends Error {}

/** Where a run crashes: at its n-th datastore step, before it, after it, or with half of a batch written. */
export interface CrashPoint {
  step: number;
  when: 'before' | 'half' | 'after';
}

interface Run extends CrashPoint {
  steps: number;
}

const current = new AsyncLocalStorage<Run>();
const reading = new Set(['find', 'findOne', 'aggregate', 'countDocuments', 'estimatedDocumentCount']);
const writing = new Set(['insertMany', 'insertOne', 'bulkWrite', 'updateOne', 'updateMany', 'findOneAndUpdate']);

/** Installs the crash points between the code under test and its datastores. Call the result to remove them. */
export function installCrashPoints(): () => void {
  const originals = { ...rows };
  for (const name of Object.keys(rows) as (keyof typeof rows)[]) {
    const open = originals[name] as () => object;
    Object.assign(rows, { [name]: () => crashable(open()) });
  }
  return () => Object.assign(rows, originals);
}

/** Runs a task that crashes at the given point (null: never). Returns whether it crashed; it may have fewer steps. */
export async function dying(point: CrashPoint | null, task: () => Promise<unknown>): Promise<boolean> {
  try {
    await (point ? current.run({ ...point, steps: 0 }, task) : task());
    return false;
  } catch (error) {
    if (error instanceof Crash) return true;
    throw error;
  }
}

/** A wallet whose Redis steps count as well. */
export function crashableWallet(wallet: Wallet): Wallet {
  const settle: Wallet['settle'] = async (settlements) => {
    const run = current.getStore();
    if (run && isNow(run, 'before')) throw new Crash();
    const half = run && isNow(run, 'half');
    await wallet.settle(half ? settlements.slice(0, settlements.length / 2) : settlements);
    if (run && (half || isNow(run, 'after'))) throw new Crash();
    if (run) run.steps++;
  };
  return { ...wallet, settle };
}

function crashable<T extends object>(collection: T): T {
  return new Proxy(collection, {
    get(target, name: string) {
      const method = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      const call = (...parameters: unknown[]) => Reflect.apply(method, target, parameters);
      const run = current.getStore();
      if (!run || !(reading.has(name) || writing.has(name))) return call;
      if (reading.has(name)) {
        return (...parameters: unknown[]) => {
          if (isNow(run, 'before') || isNow(run, 'half') || isNow(run, 'after')) throw new Crash();
          run.steps++;
          return call(...parameters);
        };
      }
      return (...parameters: unknown[]) => write(run, call, parameters);
    },
  });
}

async function write(run: Run, call: (...parameters: unknown[]) => unknown, parameters: unknown[]): Promise<unknown> {
  if (isNow(run, 'before')) throw new Crash();
  const [batch, ...rest] = parameters;
  if (isNow(run, 'half') && Array.isArray(batch)) {
    const half = batch.slice(0, Math.floor(batch.length / 2));
    // The result of the half batch is discarded.
    if (half.length > 0) await Promise.resolve(call(half, ...rest)).catch(() => undefined);
    throw new Crash();
  }
  const dies = isNow(run, 'after') || isNow(run, 'half');
  run.steps++;
  const result = await Promise.resolve(call(...parameters)).catch((error) => {
    if (dies) throw new Crash();
    throw error;
  });
  if (dies) throw new Crash();
  return result;
}

function isNow(run: Run, when: CrashPoint['when']): boolean {
  return run.when === when && run.steps === run.step;
}
