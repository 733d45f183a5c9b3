import type { BatchedPublisher } from '@tollgate/bus';
import type { UsageRecorded } from '@tollgate/contracts';
import type { UpstreamError } from '@tollgate/providers';
import type {
  AddressList,
  CallLog,
  DatastoreWatch,
  Egress,
  EgressByOrigin,
  ImageLinks,
  Logger,
  PlaygroundPasses,
  Tracing,
} from '@tollgate/runtime';
import type { Replication, Wallet } from '@tollgate/wallet';
import type { WebSocket } from 'ws';
import type { Gate } from '../admission/admission-control.ts';
import type { Callers } from '../auth/callers.ts';
import type { Runs } from '../auth/runs.ts';
import type { Limits } from '../config.ts';
import type { Front } from '../http/console-proxy.ts';
import type { Turns } from '../quota/user-queue.ts';
import type { CallRecords } from '../records/call-records.ts';
import type { KeyCounts } from '../records/key-counts.ts';
import type { Spools } from '../request/spool.ts';
import type { Affinity } from '../routing/affinity.ts';
import type { Breakers } from '../routing/breaker.ts';
import type { ChannelTable, RoutedChannel } from '../routing/channel-table.ts';
import type { StoredObjects } from '../stored/stored-objects.ts';
import type { Callbacks } from '../tasks/callbacks.ts';
import type { AccessTokens } from '../upstream/access-tokens.ts';
import type { CountMemory } from '../upstream/count-memory.ts';
import type { Transport } from '../upstream/web-socket.ts';
import type { OpenCalls } from './open-calls.ts';
import type { AnswerCounts, RelayMetrics } from './relay-metrics.ts';
import type { Settings } from './settings.ts';

/**
 * Everything that calls share. `settings` are replaced whole when something changes, never edited; the table changes under whoever
 * keeps it, what it has given out does not.
 */
export interface Relay {
  readonly limits: Limits;
  settings: Settings;
  table: ChannelTable;
  readonly callers: Callers;
  readonly runs: Runs;
  /** Which of MongoDB and Redis answer. */
  readonly datastores: DatastoreWatch;
  readonly breakers: Breakers;
  readonly trustedProxies: AddressList;
  readonly playground: PlaygroundPasses;
  /** When the relay owns the public port of one machine. */
  readonly front: Front | undefined;
  readonly wallet: Wallet;
  readonly answers: AnswerCounts;
  /** What the wallet was asked for in this turn leaves at once: a relay that is killed a moment later has said it. */
  sendNow(): void;
  /** Where an answer ends only when replicas have its bill. */
  readonly replication: Replication | undefined;
  readonly turns: Turns;
  readonly publisher: BatchedPublisher<UsageRecorded>;
  /** Outgoing calls to channels. */
  readonly egress: Pick<Egress, 'dispatcher' | 'anew' | 'through'>;
  /** Outgoing calls by who typed the address: files that callers name, the operator's worker. */
  readonly egressByOrigin: EgressByOrigin;
  /** The same for providers that speak by WebSocket, through the proxy of their channel. */
  webSockets(proxy: string | undefined): Transport;
  /** A WebSocket to a provider, by the guarded way out. Throws: AppError `egress_refused`. */
  dial(address: string, options: { proxy: string | undefined; maxBytes: number; headers: Record<string, string> }): WebSocket;
  /** What the Responses API keeps for users. */
  readonly stored: StoredObjects;
  readonly accessTokens: AccessTokens;
  readonly countMemory: CountMemory;
  readonly openCalls: OpenCalls;
  readonly gate: Gate;
  /** Where large files of requests are put. */
  readonly spools: Spools;
  readonly metrics: RelayMetrics;
  readonly affinity: Affinity;
  readonly records: CallRecords;
  readonly keyCounts: KeyCounts;
  /** Tells the console of a failure that may mean that a channel is to be switched off. */
  channelFailed(channel: RoutedChannel, error: UpstreamError): void;
  readonly images: ImageLinks;
  readonly callbacks: Callbacks;
  /** Only when traces are wanted. */
  readonly tracing: Tracing | undefined;
  readonly logger: Logger;
  /** One line a call; ids and numbers only. */
  readonly callLog: CallLog;
}
