/** The turns of an event loop, as whoever writes to Redis knows them. */
export interface Turn {
  /** Runs once, before what was asked for in this turn leaves. */
  atEnd(run: () => void): void;
}

interface Ask {
  userId: number;
  requestId: string;
}

interface Asking<A, Answer> {
  /** Asks for one call. */
  alone(ask: A): Promise<Answer>;
  /** Asks for several calls of one user at once; undefined for those that must be asked alone. */
  together(asks: A[]): Promise<(Answer | undefined)[]>;
}

/** More would let other users wait for one script. */
const mostTogether = 50;

/**
 * Calls of one user that come in one turn are asked together. What cannot be answered so at once, a repetition say, or a balance that does
 * not do for all, is asked alone and keeps no other call waiting. A batch that Redis refuses is asked call by call.
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
        for (const { reject } of batch) reject(error); // Redis is away: each says so as it would have alone
        return;
      }
    }
    for (const [i, { ask, resolve }] of batch.entries()) resolve(answers[i] ?? alone(ask));
  }

  function answerAll(): void {
    const users = waiting;
    waiting = new Map(); // not cleared: V8 keeps the old table, with all that stood in it, until a full collection
    for (const calls of users.values()) {
      const all = [...calls.values()];
      for (let from = 0; from < all.length; from += mostTogether) void answer(all.slice(from, from + mostTogether));
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
