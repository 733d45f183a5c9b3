import { type logCreator, logLevel } from 'kafkajs';
import type { BusLogger } from '../bus.ts';

/**
 * What kafkajs reports as errors though it is part of a normal start or rebalance and is retried, that several processes make a topic
 * at once, its word on limited retries, which lead to the duplicates that every handler must bear anyway, and each try to reach a broker
 * that is down, which the publisher and the consumer report once a try of theirs.
 */
const normal =
  /group coordinator|coordinator is (loading|not available)|GroupCoordinator|rebalanc|not aware of this member|does not host this topic-partition|leadership election|no leader|topic creation errors|limiting retries|connection error|seed broker/i;
/** kafkajs's `info` tells of every join, pause and stop; that is detail to us. */
const levels: Record<number, keyof BusLogger> = {
  [logLevel.ERROR]: 'warn', // kafkajs goes on trying; what ends the consumer for good is reported as its CRASH
  [logLevel.WARN]: 'warn',
  [logLevel.INFO]: 'debug',
  [logLevel.DEBUG]: 'debug',
};

/** kafkajs's log lines in our log, the noise of normal starts and rebalances as `debug`. */
export function kafkaLog(logger: BusLogger): logCreator {
  return () =>
    ({ namespace, level, log }) => {
      const {
        message,
        timestamp: _timestamp,
        logger: _logger,
        stack: _stack,
        ...data
      } = log as Record<string, unknown> & { message: string };
      const isNoise = normal.test(`${message} ${String(data.error ?? '')}`);
      logger[isNoise ? 'debug' : (levels[level] ?? 'debug')]({ kafka: namespace, ...data }, message);
    };
}
