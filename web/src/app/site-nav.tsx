import { styled } from '@mui/material/styles';
import { useTranslation } from 'react-i18next';
import { NavLink } from 'react-router';
import { useSessionUser } from '../shared/session.ts';
import { useGetStatusQuery } from '../shared/site.ts';

const Entries = styled('nav')({ display: 'flex', gap: 2, minWidth: 0 });

const Entry = styled(NavLink)(({ theme }) => ({
  display: 'inline-flex',
  alignItems: 'center',
  height: 32,
  paddingInline: 10,
  borderRadius: 6,
  color: theme.vars?.palette.text.secondary,
  textDecoration: 'none',
  fontSize: 13.5,
  fontWeight: 500,
  whiteSpace: 'nowrap',
  '&:hover': { background: theme.vars?.palette.action.hover, color: theme.vars?.palette.text.primary },
  '&[aria-current="page"]': { color: theme.vars?.palette.primary.main },
  '@media (pointer: coarse)': { height: 44 },
}));

/** The top navigation, the same on public pages and inside the console. */
export function SiteNav({ onNavigate }: { onNavigate?: () => void }) {
  const { t } = useTranslation('app');
  const user = useSessionUser();
  const { data: status } = useGetStatusQuery();
  return (
    <Entries aria-label={t('nav.label')} {...(onNavigate && { onClick: onNavigate })}>
      <Entry to="/" end>
        {t('nav.home')}
      </Entry>
      <Entry to={user && status?.enable_data_export ? '/detail' : '/token'}>{t('nav.console')}</Entry>
      <Entry to="/pricing">{t('nav.pricing')}</Entry>
      <Entry to="/about">{t('nav.about')}</Entry>
    </Entries>
  );
}
