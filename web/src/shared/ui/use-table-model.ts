import {
  createExpandedRowModel,
  createSortedRowModel,
  rowExpandingFeature,
  rowSelectionFeature,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import type { CellValue } from './column.ts';
import type { ResourceTableProps } from './resource-table-props.ts';
import { type TableView, useVisibleColumns } from './table-view.tsx';
import { useIsPhone } from './use-is-phone.ts';
import type { Room } from './use-room.ts';

const features = tableFeatures({
  rowExpandingFeature,
  rowSelectionFeature,
  rowSortingFeature,
  expandedRowModel: createExpandedRowModel(),
  sortedRowModel: createSortedRowModel(),
});

const noRows: never[] = [];
const noColumns: never[] = [];
const nothingSelected = {};

/** The rows of a table as they stand: sorted, opened, selected; and its columns. Nothing here draws. */
export function useTableModel<Row extends { id: number | string }>(props: ResourceTableProps<Row>, room: Room) {
  const { name, columns, list, selection, sort, subRows, actions } = props;
  const view = useVisibleColumns(name, columns);
  const isPhone = useIsPhone();
  /** What the opened row has to tell, where nothing else shows there. */
  const isCut = room === 'narrow' && !isPhone && !props.detail && !subRows;
  const leftOut = isCut ? view.columns.filter(({ needs }) => needs === 'middle') : noColumns;
  const hasDetail = props.detail !== undefined || leftOut.length > 0;
  const [sortedHere, setSortedHere] = useState<SortingState>([]);
  const { column: sortedBy, descending = false } = sort?.by ?? {};
  const sortedThere = useMemo<SortingState>(() => (sortedBy ? [{ id: sortedBy, desc: descending }] : []), [sortedBy, descending]);
  const definitions = useMemo(
    () =>
      columns.map((column) => ({
        id: column.id,
        accessorFn: (row: Row): CellValue => column.value(row),
        enableSorting: column.sortable ?? false,
        sortFn: 'auto' as const,
      })),
    [columns],
  );
  const sorting = sort ? sortedThere : sortedHere;
  const table = useTable({
    features,
    columns: definitions,
    data: (list.rows ?? noRows) as Row[],
    getRowId: (row) => String(row.id),
    ...(subRows ? { getSubRows: (row: Row) => subRows(row) } : {}),
    getRowCanExpand: (row) => isPhone || hasDetail || row.subRows.length > 0,
    // A refresh leaves open what is open.
    autoResetExpanded: false,
    enableSubRowSelection: false,
    enableMultiSort: false,
    manualSorting: sort !== undefined,
    state: { rowSelection: selection?.ids ?? nothingSelected, sorting },
    ...(selection ? { onRowSelectionChange: selection.change } : {}),
    onSortingChange: (update) => {
      const [next] = typeof update === 'function' ? update(sorting) : update;
      if (sort) sort.onChange(next && { column: next.id, descending: next.desc });
      else setSortedHere(next ? [next] : []);
    },
  });
  const opens = isPhone || hasDetail || subRows !== undefined;
  const width = view.columns.length + Number(selection !== undefined) + Number(opens) + Number(actions !== undefined);
  return { table, view, visible: view.columns, leftOut, opens, width };
}

export type TableModel<Row extends { id: number | string }> = ReturnType<typeof useTableModel<Row>> & { view: TableView<Row> };
