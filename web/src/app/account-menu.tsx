import ExpandMoreRounded from '@mui/icons-material/ExpandMoreRounded';
import LogoutRounded from '@mui/icons-material/LogoutRounded';
import PersonOutlined from '@mui/icons-material/PersonOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Divider from '@mui/material/Divider';
import ListItemIcon from '@mui/material/ListItemIcon';
import MenuItem from '@mui/material/MenuItem';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDispatch } from 'react-redux';
import { Link, useNavigate } from 'react-router';
import { useLogoutMutation } from '../features/session/api.ts';
import { useMayLeave } from '../shared/form/unsaved.ts';
import { formatQuota } from '../shared/format.ts';
import { type SessionUser, sessionEnded } from '../shared/session.ts';
import { useGetSelfQuery, useMoneyDisplay } from '../shared/site.ts';
import { DropMenu } from '../shared/ui/drop-menu.tsx';
import { toast } from '../shared/ui/toasts.ts';

/** Who is signed in, what they have, and the way out. */
export function AccountMenu({ user }: { user: SessionUser }) {
  const { t } = useTranslation('app');
  const dispatch = useDispatch();
  const navigate = useNavigate();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const mayLeave = useMayLeave();
  const [logout] = useLogoutMutation();
  const leave = async (): Promise<void> => {
    setAnchor(null);
    if (!(await mayLeave())) return;
    // Also when the server cannot be reached, this browser forgets who was here.
    await logout();
    dispatch(sessionEnded('left'));
    void navigate('/login');
    toast('success', t('account.loggedOut'));
  };
  return (
    <>
      <Button
        color="inherit"
        aria-label={`${t('account.label')}: ${user.username}`}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
        endIcon={<ExpandMoreRounded />}
        sx={{ minWidth: 0, maxWidth: 180, '& .MuiButton-endIcon': { ml: 0.25 } }}
      >
        <Box component="span" sx={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>
          {user.username}
        </Box>
      </Button>
      {anchor && (
        <DropMenu anchor={anchor} onClose={() => setAnchor(null)} minWidth={220}>
          <Summary user={user} />
          <Divider />
          <MenuItem component={Link} to="/user/edit" onClick={() => setAnchor(null)}>
            <ListItemIcon>
              <PersonOutlined fontSize="small" />
            </ListItemIcon>
            {t('account.settings')}
          </MenuItem>
          <MenuItem onClick={leave}>
            <ListItemIcon>
              <LogoutRounded fontSize="small" />
            </ListItemIcon>
            {t('account.logout')}
          </MenuItem>
        </DropMenu>
      )}
    </>
  );
}

function Summary({ user }: { user: SessionUser }) {
  const { t } = useTranslation('app');
  const { data } = useGetSelfQuery(undefined, { refetchOnMountOrArgChange: true });
  const money = useMoneyDisplay();
  const lines = [
    [t('account.balance'), data?.quota],
    [t('account.used'), data?.used_quota],
  ] as const;
  return (
    <Box component="li" role="none" sx={{ px: 2, py: 1 }}>
      <Typography variant="h3" component="p" noWrap sx={{ mb: 0.75 }}>
        {user.display_name || user.username}
      </Typography>
      {lines.map(([label, quota]) => (
        <Box
          key={label}
          sx={{
            display: 'flex',
            justifyContent: 'space-between',
            gap: 3,
            fontSize: 12.5,
            color: 'text.secondary',
            fontVariantNumeric: 'tabular-nums',
          }}
        >
          <span>{label}</span>
          <span>{quota === undefined ? '…' : formatQuota(quota, money)}</span>
        </Box>
      ))}
    </Box>
  );
}
