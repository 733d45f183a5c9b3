import type { BusLogger, Consumption, Coordinates, Delivery, Subscription, Topic } from './bus.ts';
import { deadTopicOf } from './dead-letter.ts';
import { deadLetterOf } from './dead-letters.ts';
import type { Driver, RawDelivery } from './drivers/driver.ts';
import { type PlainCheck, plainCheck } from './plain-check.ts';
import { within } from './within.ts';

const defaults = { maxBatch: 1_000, lingerMs: 100, handlerTimeoutMs: 60_000 };

/** Reads a topic for a group. Readable messages go to the handler, the others to the dead letters; then the offset is committed. */
export async function consume<T>(driver: Driver, subscription: Subscription<T>, logger: BusLogger): Promise<Consumption> {
  const { topic, group, handleBatch, onDead } = subscription;
  const { maxBatch = defaults.maxBatch, lingerMs = defaults.lingerMs, handlerTimeoutMs = defaults.handlerTimeoutMs } = subscription;
  const isPlain = plainCheck(topic.schema);
  let dead = 0;

  async function handle(batch: RawDelivery[], signal: AbortSignal): Promise<void> {
    const readable: Delivery<T>[] = [];
    const poison = new Map<string, string>();
    for (const message of batch) {
      const { key, coordinates, timestampMs } = message;
      const read = readMessage(topic, message, isPlain);
      if ('value' in read) readable.push({ value: read.value, key, coordinates, timestampMs });
      else poison.set(placeOf(coordinates), read.error);
    }
    const reject = ({ coordinates }: Delivery<T>, reason: string) => void poison.set(placeOf(coordinates), reason);
    if (readable.length > 0) await inTime(signal, (given) => handleBatch(readable, { signal: given, reject }));
    if (poison.size === 0) return;
    const letters = batch.flatMap((message) => {
      const reason = poison.get(placeOf(message.coordinates));
      return reason === undefined ? [] : [deadLetterOf(topic.name, message, reason)];
    });
    // Sent after the handler, so that a repeated batch does not fill the dead letters. A crash between the two repeats both.
    for (const { json } of letters) await driver.send(deadTopicOf(topic.name), [{ key: topic.name, json }]);
    dead += letters.length;
    for (const { letter } of letters) {
      const { raw: _raw, ...facts } = letter;
      logger.error({ group, ...facts }, 'an event went to the dead letters');
      await onDead?.(letter);
    }
  }

  /** Limits the handler's run time: a handler that never returns would block its partition forever. */
  async function inTime(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const stop = new AbortController();
    const onAbort = (): void => stop.abort();
    signal.addEventListener('abort', onAbort);
    try {
      await within(handlerTimeoutMs, work(stop.signal), `the batch was not handled in ${handlerTimeoutMs} ms`);
    } finally {
      signal.removeEventListener('abort', onAbort);
      onAbort();
    }
  }

  const consumption = await driver.subscribe({ topic: topic.name, group, maxBatch, lingerMs, handle });
  return { stop: () => consumption.stop(), progress: () => ({ ...consumption.progress(), dead }) };
}

/** Unique within a batch, which may span two epochs. */
function placeOf({ epoch, offset }: Coordinates): string {
  return `${epoch}/${offset}`;
}

/** Returns the event, or the reason why the message is not a valid one. */
function readMessage<T>(topic: Topic<T>, message: RawDelivery, isPlain: PlainCheck | undefined): { value: T } | { error: string } {
  if (message.value === null) return { error: 'the message has no value' };
  let value: unknown;
  try {
    value = JSON.parse(typeof message.value === 'string' ? message.value : message.value.toString());
  } catch (error) {
    return { error: `not JSON: ${(error as Error).message.slice(0, 200)}` };
  }
  const version = typeof value === 'object' && value !== null ? (value as { version?: unknown }).version : undefined;
  if (topic.version !== undefined && typeof version === 'number' && version > topic.version) {
    return { error: `the event has version ${version}, this program knows versions up to ${topic.version}: update it, then replay` };
  }
  if (isPlain?.(value)) return { value: value as T };
  const parsed = topic.schema.safeParse(value);
  if (parsed.success) return { value: parsed.data };
  const issues = parsed.error.issues.slice(0, 5).map(({ path, message: text }) => `${path.join('.') || 'event'}: ${text}`);
  return { error: `not of the topic's shape: ${issues.join('; ').slice(0, 1_000)}` };
}
