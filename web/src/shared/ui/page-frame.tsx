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
      <Box
        sx={{
          display: 'flex',
          alignItems: 'center',
          justifyContent: 'flex-end',
          gap: 1.5,
          rowGap: 0.5,
          minHeight: 48,
          flexWrap: { xs: 'wrap', sm: 'nowrap' },
          py: 1,
        }}
      >
        <Typography tabIndex={-1} variant="h1" sx={{ outline: 'none', mr: 'auto' }}>
          {title}
        </Typography>
        {/* What one can do stands beside the heading, on a phone too; words take a line of their own there. */}
        {aside && (
          <Box sx={{ order: { xs: 1, sm: 0 }, flexGrow: { xs: 1, sm: 0 }, minWidth: 0, display: 'flex', justifyContent: 'flex-end' }}>
            {aside}
          </Box>
        )}
        {action && (
          <Box sx={{ display: 'flex', alignItems: 'center', gap: { xs: 0.5, sm: 1.5 }, flexWrap: 'wrap', flexShrink: { sm: 0 } }}>
            {action}
          </Box>
        )}
      </Box>
      {children}
    </Box>
  );
}
