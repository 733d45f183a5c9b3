import { tokenStatus } from '@tollgate/contracts/constants';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { api } from './api.ts';
import { call, calls } from './call.ts';
import { toast } from './ui/toasts.ts';

/** So many of one's tokens are looked at. */
const looked = 100;
const pauseMs = 1500;

export const { useListFirstTokensQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    listFirstTokens: build.query({
      ...calls(() => call('GET /api/token', { query: { p: 1, page_size: looked } })),
      providesTags: ['Token'],
    }),
  }),
});

/**
 * One's first enabled tokens, undefined until they are known, and the question for them. Who has none is told so and led to the
 * tokens, where one is made.
 */
export function useEnabledTokens() {
  const { t } = useTranslation('shared');
  const navigate = useNavigate();
  const read = useListFirstTokensQuery(undefined, { refetchOnMountOrArgChange: true });
  const tokens = read.data?.items.filter(({ status }) => status === tokenStatus.enabled);
  const hasNone = tokens?.length === 0;
  useEffect(() => {
    if (!hasNone) return;
    toast('error', t('noEnabledToken'));
    const timer = setTimeout(() => void navigate('/token'), pauseMs);
    return () => clearTimeout(timer);
  }, [hasNone, navigate, t]);
  return { tokens, read };
}
