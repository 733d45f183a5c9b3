import type { Logger } from './logger.ts';

/** Registers a shutdown step. Steps run in reverse order. */
export type OnStop = (name: string, stop: () => Promise<unknown> | unknown) => void;

export interface StopSteps {
  onStop: OnStop;
  /** Runs the steps in reverse order; failures are logged. Later calls wait for the same run. */
  stop(): Promise<void>;
  /** The running step. */
  atWork(): string | undefined;
}

/** Shutdown steps for what a service opened. */
export function stopSteps(logger: Pick<Logger, 'error'>): StopSteps {
  const steps: { name: string; stop: () => Promise<unknown> | unknown }[] = [];
  let stopped: Promise<void> | undefined;
  let current: string | undefined;

  async function stopAll(): Promise<void> {
    for (const { name, stop } of steps.reverse()) {
      current = name;
      try {
        await stop();
      } catch (error) {
        logger.error({ err: error, step: name }, 'a shutdown step failed');
      }
    }
    current = undefined;
  }

  return {
    onStop: (name, stop) => void steps.push({ name, stop }),
    stop() {
      stopped ??= stopAll();
      return stopped;
    },
    atWork: () => current,
  };
}
