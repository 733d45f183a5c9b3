import { type logCreator, logLevel } from 'kafkajs';
import type { BusLogger } from '../bus.ts';

/**
 * Messages that kafkajs logs as errors although it retries them: normal starts and rebalances, several processes creating a topic at once,
 * each attempt to reach a broker that is down (publisher and consumer report those themselves), and its note that limited retries may cause
 * duplicates, which every handler tolerates.
 */
const normal =
  /group coordinator|coordinator is (loading|not available)|GroupCoordinator|rebalanc|not aware of this member|does not host this topic-partition|leadership election|no leader|topic creation errors|limiting retries|connection error|seed broker/i;
/** kafkajs logs every join, pause and stop as `info`; we log them as `debug`. */
const levels: Record<number, keyof BusLogger> = {
  [logLevel.ERROR]: 'warn', // kafkajs retries these; it reports a permanent end of the consumer as CRASH
  [logLevel.WARN]: 'warn',
  [logLevel.INFO]: 'debug',
  [logLevel.DEBUG]: 'debug',
};

/** Writes kafkajs's log lines to our logger, and the noise of normal starts and rebalances as `debug`. */
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
