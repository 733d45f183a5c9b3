import KeyboardArrowDownRounded from '@mui/icons-material/KeyboardArrowDownRounded';
import KeyboardArrowRightRounded from '@mui/icons-material/KeyboardArrowRightRounded';
import IconButton from '@mui/material/IconButton';
import LinearProgress from '@mui/material/LinearProgress';
import Skeleton from '@mui/material/Skeleton';
import { Fragment, type Key, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDensity } from '../preferences.ts';
import type { Column } from './column.ts';
import { ErrorNotice } from './error-notice.tsx';
import { DataTable, Hidden, Scroller, TableFrame } from './resource-table-styles.ts';
import { TableFooter } from './table-footer.tsx';
import { useVisibleColumns } from './table-view.tsx';

export interface Selection {
  ids: ReadonlySet<number>;
  onChange: (ids: Set<number>) => void;
}

interface ResourceTableProps<Row extends { id: Key }> {
  /** Under this name the choice of columns is remembered. */
  name: string;
  label: string;
  columns: Column<Row>[];
  rows: Row[] | undefined;
  total: number;
  page: number;
  onPage: (page: number) => void;
  loading: boolean;
  error?: unknown;
  onRetry: () => void;
  empty: ReactNode;
  actions?: (row: Row) => ReactNode;
  selection?: Selection;
  muted?: (row: Row) => boolean;
  detail?: (row: Row) => ReactNode;
}

/** Said out loud, since cards on a phone take `display: table` away, and with it what the elements mean by themselves. */
const roles = {
  table: { role: 'table' },
  group: { role: 'rowgroup' },
  row: { role: 'row' },
  head: { role: 'columnheader' },
  cell: { role: 'cell' },
} as const;

/** The table of every list: server paging, chosen columns, density, selection, rows that open, cards on a phone. */
export function ResourceTable<Row extends { id: Key }>(props: ResourceTableProps<Row>) {
  const { name, label, columns, rows, error, onRetry, loading, empty, actions, selection, detail } = props;
  const { t } = useTranslation('shared');
  const [density] = useDensity();
  const view = useVisibleColumns(name, columns);
  const [opened, setOpened] = useState<ReadonlySet<Key>>(new Set());
  const toggle = (id: Key): void =>
    setOpened((ids) => (ids.has(id) ? new Set([...ids].filter((other) => other !== id)) : new Set([...ids, id])));
  const width = view.columns.length + (selection ? 1 : 0) + (detail ? 1 : 0) + (actions ? 1 : 0);
  const state = stateOf(rows, error);

  return (
    <TableFrame>
      {loading && rows && (
        <LinearProgress aria-label={t('loading')} sx={{ position: 'absolute', top: 0, left: 0, right: 0, height: 2, zIndex: 4 }} />
      )}
      <Scroller tabIndex={0} role="region" aria-label={label}>
        {state === 'error' && <ErrorNotice error={error} onRetry={onRetry} />}
        {state === 'empty' && empty}
        {(state === 'rows' || state === 'waiting') && (
          <DataTable {...roles.table} data-density={density} aria-busy={loading}>
            <thead {...roles.group}>
              <tr {...roles.row}>
                {selection && (
                  <th {...roles.head} data-check>
                    <SelectAll rows={rows ?? []} selection={selection} />
                  </th>
                )}
                {detail && (
                  <th {...roles.head} data-check>
                    <Hidden>{t('table.details')}</Hidden>
                  </th>
                )}
                {view.columns.map((column) => (
                  <th key={column.id} {...roles.head} scope="col" data-align={column.align} data-sticky={column.primary || undefined}>
                    {column.header}
                  </th>
                ))}
                {actions && (
                  <th {...roles.head} data-actions>
                    <Hidden>{t('table.actions')}</Hidden>
                  </th>
                )}
              </tr>
            </thead>
            <tbody {...roles.group}>
              {state === 'waiting' && <SkeletonRows width={width} />}
              {rows?.map((row) => (
                <Fragment key={row.id}>
                  <TableRow {...props} columns={view.columns} row={row} open={opened.has(row.id)} onToggle={() => toggle(row.id)} />
                  {detail && opened.has(row.id) && (
                    <tr {...roles.row} data-detail-row>
                      <td {...roles.cell} data-detail colSpan={width}>
                        {detail(row)}
                      </td>
                    </tr>
                  )}
                </Fragment>
              ))}
            </tbody>
          </DataTable>
        )}
      </Scroller>
      {rows && props.total > 0 && <TableFooter {...props} view={view} />}
    </TableFrame>
  );
}

function stateOf(rows: unknown[] | undefined, error: unknown): 'error' | 'waiting' | 'empty' | 'rows' {
  if (error) return 'error';
  if (!rows) return 'waiting';
  return rows.length === 0 ? 'empty' : 'rows';
}

type TableRowProps<Row extends { id: Key }> = ResourceTableProps<Row> & { row: Row; open: boolean; onToggle: () => void };

function TableRow<Row extends { id: Key }>({ row, columns, actions, selection, muted, detail, open, onToggle }: TableRowProps<Row>) {
  const { t } = useTranslation('shared');
  const id = Number(row.id);
  const selected = selection?.ids.has(id);
  return (
    <tr
      {...roles.row}
      data-row
      aria-selected={selected}
      data-muted={muted?.(row) || undefined}
      data-expandable={detail ? true : undefined}
      onClick={detail && !isSelecting() ? (event) => !isControl(event.target) && !isSelecting() && onToggle() : undefined}
    >
      {selection && (
        <td {...roles.cell} data-check>
          <input
            type="checkbox"
            aria-label={t('table.select')}
            checked={selected ?? false}
            onChange={() =>
              selection.onChange(selected ? new Set([...selection.ids].filter((other) => other !== id)) : new Set([...selection.ids, id]))
            }
          />
        </td>
      )}
      {detail && (
        <td {...roles.cell} data-check>
          <IconButton aria-label={t('table.details')} aria-expanded={open} onClick={onToggle} sx={{ p: 0.25 }}>
            {open ? <KeyboardArrowDownRounded fontSize="small" /> : <KeyboardArrowRightRounded fontSize="small" />}
          </IconButton>
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.id}
          {...roles.cell}
          data-label={column.header}
          data-align={column.align}
          data-primary={column.primary || undefined}
          data-sticky={column.primary || undefined}
          data-clip={column.clip || undefined}
        >
          {column.cell(row)}
        </td>
      ))}
      {actions && (
        <td {...roles.cell} data-actions>
          {actions(row)}
        </td>
      )}
    </tr>
  );
}

/** Whether someone is marking text in the row to copy it. */
function isSelecting(): boolean {
  return getSelection()?.type === 'Range';
}

function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('button, a, input, [role="menu"], [tabindex]:not([role="region"])') !== null;
}

function SelectAll<Row extends { id: Key }>({ rows, selection }: { rows: Row[]; selection: Selection }) {
  const { t } = useTranslation('shared');
  const ids = rows.map((row) => Number(row.id));
  const chosen = ids.filter((id) => selection.ids.has(id)).length;
  return (
    <input
      type="checkbox"
      aria-label={t('table.selectAll')}
      checked={chosen > 0 && chosen === ids.length}
      ref={(box) => {
        if (box) box.indeterminate = chosen > 0 && chosen < ids.length;
      }}
      onChange={() => selection.onChange(chosen === ids.length ? new Set() : new Set(ids))}
    />
  );
}

function SkeletonRows({ width }: { width: number }) {
  return Array.from({ length: 8 }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
    <tr key={row}>
      {Array.from({ length: width }, (_, cell) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <td key={cell}>
          <Skeleton width={`${45 + ((row * 7 + cell * 13) % 45)}%`} />
        </td>
      ))}
    </tr>
  ));
}
