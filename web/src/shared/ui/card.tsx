import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId } from 'react';

interface CardProps {
  title: string;
  /** What it is about. */
  lead?: ReactNode;
  /** What it can be asked, beside its heading. */
  aside?: ReactNode;
  children: ReactNode;
}

/** One subject of a page, with its heading. */
export function Card({ title, lead, aside, children }: CardProps) {
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
        p: { xs: 1.5, md: 2 },
        minWidth: 0,
        position: 'relative',
        display: 'flex',
        flexDirection: 'column',
        gap: 1.25,
        overflowWrap: 'anywhere',
      }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap', minHeight: aside ? 30 : undefined }}>
        <Typography variant="h2" id={id} sx={{ fontSize: 14, flex: 1 }}>
          {title}
        </Typography>
        {aside}
      </Box>
      {lead && (
        <Typography variant="body2" color="textSecondary" component="div">
          {lead}
        </Typography>
      )}
      {children}
    </Box>
  );
}
