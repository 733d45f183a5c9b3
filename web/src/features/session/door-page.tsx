import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useGetStatusQuery } from '../../shared/site.ts';
import { useDocumentTitle } from '../../shared/ui/document-title.ts';
import { Mark } from '../../shared/ui/mark.tsx';

/** The frame of pages for people who are not in yet: what the site is, what the page is for, and the page. */
export function DoorPage({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  const { data: status } = useGetStatusQuery();
  useDocumentTitle(title);
  return (
    <Box
      component="main"
      sx={{ minHeight: '100dvh', display: 'flex', flexDirection: 'column', alignItems: 'center', px: 2, pt: { xs: 7, sm: '14vh' } }}
    >
      <Box sx={{ width: '100%', maxWidth: 360, pb: 4 }}>
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.25, mb: 3.5 }}>
          <Mark logo={status?.logo ?? ''} size={30} />
          <Typography variant="h2" component="p" sx={{ fontSize: 17 }}>
            {status?.system_name || 'Tollgate'}
          </Typography>
        </Box>
        <Typography variant="h1" sx={{ fontSize: 24, mb: 0.5 }}>
          {title}
        </Typography>
        <Typography variant="body2" color="textSecondary" sx={{ mb: 3 }}>
          {lead}
        </Typography>
        {children}
      </Box>
    </Box>
  );
}
