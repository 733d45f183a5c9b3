import type { DrawingView, ListDrawingsQuery, ListTasksQuery, Page, TaskKind, TaskView } from '@tollgate/contracts';
import { Task } from '@tollgate/db';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { viewsOf } from '../../http/export.ts';
import { exactly, listTimeoutMs, pageOf, rowsAndTotal, shortCountMs, sliceOf } from '../../http/page.ts';
import { drawingView, musicView, type TaskRow } from './views.ts';

type Paging = 'p' | 'page_size' | 'size';
type DrawingFilters = Omit<ListDrawingsQuery, Paging>;
type MusicFilters = Omit<ListTasksQuery, Paging>;

interface Asked {
  filters: Pick<DrawingFilters, 'channel_id' | 'action' | 'status'>;
  upstreamId: string;
  fromMs: number;
  toMs: number;
  /** Whose rows; undefined: everybody's. */
  owner: Caller | undefined;
}

type DrawingContext = Pick<Context, 'options' | 'images' | 'wallet'>;

/** One page of drawings; of everybody's, unless there is an owner, who is not shown where they were sent. */
export function listDrawings(context: DrawingContext, query: ListDrawingsQuery, owner?: Caller): Promise<Page<DrawingView>> {
  return listOf(query, filterOf('drawing', askedOfDrawings(query, owner)), drawingViews(context, owner));
}

/** All of them, for an export. */
export function drawingRows(context: DrawingContext, filters: DrawingFilters, owner?: Caller): AsyncGenerator<DrawingView> {
  return all(filterOf('drawing', askedOfDrawings(filters, owner)), drawingViews(context, owner));
}

/** One page of music, as of drawings. */
export async function listMusic(query: ListTasksQuery, owner?: Caller): Promise<Page<TaskView>> {
  if (isForeign(query)) return pageOf(sliceOf(query), [], exactly(0));
  return listOf(query, filterOf('music', askedOfMusic(query, owner)), musicViews(owner));
}

/** All of it, for an export. */
export function musicRows(filters: MusicFilters, owner?: Caller): AsyncGenerator<TaskView> {
  const none = isForeign(filters) && { id: -1 };
  return all({ ...filterOf('music', askedOfMusic(filters, owner)), ...none }, musicViews(owner));
}

function askedOfDrawings(filters: DrawingFilters, owner: Caller | undefined): Asked {
  const { mj_id: upstreamId, start_timestamp: fromMs, end_timestamp: toMs } = filters;
  return { filters, upstreamId, fromMs, toMs, owner };
}

function askedOfMusic(filters: MusicFilters, owner: Caller | undefined): Asked {
  const { task_id: upstreamId, start_timestamp: from, end_timestamp: to } = filters;
  return { filters, upstreamId, fromMs: from * 1000, toMs: to > 0 ? to * 1000 + 999 : 0, owner };
}

/** No other platform makes music here. */
function isForeign({ platform }: Pick<ListTasksQuery, 'platform'>): boolean {
  return platform !== '' && platform !== 'suno';
}

function drawingViews({ options, images, wallet }: DrawingContext, owner: Caller | undefined): (row: TaskRow) => DrawingView {
  const { MjForwardUrlEnabled, ServerAddress } = options.values;
  const imageOf = ({ _id, imageUrl }: TaskRow): string => {
    if (imageUrl === '' || !MjForwardUrlEnabled) return imageUrl;
    return `${ServerAddress}${images.link(_id, { url: imageUrl, nowMs: wallet.time() })}`;
  };
  return (row) => drawingView(row, { image: imageOf(row), isOwn: owner !== undefined });
}

function musicViews(owner: Caller | undefined): (row: TaskRow) => TaskView {
  return (row) => musicView(row, { isOwn: owner !== undefined });
}

type Filter = Record<string, unknown>;

async function listOf<View>(query: Parameters<typeof sliceOf>[0], filter: Filter, viewOf: (row: TaskRow) => View): Promise<Page<View>> {
  const slice = sliceOf(query);
  const { rows, total } = await rowsAndTotal<TaskRow>(
    slice,
    (limit) => Task.find(filter).sort({ at: -1 }).skip(slice.skip).limit(limit).maxTimeMS(listTimeoutMs).lean(),
    (limits) => Task.countDocuments(filter, limits),
    shortCountMs,
  );
  return pageOf(slice, rows.map(viewOf), total);
}

function all<View>(filter: Filter, viewOf: (row: TaskRow) => View): AsyncGenerator<View> {
  return viewsOf(Task.find(filter).sort({ at: -1 }).lean().cursor({ batchSize: 100 }), (rows) => rows.map(viewOf));
}

function filterOf(kind: TaskKind, { filters, upstreamId, fromMs, toMs, owner }: Asked): Filter {
  const { channel_id: channelId, action, status } = filters;
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
