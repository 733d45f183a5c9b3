const hourMs = 3_600_000;
export const volumeModels = Array.from(
  { length: 40 },
  (_, index) => `${['gpt', 'claude', 'gemini', 'deepseek'][index % 4]}-model-${index}`,
);
/** So often there is a call of the rare model and of the rare group. */
const rareEvery = 500_000;

/** How large a site is. Half of the users have a token, and only they call. */
export interface Volume {
  logs: number;
  users: number;
  channels: number;
  tokens: number;
}

/** Random numbers that are the same in each run. */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type VolumeLog = ReturnType<typeof logRow>;

/**
 * Log `index` of a month that ends at `untilMs`. Few users make most calls, root the most of all (2 of 100); each has three models, and a model of his comes from
 * one of a handful of channels.
 */
export function logRow(index: number, { logs, channels, tokens }: Volume, { untilMs, random }: { untilMs: number; random: () => number }) {
  const userId = 1 + Math.floor(tokens * random() ** 3);
  const own = Math.floor(3 * random() ** 2);
  const usual = volumeModels[Math.floor(40 * ((userId * 0.618 + own * 0.37) % 1) ** 2)] as string;
  const model = index % rareEvery === 77 ? 'rare-model' : usual;
  const channelId = 1 + ((userId * 7 + own * 131) % channels);
  const promptTokens = 100 + Math.floor(4000 * random());
  const completionTokens = 50 + Math.floor(1000 * random());
  const isTopUp = index % 5000 === 4;
  const at = new Date(untilMs - 30 * 24 * hourMs + Math.floor((index / logs) * 30 * 24 * hourMs));
  const group = index % rareEvery === 99 ? 'rare' : (['default', 'vip'][+(userId % 7 === 0)] as string);
  const row = {
    _id: `volume-${String(index).padStart(9, '0')}-0123456789`,
    at,
    userId,
    username: nameOf(userId),
    type: isTopUp ? 1 : 2,
    group,
    quota: promptTokens * 2,
  };
  if (isTopUp)
    return { ...row, group: '', model: '', tokenId: 0, channelId: 0, promptTokens: 0, completionTokens: 0, content: 'Topped up' };
  return {
    ...row,
    tokenId: userId,
    tokenName: `token-${userId}`,
    model,
    upstreamModel: model,
    mode: 'chat',
    channelId,
    channelName: `channel ${channelId}`,
    isStream: index % 2 === 0,
    durationMs: Math.floor(20_000 * random()),
    firstTokenMs: 200,
    promptTokens,
    completionTokens,
    usage: { textInput: promptTokens, textOutput: completionTokens },
    usageSource: 'upstream',
    endReason: 'complete',
    price: { kind: 'ratio', modelRatio: 1.25, completionRatio: 4, groupRatio: 1, quotaPerUnit: 500_000 },
    uncollected: 0,
    content: '',
    epoch: 'redis:usage.recorded:abc',
    partition: userId % 8,
    offset: String(index).padStart(20, '0'),
  };
}

export function nameOf(userId: number): string {
  return userId === 1 ? 'root' : `user-${userId}`;
}
