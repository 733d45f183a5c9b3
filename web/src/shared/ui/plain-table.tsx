import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import type { ReactNode } from 'react';

/** A few rows that need no paging, with what each row is first. */
export function PlainTable({ label, heads, rows }: { label: string; heads: string[]; rows: { key: string; cells: ReactNode[] }[] }) {
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
            {heads.map((head) => (
              <TableCell key={head}>{head}</TableCell>
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
                <TableCell key={heads[place + 1]}>{cell}</TableCell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
}
