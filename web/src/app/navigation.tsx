import Box from '@mui/material/Box';
import { styled } from '@mui/material/styles';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import { role } from '@tollgate/contracts/constants';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { languageOf } from '../shared/language.ts';
import type { FeaturePage } from '../shared/page.ts';
import { useSessionUser } from '../shared/session.ts';
import { useGetStatusQuery } from '../shared/site.ts';
import { storedStatus } from '../shared/stored-status.ts';
import { Brand } from './brand.tsx';
import { pages } from './pages.ts';

const groups = ['workspace', 'operations', 'configuration'] as const;

const Item = styled(Link)(({ theme }) => ({
  display: 'flex',
  alignItems: 'center',
  gap: 10,
  height: 34,
  paddingInline: 10,
  borderRadius: 6,
  color: theme.vars?.palette.text.secondary,
  textDecoration: 'none',
  fontSize: 13,
  fontWeight: 500,
  whiteSpace: 'nowrap',
  overflow: 'hidden',
  '& svg': { fontSize: 18, flex: 'none' },
  '&:hover': { background: theme.vars?.palette.action.hover, color: theme.vars?.palette.text.primary },
  '&[aria-current="page"]': {
    background: theme.vars?.palette.action.selected,
    color: theme.vars?.palette.text.primary,
    '& svg': { color: theme.vars?.palette.primary.main },
  },
  '@media (pointer: coarse)': { height: 44 },
}));

/** The left navigation: three groups, of which one sees the entries one may open. `slim` shows icons only. */
export function Navigation({ slim, onNavigate }: { slim: boolean; onNavigate?: () => void }) {
  const { t, i18n } = useTranslation('app');
  const language = languageOf(i18n.language);
  const rank = useSessionUser()?.role ?? role.guest;
  const { data: status = storedStatus() } = useGetStatusQuery();
  const { pathname } = useLocation();
  // One's own account lies below the address of the users, and is none of theirs.
  const current =
    pages.find(({ path }) => pathname === `/${path}`) ?? pages.find(({ path, group }) => group && pathname.startsWith(`/${path}/`));
  const isShown = ({ rank: least, shownWith }: FeaturePage): boolean => rank >= least && (!shownWith || status?.[shownWith] === true);
  const visible = groups
    .map((group) => ({ group, entries: pages.filter((page) => page.group === group && isShown(page)) }))
    .filter(({ entries }) => entries.length > 0);
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', px: 1, pb: 2, overflow: 'auto' }}>
      <Brand slim={slim} {...(onNavigate && { onNavigate })} />
      <Box component="nav" aria-label={t('navigation')}>
        {visible.map(({ group, entries }) => (
          <Box
            key={group}
            component="section"
            aria-label={t(`groups.${group}`)}
            sx={{ mt: slim ? 0.5 : 1.5, display: 'flex', flexDirection: 'column', gap: '2px' }}
          >
            {slim ? (
              <Box sx={{ borderTop: 1, borderColor: 'divider', mx: 1, mb: 0.5 }} />
            ) : (
              <Typography variant="caption" color="textSecondary" sx={{ px: 1.25, pb: 0.5, fontWeight: 550 }}>
                {t(`groups.${group}`)}
              </Typography>
            )}
            {entries.map(({ path, title, icon: Icon }) => (
              <Tooltip key={path} title={slim ? title[language] : ''} placement="right">
                <Item
                  to={`/${path}`}
                  aria-current={path === current?.path ? 'page' : undefined}
                  onClick={onNavigate}
                  aria-label={slim ? title[language] : undefined}
                >
                  <Icon />
                  {!slim && title[language]}
                </Item>
              </Tooltip>
            ))}
          </Box>
        ))}
      </Box>
    </Box>
  );
}
