import { ErrorNotice } from './error-notice.tsx';

/** A question to the server, as RTK Query knows it. */
export interface Read {
  data?: unknown;
  error?: unknown;
  isFetching: boolean;
  refetch: () => unknown;
}

/** Those of several questions that were not answered, and have not been before. */
function unanswered(reads: Read[]): Read[] {
  return reads.filter(({ data, error }) => data === undefined && error !== undefined);
}

export function isUnread(...reads: Read[]): boolean {
  return unanswered(reads).length > 0;
}

/** Says that something a page cannot do without could not be read, and asks for all of it again; nothing where all of it came. */
export function Unread({ reads }: { reads: Read[] }) {
  const failed = unanswered(reads);
  if (failed.length === 0) return null;
  const retry = (): void => {
    for (const { refetch } of failed) refetch();
  };
  return <ErrorNotice error={failed[0]?.error} onRetry={retry} busy={failed.some(({ isFetching }) => isFetching)} />;
}
