import LinearProgress from '@mui/material/LinearProgress';
import Skeleton from '@mui/material/Skeleton';
import type { RowSelectionState } from '@tanstack/react-table';
import { Fragment, useCallback, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { List } from '../list.ts';
import { useDensity } from '../preferences.ts';
import { rowName } from './column.ts';
import { ErrorNotice, RefreshFailed } from './error-notice.tsx';
import { LeftOut } from './left-out.tsx';
import type { ResourceTableProps } from './resource-table-props.ts';
import { DataTable, Scroller, TableFrame } from './resource-table-styles.ts';
import { TableFooter } from './table-footer.tsx';
import { TableHead } from './table-head.tsx';
import { roles, TableRow } from './table-row.tsx';
import { useRoom } from './use-room.ts';
import { type TableModel, useTableModel } from './use-table-model.ts';

/** The table of every list: server paging, chosen columns, density, selection, rows that open, cards on a phone. */
export function ResourceTable<Row extends { id: number | string }>(props: ResourceTableProps<Row>) {
  const { label, list, page, onPage, empty } = props;
  const { rows, total, isMore, loading, error, refresh } = list;
  const { t } = useTranslation('shared');
  const [density] = useDensity();
  const frame = useRef<HTMLDivElement>(null);
  const room = useRoom(frame);
  const model = useTableModel(props, room);
  const scroller = useRef<HTMLDivElement>(null);
  useExistingPage(list, page, onPage);
  const turn = (next: number): void => {
    scroller.current?.scrollTo({ top: 0 });
    onPage(next);
  };
  const state = stateOf(rows, total, error);

  return (
    <TableFrame ref={frame}>
      {loading && rows && (
        <LinearProgress aria-label={t('loading')} sx={{ position: 'absolute', top: 0, left: 0, right: 0, height: 2, zIndex: 4 }} />
      )}
      {error !== undefined && rows && <RefreshFailed error={error} onRetry={refresh} />}
      <Scroller ref={scroller} tabIndex={0} role="region" aria-label={label}>
        {state === 'error' && <ErrorNotice error={error} onRetry={refresh} busy={loading} />}
        {state === 'empty' && empty}
        {(state === 'rows' || state === 'waiting') && (
          <DataTable {...roles.table} data-density={density} data-room={room} aria-busy={loading}>
            <TableHead {...props} model={model} />
            <tbody {...roles.group}>{state === 'waiting' ? <SkeletonRows width={model.width} /> : <Rows {...props} model={model} />}</tbody>
          </DataTable>
        )}
      </Scroller>
      {rows && total > 0 && (
        <TableFooter
          rows={rows}
          name={props.name}
          total={total}
          isMore={isMore}
          page={page}
          onPage={turn}
          view={model.view}
          {...(props.whole && { whole: props.whole })}
        />
      )}
    </TableFrame>
  );
}

function stateOf(rows: unknown[] | undefined, total: number, error: unknown): 'error' | 'waiting' | 'empty' | 'rows' {
  if (!rows) return error === undefined ? 'waiting' : 'error';
  if (rows.length > 0) return 'rows';
  // The page lies beyond the end; the last one is on its way.
  return total > 0 ? 'waiting' : 'empty';
}

/** A page beyond the end, after rows were deleted or from an old link, gives way to the last one. */
function useExistingPage(list: List<unknown>, page: number, onPage: (page: number, quietly?: boolean) => void): void {
  const { rows, total, question, loading } = list;
  const size = pageSizeIn(question);
  const isBeyond = question !== undefined && !loading && rows?.length === 0 && page > 1;
  useEffect(() => {
    if (isBeyond) onPage(Math.max(1, Math.min(page - 1, Math.ceil(total / size))), true);
  }, [isBeyond, onPage, page, total, size]);
}

function pageSizeIn(question: string | undefined): number {
  return (JSON.parse(question ?? '{}') as { page_size?: number }).page_size ?? 1;
}

function Rows<Row extends { id: number | string }>({
  columns,
  actions,
  muted,
  detail,
  selection,
  model,
}: ResourceTableProps<Row> & { model: TableModel<Row> }) {
  const { table, visible } = model;
  const latest = useRef(table);
  latest.current = table;
  const toggleOpen = useCallback((id: string) => latest.current.getRow(id).toggleExpanded(), []);
  const select = useCallback((id: string, event: unknown) => latest.current.getRow(id).getToggleSelectedHandler()(event), []);
  const rows = table.getRowModel().rows;
  const { leftOut } = model;
  const opened = detail ?? (leftOut.length > 0 ? (row: Row) => <LeftOut columns={leftOut} row={row} /> : undefined);
  return rows.map((row) => {
    const isOpen = row.getIsExpanded();
    return (
      <Fragment key={row.id}>
        <TableRow
          id={row.id}
          row={row.original}
          name={rowName(columns, row.original)}
          columns={visible}
          depth={row.depth}
          canOpen={row.getCanExpand()}
          isOpen={isOpen}
          onToggle={toggleOpen}
          selected={selection ? (selection.ids as RowSelectionState)[row.id] === true : undefined}
          onSelect={select}
          opens={model.opens}
          isMuted={muted?.(row.original) ?? false}
          actions={actions}
        />
        {opened && isOpen && (
          <tr {...roles.row} data-detail-row>
            <td {...roles.cell} data-detail colSpan={model.width}>
              {opened(row.original)}
            </td>
          </tr>
        )}
      </Fragment>
    );
  });
}

function SkeletonRows({ width }: { width: number }) {
  return Array.from({ length: 8 }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
    <tr key={row} data-waiting>
      {Array.from({ length: width }, (_, cell) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <td key={cell}>
          <Skeleton width={`${45 + ((row * 7 + cell * 13) % 45)}%`} />
        </td>
      ))}
    </tr>
  ));
}
