import { type NoticeWatch, watchNotices } from '@tollgate/bus';
import type { OptionWatch } from '@tollgate/options';
import { type Logger, reloading, type Stale } from '@tollgate/runtime';
import type { Redis } from 'ioredis';

/** What has to be read again when the console changes something. */
export interface ConfigReaders {
  reloadChannels(ids: Stale<number>): Promise<void>;
  forgetToken(id: number): void;
  forgetUser(id: number): void;
  forgetChannels(ids: ReadonlySet<number>): void;
  forgetCallers(): void;
  /** The ceilings of runs: one of a token has changed. */
  forgetRuns(): void;
}

/** However the notices go astray: nothing in memory is older than this. */
const reloadMs = 60_000;

/** Follows the console's notices. While the database is silent what is known goes on being used, and it is asked again. */
export async function watchConfig(options: {
  redis: Redis;
  subscriber: Redis;
  logger: Logger;
  readers: ConfigReaders;
  settings: OptionWatch;
}): Promise<NoticeWatch> {
  const { redis, subscriber, logger, readers, settings } = options;
  const channels = reloading<number>((ids) => readers.reloadChannels(ids), logger);
  const everything = () => {
    readers.forgetCallers();
    readers.forgetRuns();
    channels.run('all');
    settings.noticed('all');
  };
  /** A notice names the channels that were changed together; 0 is for all there are. */
  const channelsChanged = (notice: string) => {
    const ids = new Set(notice.split(',').map(Number));
    readers.forgetChannels(ids);
    channels.run(ids.has(0) ? 'all' : ids);
  };
  const watch = await watchNotices({
    redis,
    subscriber,
    onGap: everything,
    onNotice(kind, id) {
      // A notice names the tokens that were changed together, too.
      if (kind === 'token') {
        for (const each of id.split(',')) readers.forgetToken(Number(each));
        readers.forgetRuns();
      } else if (kind === 'user' && id === '0')
        readers.forgetCallers(); // what concerns all users, such as a budget of a group
      else if (kind === 'user') readers.forgetUser(Number(id));
      else if (kind === 'option') settings.noticed(id);
      else channelsChanged(id);
    },
  });
  const timer = setInterval(() => channels.run('all'), reloadMs);
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
