import { randomBytes } from 'node:crypto';
import type { Wallet } from '@tollgate/wallet';
import type { Call } from '../pipeline/call.ts';

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
