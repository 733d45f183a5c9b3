/** Event-loop turns, as observed by the module that writes to Redis. */
export interface Turn {
  /** Runs once at the end of this turn, before its commands are written. */
  atEnd(run: () => void): void;
}

interface Ask {
  userId: number;
  requestId: string;
}

interface Asking<A, Answer> {
  /** Runs one call. */
  alone(ask: A): Promise<Answer>;
  /** Runs several calls of one user in one command. Undefined for calls that must run alone. */
  together(asks: A[]): Promise<(Answer | undefined)[]>;
}

/** A larger batch would make other users wait for one script. */
const maxBatch = 50;

/**
 * Combines the calls of one user in one event-loop turn. Calls that cannot be combined (a repetition, a balance that does not cover all)
 * run alone and delay no other call. A batch that Redis rejects is run call by call.
 */
export function byTurns<A extends Ask, Answer>(turn: Turn, { alone, together }: Asking<A, Answer>): (ask: A) => Promise<Answer> {
  type Waiting = { ask: A; resolve(answer: Answer | Promise<Answer>): void; reject(error: unknown): void };
  let waiting = new Map<number, Map<string, Waiting>>();

  async function answer(batch: Waiting[]): Promise<void> {
    const [first] = batch;
    if (first !== undefined && batch.length === 1) return first.resolve(alone(first.ask));
    let answers: (Answer | undefined)[] = [];
    try {
      answers = await together(batch.map(({ ask }) => ask));
    } catch (error) {
      if ((error as Error).name !== 'ReplyError') {
        for (const { reject } of batch) reject(error); // Redis is down: every caller gets the error
        return;
      }
    }
    for (const [i, { ask, resolve }] of batch.entries()) resolve(answers[i] ?? alone(ask));
  }

  function answerAll(): void {
    const users = waiting;
    waiting = new Map(); // not cleared: V8 keeps the old table and its contents until a full collection
    for (const calls of users.values()) {
      const all = [...calls.values()];
      for (let from = 0; from < all.length; from += maxBatch) void answer(all.slice(from, from + maxBatch));
    }
  }

  return (ask) => {
    const { userId, requestId } = ask;
    if (waiting.size === 0) turn.atEnd(answerAll);
    const calls = waiting.get(userId) ?? new Map<string, Waiting>();
    waiting.set(userId, calls);
    if (calls.has(requestId)) return alone(ask);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    calls.set(requestId, { ask, resolve, reject });
    return promise;
  };
}
