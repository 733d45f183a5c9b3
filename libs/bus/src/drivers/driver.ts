import type { RedisOptions } from 'ioredis';
import type { BusLogger, ConsumptionProgress, Coordinates, EncodedMessage } from '../bus.ts';
import type { KafkaLogin } from './kafka-login.ts';
import type { TokenLogin } from './kafka-token.ts';

/** A message as it came, before anybody has looked inside. */
export interface RawDelivery {
  key: string;
  value: Buffer | string | null;
  coordinates: Coordinates;
  timestampMs: number;
}

export interface RawSubscription {
  topic: string;
  group: string;
  maxBatch: number;
  lingerMs: number;
  /** One partition's messages in order. A throw means "not now". */
  handle(batch: RawDelivery[], signal: AbortSignal): Promise<void>;
}

export interface RawConsumption {
  stop(): Promise<void>;
  progress(): Omit<ConsumptionProgress, 'dead'>;
}

/** What an engine must do. Poison, schemas and encoding are not its concern. */
export interface Driver {
  /** Messages of one key keep their order. Resolves when they are durable. Creates the topic when it is missing. */
  send(topic: string, messages: EncodedMessage[]): Promise<void>;
  subscribe(subscription: RawSubscription): Promise<RawConsumption>;
  lag(topic: string, group: string): Promise<number>;
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** How the brokers of Kafka are entered; nothing given: plain TCP without a login. */
export interface KafkaAccess {
  sasl?: Exclude<KafkaLogin, { mechanism: 'oauthbearer' }> | TokenLogin | undefined;
  /** `ca`: the certificates of who signs the brokers', as PEM; those that Node trusts when it is left out. */
  ssl?: { ca?: string | undefined } | undefined;
}

/** What stands beside Redis's address, as ioredis takes it: trust, and the sentinels that know where the primary is. */
export type RedisAccess = Pick<RedisOptions, 'tls' | 'sentinels' | 'name' | 'sentinelPassword' | 'failoverDetector' | 'reconnectOnError'>;

export interface DriverOptions {
  kafkaAccess: KafkaAccess;
  redisAccess: RedisAccess;
  logger: BusLogger;
  clientId: string;
  /** For topics that do not exist yet. */
  partitions: number;
  /** Called when consuming has ended for good: the process must end, so that something restarts it. */
  onFatal(error: Error): void;
}
