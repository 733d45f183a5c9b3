import type { RedisOptions } from 'ioredis';
import type { BusLogger, ConsumptionProgress, Coordinates, EncodedMessage } from '../bus.ts';
import type { KafkaLogin } from './kafka-login.ts';
import type { TokenLogin } from './kafka-token.ts';

/** A message as received, not parsed. */
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
  /** Receives the messages of one partition in order. Throwing means "retry". */
  handle(batch: RawDelivery[], signal: AbortSignal): Promise<void>;
}

export interface RawConsumption {
  stop(): Promise<void>;
  progress(): Omit<ConsumptionProgress, 'dead'>;
}

/** What a driver implements. Parsing, schemas and dead letters belong to `consume.ts`. */
export interface Driver {
  /** Messages with the same key keep their order. Resolves when they are durable. Creates a missing topic. */
  send(topic: string, messages: EncodedMessage[]): Promise<void>;
  subscribe(subscription: RawSubscription): Promise<RawConsumption>;
  lag(topic: string, group: string): Promise<number>;
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** Credentials and TLS settings for Kafka. Empty: plain TCP without authentication. */
export interface KafkaAccess {
  sasl?: Exclude<KafkaLogin, { mechanism: 'oauthbearer' }> | TokenLogin | undefined;
  /** `ca`: the brokers' certificate authorities, as PEM. Default: the authorities that Node trusts. */
  ssl?: { ca?: string | undefined } | undefined;
}

/** Connection options beside the Redis address: TLS, and the sentinels that know the primary. */
export type RedisAccess = Pick<RedisOptions, 'tls' | 'sentinels' | 'name' | 'sentinelPassword' | 'failoverDetector' | 'reconnectOnError'>;

export interface DriverOptions {
  kafkaAccess: KafkaAccess;
  redisAccess: RedisAccess;
  logger: BusLogger;
  clientId: string;
  instance: string | undefined;
  /** Number of partitions of topics that do not exist yet. */
  partitions: number;
  /** Called when consuming has failed permanently. The process must exit so that it is restarted. */
  onFatal(error: Error): void;
}
