import i18next from 'i18next';
import { type MouseEvent, memo, type ReactNode } from 'react';
import type { Column } from './column.ts';
import { icons } from './icons.tsx';

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
  return (
    <tr
      {...roles.row}
      data-row
      aria-selected={selected}
      data-muted={isMuted || undefined}
      data-expandable={canOpen || undefined}
      data-open={isOpen || undefined}
      onClick={canOpen ? (event) => isOnRowItself(event) && onToggle(id) : undefined}
    >
      {selected !== undefined && (
        <td {...roles.cell} data-check>
          <input
            type="checkbox"
            aria-label={i18next.t('shared:table.selectOne', { name })}
            checked={selected}
            onChange={(event) => onSelect(id, event)}
          />
        </td>
      )}
      {opens && (
        <td {...roles.cell} data-check data-opener style={depth > 0 ? { paddingLeft: 14 + 16 * depth } : undefined}>
          {canOpen && (
            <button
              type="button"
              className="icon-button"
              data-small
              aria-label={i18next.t('shared:table.detailsOf', { name })}
              aria-expanded={isOpen}
              onClick={() => onToggle(id)}
            >
              {isOpen ? icons.opened : icons.closed}
            </button>
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
          data-phone={column.phone}
          data-needs={column.needs}
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
