import { styled } from '@mui/material/styles';
import type { Column } from './column.ts';

const List = styled('dl')(({ theme }) => ({
  margin: 0,
  padding: '12px 16px',
  display: 'grid',
  gridTemplateColumns: 'max-content 1fr',
  gap: '4px 16px',
  alignItems: 'center',
  '& dt': { color: theme.vars?.palette.text.secondary },
  '& dd': { margin: 0, minWidth: 0, overflowWrap: 'anywhere' },
}));

/** What an opened row shows of the columns for which the table has no room. */
export function LeftOut<Row>({ columns, row }: { columns: Column<Row>[]; row: Row }) {
  return (
    <List>
      {columns.map((column) => (
        <div key={column.id} style={{ display: 'contents' }}>
          <dt>{column.header}</dt>
          <dd>{column.cell(row)}</dd>
        </div>
      ))}
    </List>
  );
}
