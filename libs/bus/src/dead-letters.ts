import { isUtf8 } from 'node:buffer';
import type { BusLogger, TopicName } from './bus.ts';
import { type DeadLetter, deadLetter, deadTopicOf, replayGroupOf } from './dead-letter.ts';
import type { Driver, RawDelivery } from './drivers/driver.ts';

/** How long a replay waits for the next dead letter. */
const silentMs = 30_000;

/** Longer messages are truncated: enough remains to identify them, not to replay them. */
const maxRawBytes = 512 * 1024;

export function deadLetterOf(topic: string, message: RawDelivery, error: string): { letter: DeadLetter; json: string } {
  const bytes = Buffer.isBuffer(message.value) ? message.value : Buffer.from(message.value ?? '');
  const kept = bytes.subarray(0, maxRawBytes);
  const isTruncated = kept.length < bytes.length;
  const encoding = isUtf8(kept) || isTruncated ? 'utf8' : 'base64';
  const letter: DeadLetter = {
    topic,
    coordinates: message.coordinates,
    timestampMs: message.timestampMs,
    key: message.key.slice(0, 1_024),
    raw: kept.toString(encoding),
    encoding,
    bytes: bytes.length,
    isTruncated,
    error,
  };
  return { letter, json: JSON.stringify(letter) };
}

/**
 * Publishes a topic's dead letters again, in order, up to the last one present at the start. A letter that is still unreadable becomes a
 * new dead letter. `kept` counts truncated letters, which cannot be replayed and are logged. Rejects when no letter arrives for 30 s:
 * another replay is running, or the server is down.
 */
export async function replayDead(driver: Driver, topic: TopicName, logger: BusLogger): Promise<{ replayed: number; kept: number }> {
  const dead = deadTopicOf(topic.name);
  const group = replayGroupOf(dead);
  const done = Promise.withResolvers<void>();
  const counts = { replayed: 0, kept: 0 };
  let left = await driver.lag(dead, group);
  if (left === 0) return counts;
  let silence: NodeJS.Timeout | undefined;
  const consumption = await driver.subscribe({
    topic: dead,
    group,
    maxBatch: 1, // a letter may be large, and each is removed as soon as it is published
    lingerMs: 0,
    async handle(batch) {
      if (left === 0) throw new Error('this replay has ended'); // the next replay handles letters that arrived since the start
      silence?.refresh();
      for (const message of batch) {
        const letter = deadLetter.parse(JSON.parse(String(message.value)));
        if (letter.isTruncated) {
          counts.kept += 1;
          logger.warn(
            { topic: topic.name, coordinates: letter.coordinates, bytes: letter.bytes },
            'a dead letter was too large to be kept whole',
          );
        } else {
          await driver.send(topic.name, [{ key: letter.key, json: Buffer.from(letter.raw, letter.encoding).toString() }]);
          counts.replayed += 1;
        }
        left -= 1;
      }
      if (left === 0) done.resolve();
    },
  });
  silence = setTimeout(() => done.reject(new Error(`a replay of ${dead} stalled with ${left} letters left`)), silentMs);
  try {
    await done.promise;
    return counts;
  } finally {
    clearTimeout(silence);
    await consumption.stop();
  }
}
