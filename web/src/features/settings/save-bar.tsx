import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import type { Drafts } from './use-drafts.ts';

const ChangesDialog = lazyPart(async () => (await import('./changes-dialog.tsx')).ChangesDialog);

/** How much was changed, and what to do about it; always in sight. */
export function SaveBar({ drafts }: { drafts: Drafts }) {
  const { t } = useTranslation('settings');
  const [isReviewed, setReviewed] = useState(false);
  const count = drafts.changes.length;
  return (
    <Box
      role="region"
      aria-label={t('save')}
      sx={{
        position: 'sticky',
        bottom: 0,
        zIndex: 2,
        display: 'flex',
        alignItems: 'center',
        flexWrap: 'wrap',
        gap: 1,
        py: 1,
        mt: 1,
        bgcolor: 'background.default',
        borderTop: 1,
        borderColor: 'divider',
      }}
    >
      <Typography variant="body2" color="textSecondary" role="status">
        {t('changes', { count })}
      </Typography>
      <Box sx={{ display: 'flex', gap: 1, ml: 'auto' }}>
        {count > 0 && (
          <>
            <Button color="inherit" onClick={drafts.discard}>
              {t('discard')}
            </Button>
            <Button variant="outlined" color="inherit" onClick={() => setReviewed(true)}>
              {t('review')}
            </Button>
          </>
        )}
        <Button variant="contained" loading={drafts.saving} onClick={() => void drafts.save()}>
          {t('save')}
        </Button>
      </Box>
      {isReviewed && <ChangesDialog drafts={drafts} onClose={() => setReviewed(false)} />}
    </Box>
  );
}
