import { useTestChannelMutation } from './api.ts';

/** The test of one channel, and whether it goes on; everyone who shows the channel knows of the same one. */
export function useChannelTest(id: number) {
  const [run, { isLoading }] = useTestChannelMutation({ fixedCacheKey: `test-${id}` });
  return [(model = '') => run({ id, model }), isLoading] as const;
}
