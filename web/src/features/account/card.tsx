import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId } from 'react';

/** One subject of the page: its heading, what it is about, and what can be done. */
export function Card({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <Box
      component="section"
      aria-labelledby={id}
      sx={{
        border: 1,
        borderColor: 'divider',
        borderRadius: 2,
        bgcolor: 'background.paper',
        p: 2,
        minWidth: 0,
        display: 'flex',
        flexDirection: 'column',
        gap: 1.25,
      }}
    >
      <Typography variant="h3" component="h2" id={id}>
        {title}
      </Typography>
      {lead && (
        <Typography variant="body2" color="textSecondary" component="div">
          {lead}
        </Typography>
      )}
      {children}
    </Box>
  );
}

/** A name and what stands for it, with what can be done about it. */
export function Line({ label, value, action }: { label: ReactNode; value?: ReactNode; action?: ReactNode }) {
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap', minHeight: 36 }}>
      <Box sx={{ flex: '1 1 180px', minWidth: 0 }}>
        <Typography variant="body2" component="div" sx={{ overflowWrap: 'anywhere' }}>
          {label}
        </Typography>
        {value !== undefined && (
          <Typography variant="body2" color="textSecondary" component="div" sx={{ overflowWrap: 'anywhere' }}>
            {value}
          </Typography>
        )}
      </Box>
      {action}
    </Box>
  );
}
