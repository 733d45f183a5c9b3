import { type NoticeWatch, watchNotices } from '@tollgate/bus';
import type { Logger } from '@tollgate/runtime';
import type { Redis } from 'ioredis';

/** What has to be read again when the console changes something. */
export interface ConfigReaders {
  reloadChannels(): Promise<void>;
  reloadOptions(): Promise<void>;
  forgetToken(id: number): void;
  forgetUser(id: number): void;
  forgetChannel(id: number): void;
  forgetCallers(): void;
}

const retryMs = 1_000;
/** However the notices go astray: nothing in memory is older than this. */
const reloadMs = 60_000;

/** Follows the console's notices. While the database is silent what is known goes on being used, and it is asked again. */
export async function watchConfig(options: {
  redis: Redis;
  subscriber: Redis;
  logger: Logger;
  readers: ConfigReaders;
}): Promise<NoticeWatch> {
  const { redis, subscriber, logger, readers } = options;
  const channels = reloading(() => readers.reloadChannels(), logger);
  const settings = reloading(() => readers.reloadOptions(), logger);
  const everything = () => {
    readers.forgetCallers();
    channels.run();
    settings.run();
  };
  const watch = await watchNotices({
    redis,
    subscriber,
    onGap: everything,
    onNotice(kind, id) {
      if (kind === 'token') readers.forgetToken(Number(id));
      else if (kind === 'user') readers.forgetUser(Number(id));
      else if (kind === 'option') settings.run();
      else {
        readers.forgetChannel(Number(id));
        channels.run();
      }
    },
  });
  const timer = setInterval(() => {
    channels.run();
    settings.run();
  }, reloadMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      channels.stop();
      settings.stop();
      await watch.stop();
    },
  };
}

/** Runs one load at a time; what is asked for meanwhile is one more load after it. */
function reloading(load: () => Promise<void>, logger: Logger): { run(): void; stop(): void } {
  let isRunning = false;
  let isWanted = false;
  let isStopped = false;
  let retry: NodeJS.Timeout | undefined;

  async function loop(): Promise<void> {
    isRunning = true;
    clearTimeout(retry);
    while (isWanted && !isStopped) {
      isWanted = false;
      try {
        await load();
      } catch (error) {
        logger.warn({ err: error }, 'settings could not be read again, the old ones stay');
        retry = setTimeout(run, retryMs);
        retry.unref();
        break;
      }
    }
    isRunning = false;
  }

  function run(): void {
    isWanted = true;
    if (!isRunning && !isStopped) void loop();
  }

  return {
    run,
    stop() {
      isStopped = true;
      clearTimeout(retry);
    },
  };
}
