/** The clock shared by all processes, in ms since 1970. */
export interface SharedClock {
  /** Asks Redis. Throws when Redis is down. */
  ask(): Promise<number>;
  /**
   * Returns the time without waiting, from Redis's last answer (a few seconds old at most); this machine's time before the first answer.
   */
  read(): number;
}

const freshForMs = 5_000;

/**
 * Keeps Redis's time by the monotonic clock of this process (`performance.now`), so that machines with different clocks write the same
 * time. An answer of Redis corrects the clock only when the two differ by more than the request's travel time.
 */
export function openClock(askRedis: () => Promise<number>): SharedClock {
  let originMs = Date.now() - performance.now();
  let lastAskedAt = Number.NEGATIVE_INFINITY;

  async function ask(): Promise<number> {
    const askedAt = performance.now();
    lastAskedAt = askedAt;
    const redisMs = await askRedis();
    const answeredAt = performance.now();
    const measuredOriginMs = redisMs - (askedAt + answeredAt) / 2;
    if (Math.abs(measuredOriginMs - originMs) > (answeredAt - askedAt) / 2 + 1) originMs = measuredOriginMs;
    return redisMs;
  }

  return {
    ask,
    read() {
      const now = performance.now();
      if (now - lastAskedAt > freshForMs) ask().catch(() => undefined); // Redis is down: others report it, and the clock goes on
      return Math.round(originMs + now);
    },
  };
}
