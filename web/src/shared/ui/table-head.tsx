import ArrowDownwardRounded from '@mui/icons-material/ArrowDownwardRounded';
import ArrowUpwardRounded from '@mui/icons-material/ArrowUpwardRounded';
import ButtonBase from '@mui/material/ButtonBase';
import { useTranslation } from 'react-i18next';
import type { Column } from './column.ts';
import type { ResourceTableProps } from './resource-table-props.ts';
import { Hidden } from './resource-table-styles.ts';
import { roles } from './table-row.tsx';
import type { TableModel } from './use-table-model.ts';

type Props<Row extends { id: number | string }> = ResourceTableProps<Row> & { model: TableModel<Row> };

/** The head of a table: selects all rows of the page, names the columns, sorts by those that can be. */
export function TableHead<Row extends { id: number | string }>({ selection, actions, model }: Props<Row>) {
  const { t } = useTranslation('shared');
  return (
    <thead {...roles.group}>
      <tr {...roles.row}>
        {selection && (
          <th {...roles.head} data-check>
            <SelectAll model={model} ids={selection.ids} />
          </th>
        )}
        {model.opens && (
          <th {...roles.head} data-check>
            <Hidden>{t('table.details')}</Hidden>
          </th>
        )}
        {model.visible.map((column) => (
          <HeadCell key={column.id} column={column} model={model} />
        ))}
        {actions && (
          <th {...roles.head} data-actions>
            <Hidden>{t('table.actions')}</Hidden>
          </th>
        )}
      </tr>
    </thead>
  );
}

function HeadCell<Row extends { id: number | string }>({ column, model }: { column: Column<Row>; model: TableModel<Row> }) {
  const sorter = column.sortable ? model.table.getColumn(column.id) : undefined;
  const direction = sorter?.getIsSorted();
  const Arrow = direction === 'asc' ? ArrowUpwardRounded : ArrowDownwardRounded;
  return (
    <th
      {...roles.head}
      scope="col"
      data-align={column.align}
      data-sticky={column.primary || undefined}
      data-needs={column.needs}
      aria-sort={direction ? (`${direction}ending` as const) : undefined}
    >
      {sorter ? (
        <ButtonBase
          onClick={sorter.getToggleSortingHandler()}
          sx={{ font: 'inherit', gap: 0.5, borderRadius: 1, minHeight: 24, minWidth: 24 }}
        >
          {column.header}
          {direction && <Arrow aria-hidden sx={{ fontSize: 14 }} />}
        </ButtonBase>
      ) : (
        column.header
      )}
    </th>
  );
}

function SelectAll<Row extends { id: number | string }>({ model, ids }: { model: TableModel<Row>; ids: Record<string, boolean> }) {
  const { t } = useTranslation('shared');
  const rows = model.table.getRowModel().rows;
  const chosen = rows.filter((row) => ids[row.id]).length;
  const isAll = chosen > 0 && chosen === rows.length;
  return (
    <input
      type="checkbox"
      aria-label={t('table.selectAll')}
      checked={isAll}
      ref={(box) => {
        if (box) box.indeterminate = chosen > 0 && !isAll;
      }}
      onChange={() => model.table.toggleAllRowsSelected(!isAll)}
    />
  );
}
