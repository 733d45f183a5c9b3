import {
  type DrawingView,
  type ListDrawingsQuery,
  type ListTasksQuery,
  type Page,
  type TaskKind,
  type TaskView,
  totalCap,
} from '@tollgate/contracts';
import { Task } from '@tollgate/db';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { listTimeoutMs, pageOf, sliceOf } from '../../http/page.ts';
import { drawingView, musicView, type TaskRow } from './views.ts';

interface Asked {
  query: ListDrawingsQuery | ListTasksQuery;
  upstreamId: string;
  fromMs: number;
  toMs: number;
  /** Whose rows; undefined: everybody's. */
  owner: Caller | undefined;
}

/** One page of drawings; of everybody's, unless there is an owner, who is not shown where they were sent. */
export function listDrawings(
  { options, images, wallet }: Pick<Context, 'options' | 'images' | 'wallet'>,
  query: ListDrawingsQuery,
  owner?: Caller,
): Promise<Page<DrawingView>> {
  const { MjForwardUrlEnabled, ServerAddress } = options.values;
  const imageOf = ({ _id, imageUrl }: TaskRow): string => {
    if (imageUrl === '' || !MjForwardUrlEnabled) return imageUrl;
    return `${ServerAddress}${images.link(_id, { url: imageUrl, nowMs: wallet.time() })}`;
  };
  const { mj_id: upstreamId, start_timestamp: fromMs, end_timestamp: toMs } = query;
  const asked = { query, upstreamId, fromMs, toMs, owner };
  return listOf('drawing', asked, (row) => drawingView(row, { image: imageOf(row), isOwn: owner !== undefined }));
}

/** The same of music. */
export async function listMusic(query: ListTasksQuery, owner?: Caller): Promise<Page<TaskView>> {
  if (query.platform !== '' && query.platform !== 'suno') return pageOf(sliceOf(query), [], 0);
  const { task_id: upstreamId, start_timestamp: from, end_timestamp: to } = query;
  const asked = { query, upstreamId, fromMs: from * 1000, toMs: to > 0 ? to * 1000 + 999 : 0, owner };
  return listOf('music', asked, (row) => musicView(row, { isOwn: owner !== undefined }));
}

async function listOf<View>(kind: TaskKind, asked: Asked, viewOf: (row: TaskRow) => View): Promise<Page<View>> {
  const filter = filterOf(kind, asked);
  const slice = sliceOf(asked.query);
  const [rows, total] = await Promise.all([
    Task.find(filter).sort({ at: -1 }).skip(slice.skip).limit(slice.size).maxTimeMS(listTimeoutMs).lean(),
    Task.countDocuments(filter, { limit: totalCap, maxTimeMS: listTimeoutMs }),
  ]);
  return pageOf(slice, rows.map(viewOf), total);
}

function filterOf(kind: TaskKind, { query, upstreamId, fromMs, toMs, owner }: Asked): Record<string, unknown> {
  const { channel_id: channelId, action, status } = query;
  const at = { ...(fromMs > 0 && { $gte: new Date(fromMs) }), ...(toMs > 0 && { $lte: new Date(toMs) }) };
  return {
    kind,
    ...(owner ? { userId: owner.id } : channelId > 0 && { channelId }),
    ...(upstreamId !== '' && { upstreamId }),
    ...(action !== '' && { action }),
    ...(status !== '' && { status: status === 'NOT_START' ? { $in: ['', status] } : status }),
    ...(Object.keys(at).length > 0 && { at }),
  };
}
