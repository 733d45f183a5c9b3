import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { role } from '@tollgate/contracts/constants';
import { withoutEndSlashes } from '@tollgate/contracts/text-limits';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { SnippetTabs } from '../../shared/content/snippet-tabs.tsx';
import { useSessionUser } from '../../shared/session.ts';
import { useGetStatusQuery } from '../../shared/site.ts';
import { useGetHomeContentQuery } from '../../shared/site-texts.ts';
import { CopyButton } from '../../shared/ui/copy.tsx';
import { SitePage } from './site-page.tsx';
import { SystemStatus } from './system-status.tsx';

/** The front page: what the administrator wrote, else what this site is, how it is called, and its state. */
export function HomePage() {
  const { data: status } = useGetStatusQuery();
  return <SitePage title={status?.system_name || 'Tollgate'} asked={useGetHomeContentQuery()} instead={<OwnHome />} />;
}

function OwnHome() {
  const { t } = useTranslation(['site', 'shared']);
  const { data: status } = useGetStatusQuery();
  const user = useSessionUser();
  const baseUrl = `${withoutEndSlashes(status?.server_address || location.origin)}/v1`;
  const request = useMemo(
    () => ({ baseUrl, key: 'sk-…', body: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: t('hello') }] } }),
    [baseUrl, t],
  );
  return (
    <Box sx={{ width: '100%', maxWidth: 1080, mx: 'auto', px: { xs: 2, md: 3 }, pt: { xs: 4, md: 9 }, pb: 6 }}>
      <Box
        sx={{ display: 'grid', gap: { xs: 4, md: 7 }, gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'minmax(0, 5fr) minmax(0, 6fr)' } }}
      >
        <Box sx={{ alignSelf: 'center' }}>
          <Typography
            variant="h1"
            tabIndex={-1}
            sx={{ fontSize: { xs: 30, md: 40 }, letterSpacing: '-0.025em', lineHeight: 1.15, outline: 'none' }}
          >
            {status?.system_name || 'Tollgate'}
          </Typography>
          <Typography sx={{ mt: 2, fontSize: 16, color: 'text.secondary', maxWidth: 440 }}>{t('lead')}</Typography>
          <Box sx={{ mt: 3, display: 'flex', flexWrap: 'wrap', gap: 1 }}>
            {user ? (
              <>
                <Big to="/token" label={t('toConsole')} isFirst />
                {user.role >= role.root && <Big to="/start" label={t('firstSteps')} />}
              </>
            ) : (
              <>
                <Big to="/login" label={t('signIn')} isFirst />
                {status?.register_enabled && <Big to="/register" label={t('register')} />}
              </>
            )}
            <Big to="/pricing" label={t('prices')} />
          </Box>
        </Box>
        <Box sx={{ border: 1, borderColor: 'divider', borderRadius: 2, bgcolor: 'background.paper', p: { xs: 2, md: 2.5 }, minWidth: 0 }}>
          <Typography variant="h3" component="h2">
            {t('baseUrl')}
          </Typography>
          <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, mt: 0.25, mb: 1 }}>
            <Box component="code" sx={{ fontSize: 14, overflowWrap: 'anywhere' }}>
              {baseUrl}
            </Box>
            <CopyButton text={baseUrl} label={`${t('shared:copy.copy')}: ${t('baseUrl')}`} />
          </Box>
          <SnippetTabs request={request} label={t('firstCall')} />
        </Box>
      </Box>
      {status && <SystemStatus status={status} />}
    </Box>
  );
}

function Big({ to, label, isFirst = false }: { to: string; label: string; isFirst?: boolean }) {
  return (
    <Button
      component={Link}
      to={to}
      variant={isFirst ? 'contained' : 'outlined'}
      {...(!isFirst && { color: 'inherit' as const })}
      sx={{ minHeight: 40, px: 2, fontSize: 14 }}
    >
      {label}
    </Button>
  );
}
