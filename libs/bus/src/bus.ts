import type { z } from 'zod';
import type { DeadLetter } from './dead-letter.ts';

/** Sortable as text inside one epoch and partition. */
export type Offset = string;

/** Where a message stands. The epoch names the engine, the topic and its creation, so a recreated topic is another place. */
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

/** A stream of facts of one shape. Messages of one key keep their order. */
export interface Topic<T> {
  name: string;
  schema: z.ZodType<T>;
  /** The newest `version` field that this code understands; a message above it goes to the dead letters. */
  version?: number;
}

export type TopicName = Pick<Topic<unknown>, 'name'>;

/** A message whose value is JSON already. */
export interface EncodedMessage {
  key: string;
  json: string;
}

export interface Subscription<T> {
  topic: Topic<T>;
  group: string;
  /** Most events per call of `handleBatch`; 1 000 by default. */
  maxBatch?: number;
  /**
   * How long a partition waits for company after its first event, so that the handler gets batches; 100 ms by default. Redis: as long again
   * where many have come by then.
   */
  lingerMs?: number;
  /** How long the handler may take; then its signal tells it to stop, and the batch comes again. A minute by default. */
  patienceMs?: number;
  /** One partition's events in order. A throw means "not now": they come again, later and in the same order. */
  handleBatch(batch: Delivery<T>[], context: BatchContext<T>): Promise<void>;
  /** A message of this topic stands among the dead letters now. May be told twice of one. */
  onDead?(letter: DeadLetter): Promise<void>;
}

export interface BatchContext<T> {
  signal: AbortSignal;
  /** This event can be read but not be true: it goes to the dead letters when the batch is handled. */
  reject(delivery: Delivery<T>, reason: string): void;
}

export interface Consumption {
  /** Waits for the batches at work, then gives the partitions to others. */
  stop(): Promise<void>;
  progress(): ConsumptionProgress;
}

export interface ConsumptionProgress {
  /** When a batch was last finished, or nothing was left to do. */
  lastProgressMs: number;
  /** Events not yet handled in the partitions that this process owns, as last seen. */
  lag: number;
  /** Messages that this process sent to the dead letters. */
  dead: number;
  partitions: number[];
}

export interface Bus {
  /** Resolves when the bus has them durably. A rejection leaves open which of them it has. */
  publish<T>(topic: Topic<T>, messages: { key: string; value: T }[]): Promise<void>;
  publishEncoded<T>(topic: Topic<T>, messages: EncodedMessage[]): Promise<void>;
  consume<T>(subscription: Subscription<T>): Promise<Consumption>;
  /** Events that the group has not handled yet, over all partitions. */
  lag<T>(topic: Topic<T>, group: string): Promise<number>;
  /** How many dead letters of the topic wait to be published again. */
  deadLetters(topic: TopicName): Promise<number>;
  /** Publishes the topic's dead letters again. See `dead-letters.ts`. */
  replayDead(topic: TopicName): Promise<{ replayed: number; kept: number }>;
  /** A round trip to the engine, now. Rejects within 3 s when it does not answer. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** pino's shape, as far as the bus needs it. */
export interface BusLogger {
  debug(data: object, message: string): void;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
}

export const silentLogger: BusLogger = { debug() {}, info() {}, warn() {}, error() {} };
