import Box from '@mui/material/Box';
import type { ReactNode } from 'react';

/** Numbers of the account, each below its name, side by side as far as there is room. */
export function Figures({ children }: { children: ReactNode }) {
  return (
    <Box
      component="dl"
      sx={{
        display: 'flex',
        columnGap: 3,
        rowGap: 1,
        flexWrap: 'wrap',
        m: 0,
        '& dt': { fontSize: 12.5, color: 'text.secondary' },
        '& dd': { m: 0, fontSize: 18, fontVariantNumeric: 'tabular-nums' },
      }}
    >
      {children}
    </Box>
  );
}

export function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
