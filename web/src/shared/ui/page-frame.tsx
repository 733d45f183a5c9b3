import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useDocumentTitle } from './document-title.ts';

/** A page: its heading, what one can do on it, and its content, which takes the height that is left. */
export function PageFrame({
  title,
  aside,
  action,
  children,
}: {
  title: string;
  aside?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}) {
  useDocumentTitle(title);
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', flex: 1, minHeight: 0, px: { xs: 1.5, md: 2.5 }, pb: { xs: 1, md: 1.5 } }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.5, minHeight: 48, flexWrap: 'wrap', py: 0.5 }}>
        <Typography tabIndex={-1} variant="h1" sx={{ outline: 'none' }}>
          {title}
        </Typography>
        <Box
          sx={{
            flex: { sm: 1 },
            ml: { xs: 'auto', sm: 0 },
            display: 'flex',
            justifyContent: 'flex-end',
            alignItems: 'center',
            gap: 1.5,
            flexWrap: 'wrap',
          }}
        >
          {aside}
          {action}
        </Box>
      </Box>
      {children}
    </Box>
  );
}
