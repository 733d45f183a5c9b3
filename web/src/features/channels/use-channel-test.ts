import { useMemo } from 'react';
import { useSelector } from 'react-redux';
import { selectTest, useTestChannelMutation } from './api.ts';

const keyOf = (id: number): string => `test-${id}`;

/** The test of one channel, and whether it goes on; everyone who shows the channel knows of the same one. */
export function useChannelTest(id: number) {
  const [run, { isLoading }] = useTestChannelMutation({ fixedCacheKey: keyOf(id) });
  return [(model = '') => run({ id, model }), isLoading] as const;
}

/** Whether a test of the channel goes on; for rows, of which there are many, and which start none. */
export function useIsTested(id: number): boolean {
  const select = useMemo(() => selectTest(keyOf(id)), [id]);
  return useSelector((state: Parameters<typeof select>[0]) => select(state).isLoading);
}
