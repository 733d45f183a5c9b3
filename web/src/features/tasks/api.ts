import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

export interface TasksQuery {
  p: number;
  page_size: number;
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

/** The browser keeps the answer and asks whether it still holds: most of the times it does, and nothing is sent. */
const revalidated = { cache: 'no-cache' } as const;

function queryOf({ p, page_size, everybody, status, channel }: TasksQuery) {
  return { p, page_size, ...(status && { status }), ...(everybody && channel > 0 && { channel_id: channel }) };
}

function between(start: number, end: number) {
  return { ...(start > 0 && { start_timestamp: start }), ...(end > 0 && { end_timestamp: end }) };
}

export const { useListDrawingsQuery, useListMusicQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    listDrawings: build.query({
      ...calls((asked: TasksQuery) => {
        const query = { ...queryOf(asked), ...(asked.id && { mj_id: asked.id }), ...between(asked.start * 1000, asked.end * 1000) };
        return { ...call(asked.everybody ? 'GET /api/mj' : 'GET /api/mj/self', { query }), ...revalidated };
      }),
    }),
    listMusic: build.query({
      ...calls((asked: TasksQuery) => {
        const query = { ...queryOf(asked), ...(asked.id && { task_id: asked.id }), ...between(asked.start, asked.end) };
        return { ...call(asked.everybody ? 'GET /api/task' : 'GET /api/task/self', { query }), ...revalidated };
      }),
    }),
  }),
});
