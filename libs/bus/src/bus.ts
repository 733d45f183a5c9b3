import type { z } from 'zod';
import type { DeadLetter } from './dead-letter.ts';

/** Sorts as text within one epoch and partition. */
export type Offset = string;

/**
 * The position of a message. The epoch identifies the server, the topic and its creation, so a recreated topic never repeats a position.
 */
export interface Coordinates {
  epoch: string;
  partition: number;
  offset: Offset;
}

export interface Delivery<T> {
  value: T;
  key: string;
  coordinates: Coordinates;
  timestampMs: number;
}

/** A stream of events with one schema. Messages with the same key keep their order. */
export interface Topic<T> {
  name: string;
  schema: z.ZodType<T>;
  /** The newest event `version` this code understands. A message with a newer version goes to the dead letters. */
  version?: number;
}

export type TopicName = Pick<Topic<unknown>, 'name'>;

/** A message whose value is already JSON. */
export interface EncodedMessage {
  key: string;
  json: string;
}

export interface Subscription<T> {
  topic: Topic<T>;
  group: string;
  /** Maximum number of events per call of `handleBatch`; 1 000 by default. */
  maxBatch?: number;
  /**
   * How long a partition waits for more events after the first one; 100 ms by default. Redis doubles the wait when many events have
   * arrived.
   */
  lingerMs?: number;
  /** Timeout of the handler. Its signal is aborted then and the batch is delivered again. One minute by default. */
  handlerTimeoutMs?: number;
  /**
   * Receives the events of one partition in order. Throwing means "retry": the same events are delivered again later, in the same order.
   */
  handleBatch(batch: Delivery<T>[], context: BatchContext<T>): Promise<void>;
  /** Called after a message was stored as a dead letter. May be called twice for the same message. */
  onDead?(letter: DeadLetter): Promise<void>;
}

export interface BatchContext<T> {
  signal: AbortSignal;
  /** Sends a readable but invalid event to the dead letters after the batch is handled. */
  reject(delivery: Delivery<T>, reason: string): void;
}

export interface Consumption {
  /** Waits for running batches, then releases the partitions. */
  stop(): Promise<void>;
  progress(): ConsumptionProgress;
}

export interface ConsumptionProgress {
  /** When a batch was last finished, or the consumer was last idle. */
  lastProgressMs: number;
  /** Unhandled events in the partitions of this process, as of the last check. */
  lag: number;
  /** Messages that this process sent to the dead letters. */
  dead: number;
  partitions: number[];
}

export interface Bus {
  /** Resolves when the messages are durable. After a rejection, any of them may have been published. */
  publish<T>(topic: Topic<T>, messages: { key: string; value: T }[]): Promise<void>;
  publishEncoded<T>(topic: Topic<T>, messages: EncodedMessage[]): Promise<void>;
  consume<T>(subscription: Subscription<T>): Promise<Consumption>;
  /** Unhandled events of the group, over all partitions. */
  lag<T>(topic: Topic<T>, group: string): Promise<number>;
  /** Number of dead letters of the topic that have not been replayed. */
  deadLetters(topic: TopicName): Promise<number>;
  /** Publishes the topic's dead letters again. See `dead-letters.ts`. */
  replayDead(topic: TopicName): Promise<{ replayed: number; kept: number }>;
  /** A round trip to the server. Rejects after 3 s without a response. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** The part of pino's interface that the bus uses. */
export interface BusLogger {
  debug(data: object, message: string): void;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
}

export const silentLogger: BusLogger = { debug() {}, info() {}, warn() {}, error() {} };
