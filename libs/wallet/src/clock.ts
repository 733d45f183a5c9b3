/** The time that all processes share, in ms since 1970. */
export interface SharedClock {
  /** As Redis says it now. Throws when Redis is down. */
  ask(): Promise<number>;
  /** The same without waiting, from what Redis said within the last seconds; before its first word, this machine's time. */
  read(): number;
}

const heardForMs = 5_000;

/**
 * Redis's clock, kept by the clock of this process that nobody sets (`performance.now`), so that machines whose clocks differ by minutes write
 * the same time. Redis is believed where its answer contradicts what we keep by more than the answer was under way.
 */
export function openClock(askRedis: () => Promise<number>): SharedClock {
  let originMs = Date.now() - performance.now();
  let heardAt = Number.NEGATIVE_INFINITY;

  async function ask(): Promise<number> {
    const askedAt = performance.now();
    heardAt = askedAt;
    const redisMs = await askRedis();
    const answeredAt = performance.now();
    const heard = redisMs - (askedAt + answeredAt) / 2;
    if (Math.abs(heard - originMs) > (answeredAt - askedAt) / 2 + 1) originMs = heard;
    return redisMs;
  }

  return {
    ask,
    read() {
      const now = performance.now();
      if (now - heardAt > heardForMs) ask().catch(() => undefined); // Redis is down: others say so, and the clock goes on
      return Math.round(originMs + now);
    },
  };
}
