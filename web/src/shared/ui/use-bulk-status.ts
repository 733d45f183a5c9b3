import type { Undoable } from '../call.ts';
import { messageOf } from './error-notice.tsx';
import { toast } from './toasts.ts';
import type { Bulk, BulkRows } from './use-bulk.ts';
import { useUndo } from './use-undo.ts';

interface Switching<Filter> {
  bulk: Bulk<Filter>;
  patch: (change: BulkRows<Filter> & { set: { status: 1 | 2 } }) => Promise<{ data?: Undoable<{ changed: number }>; error?: unknown }>;
  /** What is said of so many rows. */
  said: (status: 1 | 2, count: number) => string;
}

/** Switches many rows on (1) or off (2) by one call, tells how many changed, and takes it back. */
export function useBulkStatus<Filter>({ bulk, patch, said }: Switching<Filter>): (status: 1 | 2) => Promise<void> {
  const undo = useUndo();
  return async (status) => {
    const { data, error } = await patch({ ...bulk.rows, set: { status } });
    if (!data) return toast('error', messageOf(error));
    toast('success', said(status, data.data?.changed ?? 0), undo(data));
    bulk.clear();
  };
}
