import { hash } from 'node:crypto';
import { type ChannelFailure, channelFailuresKey, channelStatus } from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import type { UpstreamError } from '@tollgate/providers';
import { type Logger, slices } from '@tollgate/runtime';
import type { Redis } from 'ioredis';
import { type ChannelTable, channelTable, type EditableTable, type ListedChannel } from './channel-table.ts';
import { channelMaker, type RoutedChannel, type StoredChannel, storedFields } from './routed-channel.ts';

/** Keeps a table of the stored channels. */
export interface ChannelReader {
  /**
   * Reads channels again, of which some may be new or gone, and returns the table as it is then. What did not change stays as it is.
   * One call at a time. Rejects when the database does not answer; the table then stands.
   */
  read(ids: ReadonlySet<number> | 'all'): Promise<ChannelTable>;
}

/** So many documents come, and are decoded, at once. */
const batchSize = 100;
/** With more changes than these a table is filled anew, in slices; it then takes the place of the old one. */
const fewChanges = 50;

/** A channel that cannot be used is logged, and serves nothing. */
export async function channelReader({ logger }: { logger: Pick<Logger, 'error'> }): Promise<ChannelReader> {
  const make = channelMaker();
  const name = sharedTexts();
  const listed = new Map<number, ListedChannel>();
  /** By which a channel is told from what it was, stored channels that cannot be used too. */
  const prints = new Map<number, string>();
  let table: EditableTable = await channelTable(listed);

  function listedChannel(stored: StoredChannel): ListedChannel {
    const namesIn = (texts: readonly string[]) => [...new Set(texts)].map(name);
    return {
      id: stored.id,
      priority: stored.priority ?? 0,
      routed: routed(stored),
      groups: namesIn(stored.groups),
      models: namesIn(stored.models),
      isSuspended: stored.status === channelStatus.autoDisabled,
    };
  }

  function routed(stored: StoredChannel): RoutedChannel | undefined {
    try {
      return make(stored);
    } catch (error) {
      logger.error({ channelId: stored.id, err: error }, 'a channel cannot be used');
      return undefined;
    }
  }

  /** The channels that are others now than those in the table. */
  async function changesOf(ids: ReadonlySet<number> | 'all'): Promise<Map<number, { print: string; channel: ListedChannel } | undefined>> {
    const changes = new Map<number, { print: string; channel: ListedChannel } | undefined>();
    const missing = new Set(ids === 'all' ? prints.keys() : ids);
    const found = Channel.find(ids === 'all' ? {} : { id: { $in: [...ids] } });
    const fields = [...storedFields, '-_id', '+keySealed', '+keySecrets'].join(' ');
    const pause = slices();
    for await (const document of found.select(fields).lean().cursor({ batchSize })) {
      const stored = document as unknown as StoredChannel;
      missing.delete(stored.id);
      const print = hash('sha1', JSON.stringify(stored), 'base64');
      if (print !== prints.get(stored.id)) changes.set(stored.id, { print, channel: listedChannel(stored) });
      const turn = pause();
      if (turn !== undefined) await turn;
    }
    for (const id of missing) if (prints.has(id)) changes.set(id, undefined);
    return changes;
  }

  return {
    async read(ids) {
      const changes = await changesOf(ids);
      for (const [id, change] of changes) {
        if (change === undefined) prints.delete(id);
        else prints.set(id, change.print);
        if (change === undefined) listed.delete(id);
        else listed.set(id, change.channel);
      }
      if (changes.size > fewChanges) table = await channelTable(listed);
      else for (const [id, change] of changes) table.change(id, change?.channel);
      return table;
    },
  };
}

/** Gives equal texts back as one, so that thousands of channels do not each keep the names of their models. */
function sharedTexts(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const first = known.get(text);
    if (first !== undefined) return first;
    known.set(text, text);
    return text;
  };
}

/** Failures kept for the console, which alone disables channels. Only a provider's own message is in them, so no caller's text can do it. */
const mostKept = 1000;
/** One channel that fails a thousand times a second says so once. */
const onceEveryMs = 1000;
const mostTold = 10_000;

export function channelReports({
  redis,
  logger,
}: {
  redis: Redis;
  logger: Logger;
}): (channel: RoutedChannel, error: UpstreamError) => void {
  const toldAt = new Map<string, number>();
  return (channel, error) => {
    const now = performance.now();
    const keyId = channel.chosenKey?.id;
    const place = `${channel.id}/${keyId}`;
    if (!channel.autoBan || now - (toldAt.get(place) ?? Number.NEGATIVE_INFINITY) < onceEveryMs) return;
    if (toldAt.size >= mostTold) toldAt.clear();
    toldAt.set(place, now);
    const { kind, status, code, type, message } = error;
    const failure: ChannelFailure = { channelId: channel.id, ...(keyId && { keyId }), kind, status, code, type, message, at: Date.now() };
    redis
      .multi()
      .lpush(channelFailuresKey, JSON.stringify(failure))
      .ltrim(channelFailuresKey, 0, mostKept - 1)
      .exec()
      .catch((cause: unknown) => logger.warn({ channelId: channel.id, err: cause }, 'a failure of a channel could not be told'));
  };
}
