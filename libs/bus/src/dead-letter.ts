import { z } from 'zod';

/** A message that could not be handled, with the reason. */
export const deadLetter = z.object({
  topic: z.string(),
  coordinates: z.object({ epoch: z.string(), partition: z.number(), offset: z.string() }),
  timestampMs: z.number(),
  key: z.string(),
  /** The message, or its beginning when `isTruncated` is set. */
  raw: z.string(),
  encoding: z.enum(['utf8', 'base64']),
  bytes: z.number(),
  isTruncated: z.boolean(),
  error: z.string(),
});
export type DeadLetter = z.infer<typeof deadLetter>;

export function deadTopicOf(topic: string): string {
  return `${topic}.dead`;
}

/** The consumer group that replays a topic's dead letters. */
export function replayGroupOf(deadTopic: string): string {
  return `${deadTopic}.replay`;
}
