import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Topic } from '../src/index.ts';

/** What the contract suite needs of a server beside the bus itself. */
export interface TestEngine {
  url: string;
  /** After this time the partitions of a silent consumer are free. */
  sessionMs: number;
  /** Writes raw bytes to the topic, bypassing the bus. */
  publishRaw(topic: string, key: string, value: string | Buffer): Promise<void>;
  /** Deletes the topic and all state the server has of it. */
  deleteTopic(topic: string): Promise<void>;
  kill9(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const event = z.object({ version: z.number().optional(), key: z.string(), n: z.int(), padding: z.string().optional() });
export type TestEvent = z.infer<typeof event>;

/** A topic used by one test only. */
export function freshTopic(): Topic<TestEvent> {
  return { name: `test.${randomBytes(6).toString('hex')}`, schema: event, version: 1 };
}

/** `count` events over `keys` keys; `n` increases within each key. */
export function numbered(count: number, keys: number, from = 0): { key: string; value: TestEvent }[] {
  return Array.from({ length: count }, (_, i) => {
    const key = `user-${i % keys}`;
    return { key, value: { key, n: from + Math.floor(i / keys) } };
  });
}
