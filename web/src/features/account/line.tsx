import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

/** A name and what stands for it, with what can be done about it. */
export function Line({ label, value, action }: { label: ReactNode; value?: ReactNode; action?: ReactNode }) {
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap', minHeight: 36 }}>
      <Box sx={{ flex: '1 1 120px', minWidth: 0 }}>
        <Typography variant="body2" component="div" sx={{ overflowWrap: 'anywhere' }}>
          {label}
        </Typography>
        {value !== undefined && (
          <Typography variant="body2" color="textSecondary" component="div" sx={{ overflowWrap: 'anywhere' }}>
            {value}
          </Typography>
        )}
      </Box>
      {action && <Box sx={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'flex-end', ml: 'auto' }}>{action}</Box>}
    </Box>
  );
}
