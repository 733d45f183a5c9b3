import { flushCompileCache } from 'node:module';
import { endProcess } from './end-process.ts';
import type { Logger } from './logger.ts';
import { type OnStop, stopSteps } from './stop-steps.ts';

export interface Lifecycle {
  /** Registers a shutdown step. */
  onStop: OnStop;
  /** Shuts the process down in order, with this exit code. Later calls change nothing. */
  stop(reason: string, exitCode?: number): Promise<void>;
  /** Starts the process. A failure is logged, what had started is stopped, and the exit code is 1. */
  run(start: () => Promise<void>): Promise<void>;
  readonly stopping: boolean;
}

/**
 * The lifecycle of a process. It stops on SIGTERM, SIGINT, and when the IPC channel of its parent closes. Shutdown steps run one after
 * another, within `stopTimeoutMs` in total. An uncaught error is logged and ends the process.
 */
export function lifecycle({ logger, stopTimeoutMs = 30_000 }: { logger: Logger; stopTimeoutMs?: number }): Lifecycle {
  const steps = stopSteps(logger);
  let stopped: Promise<void> | undefined;

  async function stopAll(reason: string, exitCode: number): Promise<void> {
    logger.info({ reason }, 'stopping');
    const timer = setTimeout(() => {
      logger.error({ stopTimeoutMs, step: steps.atWork() }, 'shutdown took too long');
      void endProcess(exitCode || 1);
    }, stopTimeoutMs);
    await steps.stop();
    clearTimeout(timer);
    logger.info('stopped');
    await endProcess(exitCode);
  }

  function stop(reason: string, exitCode = 0): Promise<void> {
    stopped ??= stopAll(reason, exitCode);
    return stopped;
  }

  return {
    onStop: steps.onStop,
    stop,
    get stopping() {
      return stopped !== undefined;
    },
    async run(start) {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
      process.on('disconnect', () => void stop('the supervisor is gone'));
      if (process.connected === false) return stop('the supervisor was gone before the start'); // undefined: there is no channel
      process.on('uncaughtException', (error) => die('uncaught exception', error));
      process.on('unhandledRejection', (error) => die('unhandled rejection', error));
      try {
        await start();
        flushCompileCache(); // Node writes it at the exit otherwise, and so not when the process is killed
      } catch (error) {
        if (stopped === undefined) die('cannot start', error);
      }
    },
  };

  function die(what: string, error: unknown): void {
    logger.fatal({ err: error }, what);
    void stop(what, 1);
  }
}
