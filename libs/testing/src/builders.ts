import { noUsage, type UsageRecorded } from '@tollgate/contracts';

let lastNumber = Math.floor(Math.random() * 1e9) * 1_000;

/** A number that no other test of this run uses: a user, a token, a channel. */
export function freshId(): number {
  return ++lastNumber;
}

/** A usage event as the relay makes it; name what the test is about. With a `quota` alone the price is that much a call. */
export function usageEvent(given: Partial<UsageRecorded> = {}): UsageRecorded {
  return {
    version: 1,
    id: `call-${freshId()}`,
    at: Date.now(),
    userId: 1,
    username: 'ann',
    tokenId: 0,
    tokenName: '',
    group: 'default',
    mode: 'chat',
    model: 'gpt-4o-mini',
    upstreamModel: 'gpt-4o-mini',
    channelId: 1,
    channelName: 'first',
    triedChannels: [1],
    isStream: false,
    durationMs: 120,
    firstTokenMs: -1,
    usage: { ...noUsage, textInput: 10, textOutput: 5 },
    usageSource: 'upstream',
    endReason: 'complete',
    price: {
      kind: given.quota === undefined ? 'ratio' : 'fixed',
      modelRatio: given.quota === undefined ? 1 : 0,
      completionRatio: 1,
      cacheRatio: 1,
      cacheWrite5mRatio: 1.25,
      cacheWrite1hRatio: 2,
      audioRatio: 1,
      audioCompletionRatio: 1,
      modelPrice: (given.quota ?? 0) / 500_000,
      groupRatio: 1,
      quotaPerUnit: 500_000,
    },
    quota: 15,
    uncollected: 0,
    ...given,
  };
}
