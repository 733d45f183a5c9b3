import type { BatchedPublisher } from '@tollgate/bus';
import type { UsageRecorded } from '@tollgate/contracts';
import type { UpstreamError } from '@tollgate/providers';
import type { CallLog, Logger, PlaygroundPasses, Tracing } from '@tollgate/runtime';
import type { Wallet } from '@tollgate/wallet';
import type { Dispatcher } from 'undici';
import type { RelayEnv } from '../config.ts';
import type { AddressList } from './addresses.ts';
import type { Breakers } from './breaker.ts';
import type { Callers } from './callers.ts';
import type { ChannelTable, RoutedChannel } from './channel-table.ts';
import type { OpenCalls } from './open-calls.ts';
import type { RelayMetrics } from './relay-metrics.ts';
import type { RequestLimit } from './request-limit.ts';
import type { Settings } from './settings.ts';
import type { Turns } from './turns.ts';

export type Limits = Pick<
  RelayEnv,
  | 'RELAY_MAX_BODY_BYTES'
  | 'RELAY_MAX_ANSWER_BYTES'
  | 'RELAY_MAX_IN_FLIGHT'
  | 'RELAY_MAX_BUFFERED_BYTES'
  | 'UPSTREAM_FIRST_BYTE_MS'
  | 'UPSTREAM_SILENCE_MS'
  | 'UPSTREAM_DRAIN_MS'
  | 'UPSTREAM_DRAIN_BYTES'
  | 'RELAY_HEARTBEAT_MS'
  | 'RELAY_SLOW_READER_MS'
  | 'RELAY_HOLD_MS'
  | 'RELAY_REPORT_MS'
>;

/** Everything that calls share. `settings` and `table` are replaced whole when something changes, never edited. */
export interface Relay {
  readonly limits: Limits;
  settings: Settings;
  table: ChannelTable;
  readonly callers: Callers;
  readonly breakers: Breakers;
  readonly requestLimit: RequestLimit;
  readonly trustedProxies: AddressList;
  readonly playground: PlaygroundPasses;
  readonly wallet: Wallet;
  readonly turns: Turns;
  readonly publisher: BatchedPublisher<UsageRecorded>;
  /** The guarded way out. */
  readonly upstream: Dispatcher;
  readonly openCalls: OpenCalls;
  readonly metrics: RelayMetrics;
  /** Tells the console of a failure that may mean that a channel is to be switched off. */
  channelFailed(channel: RoutedChannel, error: UpstreamError): void;
  /** Only when traces are wanted. */
  readonly tracing: Tracing | undefined;
  readonly logger: Logger;
  /** One line a call; ids and numbers only. */
  readonly callLog: CallLog;
}
