import KeyboardArrowDownRounded from '@mui/icons-material/KeyboardArrowDownRounded';
import KeyboardArrowRightRounded from '@mui/icons-material/KeyboardArrowRightRounded';
import IconButton from '@mui/material/IconButton';
import { type MouseEvent, memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from './column.ts';

/** Said out loud, since cards on a phone take `display: table` away, and with it what the elements mean by themselves. */
export const roles = {
  table: { role: 'table' },
  group: { role: 'rowgroup' },
  row: { role: 'row' },
  head: { role: 'columnheader' },
  cell: { role: 'cell' },
} as const;

interface TableRowProps<Row> {
  id: string;
  row: Row;
  name: string;
  columns: Column<Row>[];
  /** How many rows this one lies under. */
  depth: number;
  canOpen: boolean;
  isOpen: boolean;
  onToggle: (id: string) => void;
  /** Undefined where rows cannot be selected. */
  selected: boolean | undefined;
  onSelect: (id: string, event: unknown) => void;
  /** Whether rows of this table open at all. */
  opens: boolean;
  isMuted: boolean;
  actions: ((row: Row) => ReactNode) | undefined;
}

function Row<Data>(props: TableRowProps<Data>) {
  const { id, row, name, columns, depth, canOpen, isOpen, onToggle, selected, onSelect, opens, isMuted, actions } = props;
  const { t } = useTranslation('shared');
  return (
    <tr
      {...roles.row}
      data-row
      aria-selected={selected}
      data-muted={isMuted || undefined}
      data-expandable={canOpen || undefined}
      onClick={canOpen ? (event) => isOnRowItself(event) && onToggle(id) : undefined}
    >
      {selected !== undefined && (
        <td {...roles.cell} data-check>
          <input type="checkbox" aria-label={t('table.selectOne', { name })} checked={selected} onChange={(event) => onSelect(id, event)} />
        </td>
      )}
      {opens && (
        <td {...roles.cell} data-check style={depth > 0 ? { paddingLeft: 14 + 16 * depth } : undefined}>
          {canOpen && (
            <IconButton aria-label={t('table.detailsOf', { name })} aria-expanded={isOpen} onClick={() => onToggle(id)} sx={{ p: 0.25 }}>
              {isOpen ? <KeyboardArrowDownRounded fontSize="small" /> : <KeyboardArrowRightRounded fontSize="small" />}
            </IconButton>
          )}
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

/** A row of a table; it is drawn again only when something about it changes, so a checkbox among a hundred rows costs one. */
export const TableRow = memo(Row) as typeof Row;

const controls = 'button, a, input, select, textarea, label, [role="menu"], [role="dialog"]';

/** Whether a click meant the row: not a control in it, nothing that floats above it, and not the end of marking text. */
function isOnRowItself({ target, currentTarget }: MouseEvent): boolean {
  if (!(target instanceof Element) || !currentTarget.contains(target)) return false;
  return target.closest(controls) === null && getSelection()?.type !== 'Range';
}
