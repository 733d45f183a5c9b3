import Box from '@mui/material/Box';
import Popover from '@mui/material/Popover';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatQuota } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { useGetUserOfLogQuery } from './api.ts';

/** A user's name; a click shows who that is. */
export function UserCell({ id, name }: { id: number; name: string }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  if (!name) return null;
  return (
    <>
      <button type="button" className="link-button" aria-haspopup="dialog" onClick={(event) => setAnchor(event.currentTarget)}>
        {name}
      </button>
      {anchor && <UserPopover id={id} name={name} anchor={anchor} onClose={() => setAnchor(null)} />}
    </>
  );
}

interface UserPopoverProps {
  id: number;
  name: string;
  anchor: HTMLElement;
  onClose: () => void;
}

function UserPopover({ id, name, anchor, onClose }: UserPopoverProps) {
  const { t } = useTranslation('logs');
  return (
    <Popover
      open
      anchorEl={anchor}
      onClose={onClose}
      onClick={(event) => event.stopPropagation()}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'left' }}
      slotProps={{ paper: { role: 'dialog', 'aria-label': t('userInfo'), sx: { p: 2, minWidth: 220 } } }}
    >
      <UserInfo id={id} name={name} />
    </Popover>
  );
}

function UserInfo({ id, name }: { id: number; name: string }) {
  const { t } = useTranslation('logs');
  const money = useMoneyDisplay();
  const { data, error } = useGetUserOfLogQuery(id);
  const facts = data && [
    [t('user.balance'), formatQuota(data.quota, money)],
    [t('user.used'), formatQuota(data.used_quota, money)],
    [t('user.calls'), formatCount(data.request_count)],
    [t('columns.group'), data.group],
  ];
  return (
    <>
      <Typography variant="h3" component="p" sx={{ mb: 1 }}>
        {name}
      </Typography>
      {error && <Typography variant="body2">{messageOf(error)}</Typography>}
      <Box
        component="dl"
        sx={{
          m: 0,
          display: 'grid',
          gridTemplateColumns: 'auto 1fr',
          columnGap: 3,
          rowGap: 0.5,
          fontSize: 13,
          fontVariantNumeric: 'tabular-nums',
          '& dt': { color: 'text.secondary' },
          '& dd': { m: 0, textAlign: 'right' },
        }}
      >
        {facts?.map(([label, value]) => (
          <Box key={label} sx={{ display: 'contents' }}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </Box>
        ))}
      </Box>
    </>
  );
}
