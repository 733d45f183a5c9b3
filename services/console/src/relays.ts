const awayMs = 1000;

export interface Relays {
  readonly count: number;
  /** The relay that is next in turn, passing over those that were away a moment ago, unless all were. */
  next(now?: number): string;
  /** This relay did not take a connection. */
  wasAway(url: string, now?: number): void;
}

/** The relays that calls are spread over. One machine has one per core, a cluster one address for all. */
export function createRelays(urls: readonly string[]): Relays {
  const relays = urls.map((url) => ({ url: new URL(url).origin, awayUntil: 0 }));
  let turn = 0;
  return {
    count: relays.length,
    next(now = Date.now()) {
      for (let tried = 0; tried < relays.length; tried += 1) {
        const relay = relays[turn++ % relays.length];
        if (relay && relay.awayUntil <= now) return relay.url;
      }
      return relays[turn++ % relays.length]?.url ?? '';
    },
    wasAway(url, now = Date.now()) {
      for (const relay of relays) if (relay.url === url) relay.awayUntil = now + awayMs;
    },
  };
}
