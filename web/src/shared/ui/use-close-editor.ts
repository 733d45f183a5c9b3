import { useCallback } from 'react';
import { useLocation, useNavigate } from 'react-router';

/** Leaves an editor for the page below. The editor's step in the history becomes the page's, so that Back does not open it again. */
export function useCloseEditor(page: string): () => void {
  const navigate = useNavigate();
  const { search } = useLocation();
  return useCallback(() => void navigate(page + search, { replace: true }), [navigate, page, search]);
}
