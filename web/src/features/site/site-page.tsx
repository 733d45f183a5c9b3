import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { kindOfWriting } from '../../shared/content/kind-of-writing.ts';
import { useOwnDocument } from '../../shared/content/own-document.ts';
import { Written } from '../../shared/content/written.tsx';
import { useDocumentTitle } from '../../shared/ui/document-title.ts';
import { ErrorNotice } from '../../shared/ui/error-notice.tsx';

interface Asked {
  data?: string | undefined;
  error?: unknown;
  isFetching: boolean;
  refetch: () => unknown;
}

/** A page that the administrator may have written; where nothing was written stands our own. */
export function SitePage({ title, asked, instead }: { title: string; asked: Asked; instead: ReactNode }) {
  const { t } = useTranslation('shared');
  const { data, error, isFetching, refetch } = asked;
  useDocumentTitle(title);
  const isOwnDocument = useOwnDocument(data?.includes('//') === true);
  if (data === undefined && error) return <ErrorNotice error={error} onRetry={() => void refetch()} busy={isFetching} />;
  if (data === undefined || !isOwnDocument)
    return (
      <Box role="status" aria-label={t('loading')} sx={{ width: '100%', maxWidth: 960, mx: 'auto', p: 3 }}>
        <Skeleton height={48} width="40%" />
        <Skeleton variant="rounded" height={180} sx={{ mt: 2 }} />
      </Box>
    );
  if (data.trim() === '') return instead;
  const isFramed = kindOfWriting(data) === 'address';
  return (
    <Box
      sx={
        isFramed
          ? { flex: 1, display: 'flex', flexDirection: 'column' }
          : { width: '100%', maxWidth: 960, mx: 'auto', px: { xs: 2, md: 3 }, py: 4 }
      }
    >
      {/* The text has headings of its own; this one names the page for who cannot see it. */}
      <Box
        component="h1"
        tabIndex={-1}
        sx={{ position: 'absolute', width: '1px', height: '1px', overflow: 'hidden', clipPath: 'inset(50%)', m: 0 }}
      >
        {title}
      </Box>
      <Written text={data} title={title} />
    </Box>
  );
}
