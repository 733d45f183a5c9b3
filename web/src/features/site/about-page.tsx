import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { role } from '@tollgate/contracts/constants';
import { useTranslation } from 'react-i18next';
import { useHasRole } from '../../shared/session.ts';
import { useGetAboutQuery } from '../../shared/site-texts.ts';
import { SitePage } from './site-page.tsx';

/** The page about the site. */
export function AboutPage() {
  const { t } = useTranslation('site');
  return <SitePage title={t('about')} asked={useGetAboutQuery()} instead={<OwnAbout />} />;
}

function OwnAbout() {
  const { t } = useTranslation('site');
  const isRoot = useHasRole(role.root);
  return (
    <Box sx={{ width: '100%', maxWidth: 720, mx: 'auto', px: { xs: 2, md: 3 }, py: { xs: 4, md: 8 } }}>
      <Typography variant="h1" tabIndex={-1} sx={{ fontSize: 28, mb: 2, outline: 'none' }}>
        {t('about')}
      </Typography>
      <Typography color="textSecondary">{t('aboutText')}</Typography>
      <Typography color="textSecondary" sx={{ mt: 1.5 }}>
        {t('aboutLicence')}
      </Typography>
      {isRoot && (
        <Typography color="textSecondary" sx={{ mt: 1.5 }}>
          {t('aboutHint')}
        </Typography>
      )}
    </Box>
  );
}
