import { bucketOf, type ChannelMinute, completionTokensOf, type Usage } from '@tollgate/contracts';

/** More rows within one flush, which only a long outage of the bus makes, are counted by channel alone. */
const mostPairs = 5_000;

/** One attempt that ended well. */
export interface Answered {
  channelId: number;
  model: string;
  durationMs: number;
  /** undefined: not streamed, or without content. */
  firstTokenMs: number | undefined;
  usage: Usage | undefined;
}

/** Counts attempts by minute, channel and model until they are taken. */
export class ChannelMinutes {
  #counts = new Map<string, ChannelMinute>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  answered(minute: number, { channelId, model, durationMs, firstTokenMs, usage }: Answered): void {
    const counts = this.#at(minute, channelId, model);
    counts.attempts += 1;
    increment(counts.durations, bucketOf(durationMs));
    if (firstTokenMs === undefined) return;
    increment(counts.firstTokens, bucketOf(firstTokenMs));
    if (usage === undefined) return;
    counts.outputTokens += completionTokensOf(usage);
    counts.generationMs += Math.max(0, Math.round(durationMs - firstTokenMs));
  }

  failed(minute: number, { channelId, model, kind }: { channelId: number; model: string; kind: string }): void {
    const counts = this.#at(minute, channelId, model);
    counts.attempts += 1;
    counts.failures[kind] = (counts.failures[kind] ?? 0) + 1;
  }

  failedOver(minute: number, { channelId, model }: { channelId: number; model: string }): void {
    this.#at(minute, channelId, model).failovers += 1;
  }

  take(): ChannelMinute[] {
    const taken = [...this.#counts.values()];
    this.#counts = new Map();
    return taken;
  }

  #at(minute: number, channelId: number, model: string): ChannelMinute {
    const key = `${channelId} ${minute} ${model}`;
    const found = this.#counts.get(key);
    if (found !== undefined) return found;
    if (this.#counts.size < mostPairs) return this.#open(key, { minute, channelId, model });
    return this.#counts.get(String(channelId)) ?? this.#open(String(channelId), { minute, channelId, model: '' });
  }

  #open(key: string, of: Pick<ChannelMinute, 'minute' | 'channelId' | 'model'>): ChannelMinute {
    const none = { attempts: 0, failures: {}, failovers: 0, durations: {}, firstTokens: {}, outputTokens: 0, generationMs: 0 };
    const counts: ChannelMinute = { ...of, ...none };
    this.#counts.set(key, counts);
    return counts;
  }
}

function increment(histogram: Record<string, number>, bucket: number): void {
  histogram[bucket] = (histogram[bucket] ?? 0) + 1;
}
