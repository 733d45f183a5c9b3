import { setTimeout as delay } from 'node:timers/promises';
import { type Bus, type BusLogger, type EncodedMessage, silentLogger, type Topic } from './bus.ts';
import { backoffMs } from './drivers/backoff.ts';

export interface BatchedPublisherOptions {
  /** Sends a batch when its oldest event has waited this long (10 ms) ... */
  maxWaitMs?: number;
  /** ... or when it holds this many events (500) ... */
  maxEvents?: number;
  /** ... or this many characters (256 K). */
  maxBytes?: number;
  /** Rejects events while this many are queued (10 000) ... */
  maxQueuedEvents?: number;
  /** ... or this many characters (8 M). */
  maxQueuedBytes?: number;
  logger?: BusLogger;
}

export interface BatchedPublisher<T> {
  /** Queues one event and returns at once. Returns false when the queue is full; the event stays in its hold and the sweep publishes it. */
  push(key: string, value: T): boolean;
  /** Like `push`, for an event that is already JSON. */
  pushEncoded(key: string, json: string): boolean;
  /** Resolves when everything pushed so far is durable. Waits as long as the bus is down. */
  flush(): Promise<void>;
  /** Sends what is queued for at most `timeoutMs` (5 s). Returns the number of events left unsent. */
  close(timeoutMs?: number): Promise<number>;
  /** Events accepted and not yet durable. */
  readonly pending: number;
  /** While true, new calls should be refused with 503. */
  readonly full: boolean;
}

/**
 * Publishes events in batches without blocking the caller. One send is in flight at a time, which keeps the order per key. A failed send is
 * repeated until it succeeds: it may publish an event twice, but loses none while the process lives.
 */
export function batchedPublisher<T>(
  bus: Pick<Bus, 'publishEncoded'>,
  topic: Topic<T>,
  options: BatchedPublisherOptions = {},
): BatchedPublisher<T> {
  const { maxWaitMs = 10, maxEvents = 500, maxBytes = 256 * 1024, maxQueuedEvents = 10_000, maxQueuedBytes = 8 * 1024 * 1024 } = options;
  const logger = options.logger ?? silentLogger;
  let queue: EncodedMessage[] = [];
  let queuedBytes = 0;
  let inFlight = 0;
  let inFlightBytes = 0;
  let sending: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const closing = new AbortController();

  const isFull = () => queue.length + inFlight >= maxQueuedEvents || queuedBytes + inFlightBytes >= maxQueuedBytes;

  function pushEncoded(key: string, json: string): boolean {
    if (isFull() || closing.signal.aborted) return false;
    queue.push({ key, json });
    queuedBytes += json.length;
    if (queue.length >= maxEvents || queuedBytes >= maxBytes) send();
    else timer ??= setTimeout(send, maxWaitMs);
    return true;
  }

  function send(): void {
    clearTimeout(timer);
    timer = undefined;
    if (sending || queue.length === 0) return; // the send in flight also takes what is queued now
    sending = sendAll().finally(() => {
      sending = undefined;
      if (queue.length > 0 && !closing.signal.aborted) timer ??= setTimeout(send, maxWaitMs);
    });
  }

  async function sendAll(): Promise<void> {
    while (queue.length > 0 && !closing.signal.aborted) {
      const batch = takeBatch();
      await deliver(batch);
      if (inFlight > 0) return; // closed before delivery
      if (queue.length < maxEvents && queuedBytes < maxBytes) return; // the rest waits for a fuller batch
    }
  }

  function takeBatch(): EncodedMessage[] {
    let count = 0;
    let bytes = 0;
    while (count < queue.length && count < maxEvents && (count === 0 || bytes < maxBytes)) bytes += queue[count++]?.json.length ?? 0;
    const batch = queue.slice(0, count);
    queue = queue.slice(count);
    queuedBytes -= bytes;
    inFlight = count;
    inFlightBytes = bytes;
    return batch;
  }

  async function deliver(batch: EncodedMessage[]): Promise<void> {
    for (let attempt = 1; !closing.signal.aborted; attempt += 1) {
      try {
        await bus.publishEncoded(topic, batch);
        inFlight = 0;
        inFlightBytes = 0;
        return;
      } catch (error) {
        logger.warn(
          { err: error, topic: topic.name, events: batch.length, pending: queue.length + inFlight, attempt },
          'events not published, retrying',
        );
        await delay(backoffMs(attempt), undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
  }

  async function flush(): Promise<void> {
    while (queue.length + inFlight > 0 && !closing.signal.aborted) {
      send();
      await sending;
    }
  }

  return {
    push: (key, value) => pushEncoded(key, JSON.stringify(value)),
    pushEncoded,
    flush,
    async close(timeoutMs = 5_000) {
      await Promise.race([flush(), delay(timeoutMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)]);
      clearTimeout(timer);
      closing.abort();
      return queue.length + inFlight;
    },
    get pending() {
      return queue.length + inFlight;
    },
    get full() {
      return isFull();
    },
  };
}
