import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import type { ReactNode } from 'react';

interface PlainTableProps {
  label: string;
  heads: string[];
  rows: { key: string; cells: ReactNode[] }[];
  /** How the columns after the first are aligned. */
  align?: 'left' | 'right';
}

/** A few rows that need no paging; the first cell names the row. */
export function PlainTable({ label, heads, rows, align = 'left' }: PlainTableProps) {
  return (
    <TableContainer tabIndex={0}>
      <Table
        size="small"
        aria-label={label}
        sx={{
          fontVariantNumeric: 'tabular-nums',
          '& td, & th': { px: 0.75 },
          // On a phone a long host's name gives way, and no heading.
          '& th': { overflowWrap: 'break-word' },
          '& td': { overflowWrap: 'anywhere' },
        }}
      >
        <TableHead>
          <TableRow>
            {heads.map((head, place) => (
              <TableCell key={head} align={place === 0 ? 'left' : align}>
                {head}
              </TableCell>
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map(({ key, cells: [first, ...others] }) => (
            <TableRow key={key}>
              <TableCell component="th" scope="row" sx={{ fontWeight: 400 }}>
                {first}
              </TableCell>
              {others.map((cell, place) => (
                <TableCell key={heads[place + 1]} align={align}>
                  {cell}
                </TableCell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
}
