import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import { useTranslation } from 'react-i18next';
import { useNavigation } from 'react-router';

/** A line at the top of the window while the next page comes, told to those who do not see it. */
export function PageComing() {
  const { t } = useTranslation('shared');
  if (useNavigation().state !== 'loading') return null;
  return (
    <Box role="status">
      <LinearProgress aria-label={t('loading')} sx={{ position: 'fixed', inset: '0 0 auto', height: 2, zIndex: 1300 }} />
    </Box>
  );
}
