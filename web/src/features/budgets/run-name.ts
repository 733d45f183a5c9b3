import type { RunView } from '@tollgate/contracts/api/run';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

/** What a run is called: by its callers, or by its token, whose unknown runs share it. */
export function useRunName(): (run: Pick<RunView, 'run_id' | 'token_name'>) => string {
  const { t } = useTranslation('budgets');
  return useCallback(({ run_id: id, token_name: token }) => (id === '' ? t('runs.shared', { token }) : id), [t]);
}
