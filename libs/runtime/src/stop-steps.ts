import type { Logger } from './logger.ts';

/** Registers what has to be done at the end. The last one registered is done first. */
export type OnStop = (name: string, stop: () => Promise<unknown> | unknown) => void;

export interface StopSteps {
  onStop: OnStop;
  /** Undoes what was registered, step by step; one that fails is logged. Calling it again waits for the same. */
  stop(): Promise<void>;
  /** The step that is waited for. */
  atWork(): string | undefined;
}

/** What a service opened, to be closed in the opposite order. */
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
        logger.error({ err: error, step: name }, 'a step of stopping failed');
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
