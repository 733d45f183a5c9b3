import DescriptionOutlined from '@mui/icons-material/DescriptionOutlined';
import GroupOutlined from '@mui/icons-material/GroupOutlined';
import KeyOutlined from '@mui/icons-material/KeyOutlined';
import LanOutlined from '@mui/icons-material/LanOutlined';
import Box from '@mui/material/Box';
import { styled } from '@mui/material/styles';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import { role } from '@tollgate/contracts/constants';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { NavLink } from 'react-router';
import { useSessionUser } from '../shared/session.ts';
import { useGetStatusQuery } from '../shared/site.ts';
import { Mark } from '../shared/ui/mark.tsx';

interface Entry {
  key: 'tokens' | 'logs' | 'channels' | 'users';
  to: string;
  icon: ReactElement;
  /** The lowest rank that sees it. */
  rank: number;
}

const groups: { key: 'workspace' | 'operations' | 'configuration'; entries: Entry[] }[] = [
  {
    key: 'workspace',
    entries: [
      { key: 'tokens', to: '/token', icon: <KeyOutlined />, rank: role.user },
      { key: 'logs', to: '/log', icon: <DescriptionOutlined />, rank: role.user },
    ],
  },
  {
    key: 'operations',
    entries: [
      { key: 'channels', to: '/channel', icon: <LanOutlined />, rank: role.admin },
      { key: 'users', to: '/user', icon: <GroupOutlined />, rank: role.admin },
    ],
  },
  { key: 'configuration', entries: [] },
];

const Item = styled(NavLink)(({ theme }) => ({
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
  const { t } = useTranslation('app');
  const rank = useSessionUser()?.role ?? role.guest;
  const { data: status } = useGetStatusQuery();
  const visible = groups
    .map((group) => ({ ...group, entries: group.entries.filter((entry) => rank >= entry.rank) }))
    .filter((group) => group.entries.length > 0);
  return (
    <Box component="nav" aria-label={t('navigation')} sx={{ display: 'flex', flexDirection: 'column', px: 1, pb: 2, overflow: 'auto' }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.25, height: 48, px: 1, overflow: 'hidden', flex: 'none' }}>
        <Mark logo={status?.logo ?? ''} size={24} />
        {!slim && (
          <Typography variant="h2" component="span" noWrap>
            {status?.system_name || 'Tollgate'}
          </Typography>
        )}
      </Box>
      {visible.map((group) => (
        <Box
          key={group.key}
          component="section"
          aria-label={t(`groups.${group.key}`)}
          sx={{ mt: slim ? 0.5 : 1.5, display: 'flex', flexDirection: 'column', gap: '2px' }}
        >
          {slim ? (
            <Box sx={{ borderTop: 1, borderColor: 'divider', mx: 1, mb: 0.5 }} />
          ) : (
            <Typography variant="caption" color="textSecondary" sx={{ px: 1.25, pb: 0.5, fontWeight: 550 }}>
              {t(`groups.${group.key}`)}
            </Typography>
          )}
          {group.entries.map((entry) => (
            <Tooltip key={entry.key} title={slim ? t(`pages.${entry.key}`) : ''} placement="right">
              <Item to={entry.to} onClick={onNavigate} aria-label={slim ? t(`pages.${entry.key}`) : undefined}>
                {entry.icon}
                {!slim && t(`pages.${entry.key}`)}
              </Item>
            </Tooltip>
          ))}
        </Box>
      ))}
    </Box>
  );
}
