import Box from '@mui/material/Box';
import { consoleRelease } from '@tollgate/contracts/constants';
import { useTranslation } from 'react-i18next';
import { useGetStatusQuery } from '../shared/site.ts';
import { lazyPart } from '../shared/ui/lazy-part.tsx';

const HtmlFrame = lazyPart(async () => (await import('../shared/content/html-frame.tsx')).HtmlFrame);

/** Below every page: what the administrator wrote there, or what this site runs on. `slim`: below a page that fills the window. */
export function Foot({ slim = false }: { slim?: boolean }) {
  const { t } = useTranslation('app');
  const { data: status } = useGetStatusQuery();
  return (
    <Box
      component="footer"
      sx={{
        flex: 'none',
        px: { xs: 2, md: 3 },
        py: slim ? 0.375 : 2,
        borderTop: 1,
        borderColor: 'divider',
        fontSize: slim ? 11.5 : 12.5,
        color: 'text.secondary',
        textAlign: 'center',
        ...(slim && { maxHeight: { md: '20dvh' }, overflow: { md: 'auto' } }),
      }}
    >
      {status?.footer_html ? (
        <HtmlFrame html={status.footer_html} title={t('footer')} align="center" />
      ) : (
        status && t('credit', { version: status.version, console: consoleRelease })
      )}
    </Box>
  );
}
