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

const features = tableFeatures({
  rowExpandingFeature,
  rowSelectionFeature,
  rowSortingFeature,
  expandedRowModel: createExpandedRowModel(),
  sortedRowModel: createSortedRowModel(),
});

const noRows: never[] = [];
const nothingSelected = {};

/** The rows of a table as they stand: sorted, opened, selected; and its columns. Nothing here draws. */
export function useTableModel<Row extends { id: number | string }>(props: ResourceTableProps<Row>) {
  const { name, columns, list, selection, sort, subRows, detail, actions } = props;
  const view = useVisibleColumns(name, columns);
  const isPhone = useIsPhone();
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
    getRowCanExpand: (row) => isPhone || detail !== undefined || row.subRows.length > 0,
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
  const opens = isPhone || detail !== undefined || subRows !== undefined;
  const width = view.columns.length + Number(selection !== undefined) + Number(opens) + Number(actions !== undefined);
  return { table, view, visible: view.columns, opens, width };
}

export type TableModel<Row extends { id: number | string }> = ReturnType<typeof useTableModel<Row>> & { view: TableView<Row> };
