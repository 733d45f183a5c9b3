import { api } from '../../shared/api.ts';
import { type ApiCall, call, calls } from '../../shared/call.ts';

/** Which tasks are meant. */
export interface TaskScope {
  /** As an administrator, who sees all rows; others see their own. */
  everybody: boolean;
  /** The provider's. */
  id: string;
  status: string;
  channel: number;
  /** Unix seconds; 0 is open. */
  start: number;
  end: number;
}
export type TasksQuery = TaskScope & { p: number; page_size: number };

/** The browser keeps the answer and asks whether it still holds: most of the times it does, and nothing is sent. */
const revalidated = { cache: 'no-cache' } as const;

function drawingsIn({ id, start, end, ...scope }: TaskScope) {
  return { ...bothHave(scope), ...(id && { mj_id: id }), ...between(start * 1000, end * 1000) };
}

function musicIn({ id, start, end, ...scope }: TaskScope) {
  return { ...bothHave(scope), ...(id && { task_id: id }), ...between(start, end) };
}

function bothHave({ everybody, status, channel }: Pick<TaskScope, 'everybody' | 'status' | 'channel'>) {
  return { ...(status && { status }), ...(everybody && channel > 0 && { channel_id: channel }) };
}

function between(start: number, end: number) {
  return { ...(start > 0 && { start_timestamp: start }), ...(end > 0 && { end_timestamp: end }) };
}

/** Has the server write all of them as a file. */
export function wholeDrawings(scope: TaskScope, format: 'csv' | 'json'): ApiCall {
  return call(scope.everybody ? 'GET /api/mj/export' : 'GET /api/mj/self/export', { query: { ...drawingsIn(scope), format } });
}

export function wholeMusic(scope: TaskScope, format: 'csv' | 'json'): ApiCall {
  return call(scope.everybody ? 'GET /api/task/export' : 'GET /api/task/self/export', { query: { ...musicIn(scope), format } });
}

export const { useListDrawingsQuery, useListMusicQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    listDrawings: build.query({
      ...calls(({ p, page_size, ...scope }: TasksQuery) => {
        const query = { p, page_size, ...drawingsIn(scope) };
        return { ...call(scope.everybody ? 'GET /api/mj' : 'GET /api/mj/self', { query }), ...revalidated };
      }),
    }),
    listMusic: build.query({
      ...calls(({ p, page_size, ...scope }: TasksQuery) => {
        const query = { p, page_size, ...musicIn(scope) };
        return { ...call(scope.everybody ? 'GET /api/task' : 'GET /api/task/self', { query }), ...revalidated };
      }),
    }),
  }),
});
