import type { RelayEnv } from '../config.ts';

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
  | 'RELAY_REPORT_MS'
>;
