import type { Logger } from '@tollgate/runtime';

export interface Repetition {
  /** Waits for the run at work. */
  stop(): Promise<void>;
}

/** Runs a task now and then every so often, counted from the end of one run; a failure is logged and the next run comes as usual. */
export function repeat(name: string, everyMs: number, task: () => Promise<void>, logger: Pick<Logger, 'error'>): Repetition {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let running = run();

  async function run(): Promise<void> {
    try {
      await task();
    } catch (error) {
      logger.error({ err: error, task: name }, 'a task failed, it will be tried again');
    }
    if (!stopped) timer = setTimeout(() => (running = run()), everyMs);
  }

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
