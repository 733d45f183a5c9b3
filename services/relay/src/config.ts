import { addressListSetting, egressEnv, listenSetting, serviceEnv } from '@tollgate/runtime';
import { z } from 'zod';

/** How the console behind us is reached. */
export type ConsoleAddress = { socketPath: string } | { host: string; port: number };

/** `http://host:port`, or the path of a Unix socket. */
const consoleAddress = z
  .union([z.url({ protocol: /^http$/ }), z.string().startsWith('/', 'must be http://host:port or the path of a Unix socket')])
  .transform((text): ConsoleAddress => {
    if (text.startsWith('/')) return { socketPath: text };
    const { hostname, port } = new URL(text);
    return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) };
  });

const milliseconds = z.coerce.number().int().positive().max(3_600_000);
const bytes = z.coerce.number().int().positive();
const count = z.coerce.number().int().positive();

/** What the relay reads from the environment. */
export const relayEnv = serviceEnv.extend({
  RELAY_PORT: listenSetting.default(3001), // where the relay listens: a port, or the path of a Unix socket
  RELAY_PUBLIC_FD: z.coerce.number().int().min(3).optional(), // a listening socket that it inherits from who starts it, and takes calls from besides
  CONSOLE_URL: consoleAddress.optional(), // where the console is, http://host:port or the path of a Unix socket, when no proxy stands before both: what is not the relay's own is passed on there, else 404
  ...egressEnv.shape,
  TRUSTED_PROXIES: addressListSetting, // CIDR blocks of the proxies whose X-Forwarded-For is believed
  RELAY_MAX_BODY_BYTES: bytes.default(32 << 20), // longest request body
  RELAY_MAX_ANSWER_BYTES: bytes.default(64 << 20), // longest whole answer of a provider
  RELAY_MAX_IN_FLIGHT: count.default(20_000), // calls at once; more are answered 503
  RELAY_MAX_BUFFERED_BYTES: bytes.default(512 << 20), // bodies and answers held in memory at once; more are answered 503
  RELAY_SPOOL_DIR: z.string().min(1).default('/tmp'), // where files of requests beyond 1 MB are put while their call lasts; they have no name there, and are gone with it
  RELAY_MAX_SPOOLED_BYTES: bytes.default(4 * 1024 ** 3), // bytes of them at once; more are answered 503
  RELAY_MAX_QUEUED_EVENTS: z.coerce.number().int().positive().default(10_000), // bills that the bus has not taken yet; with more, calls are answered 503
  RELAY_QUEUE_MS: milliseconds.default(100), // how long a new call waits for its turn while more come than can be served; who could not get it within that time is answered 503 at once
  RELAY_BURST_MS: milliseconds.default(5_000), // that is so once there has been a queue for all this time; until then each may wait as long
  RELAY_BUSY_MS: z.coerce.number().min(0).max(1_000).default(10), // CPU time of one turn of the event loop beyond which fewer new calls are taken in
  UPSTREAM_CONNECT_MS: milliseconds.default(5_000), // until a provider takes the connection
  UPSTREAM_FIRST_BYTE_MS: milliseconds.default(300_000), // until its answer begins, and the longest time in which a stream may say nothing or a whole answer may take to arrive
  UPSTREAM_SILENCE_MS: milliseconds.default(60_000), // longest gap between two pieces of its answer
  UPSTREAM_POLL_MS: milliseconds.default(3_000), // between two questions whether a provider who takes his time is done
  UPSTREAM_DRAIN_MS: milliseconds.default(10_000), // how long a stream is read on for its bill when the caller has left
  UPSTREAM_DRAIN_BYTES: bytes.default(256 << 10), // how much of it is read on
  RELAY_HEARTBEAT_MS: milliseconds.default(15_000), // silence after which a streaming caller gets a comment
  RELAY_SLOW_READER_MS: milliseconds.default(60_000), // a caller who takes no byte of a stream for so long is cut off
  RELAY_HOLD_MS: milliseconds.default(90_000), // how long a hold lives when its relay dies; open ones are renewed in time
  RELAY_TURN_MS: milliseconds.default(5_000), // how long a call waits for the user's other calls to give back what they hold
  REDIS_WAIT_REPLICAS: z.coerce.number().int().min(0).max(10).default(0), // so many of Redis's replicas have a bill before its answer ends; 0 waits for none
  REDIS_WAIT_MS: milliseconds.default(1_000), // how long an answer waits for them; then it goes on without
  RELAY_REALTIME_LIFE_MS: milliseconds.default(3_600_000), // how long a spoken session may last
  RELAY_REALTIME_IDLE_MS: milliseconds.default(300_000), // how long both sides of one may say nothing
  RELAY_REALTIME_MESSAGE_BYTES: bytes.default(21 << 20), // longest message of one, from either side
  RELAY_STOP_DELAY_MS: z.coerce.number().int().min(0).max(120_000).default(0), // between "not ready" and closing the door
  RELAY_STOP_GRACE_MS: milliseconds.default(25_000), // how long open calls may go on after the door is closed
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(), // base address of an OTLP/HTTP receiver of traces; without it nothing is traced
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1), // share of calls that are traced when their caller's traceparent does not say
});
export type RelayEnv = z.infer<typeof relayEnv>;

/** What a call may take, in bytes and in ms. */
export type Limits = Pick<
  RelayEnv,
  | 'RELAY_MAX_BODY_BYTES'
  | 'RELAY_MAX_ANSWER_BYTES'
  | 'RELAY_MAX_IN_FLIGHT'
  | 'RELAY_MAX_BUFFERED_BYTES'
  | 'UPSTREAM_FIRST_BYTE_MS'
  | 'UPSTREAM_SILENCE_MS'
  | 'UPSTREAM_POLL_MS'
  | 'UPSTREAM_DRAIN_MS'
  | 'UPSTREAM_DRAIN_BYTES'
  | 'RELAY_HEARTBEAT_MS'
  | 'RELAY_SLOW_READER_MS'
  | 'RELAY_HOLD_MS'
  | 'RELAY_TURN_MS'
  | 'RELAY_REALTIME_LIFE_MS'
  | 'RELAY_REALTIME_IDLE_MS'
  | 'RELAY_REALTIME_MESSAGE_BYTES'
>;
