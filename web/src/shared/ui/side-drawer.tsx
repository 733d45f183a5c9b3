import CloseRounded from '@mui/icons-material/CloseRounded';
import Box from '@mui/material/Box';
import Drawer from '@mui/material/Drawer';
import IconButton from '@mui/material/IconButton';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';

/** For forms of many fields, in px. */
export const wideDrawer = 640;

interface SideDrawerProps {
  title: string;
  width?: number | undefined;
  onClose: () => void;
  children: ReactNode;
}

/** What lies beside a list that stays in sight: its title, the way out, and below them whatever it is for. */
export function SideDrawer({ title, width = 480, onClose, children }: SideDrawerProps) {
  const { t } = useTranslation('shared');
  const titleId = useId();
  return (
    <Drawer
      anchor="right"
      open
      onClose={onClose}
      // The drawer that waits gives way to the one that is filled: sliding in twice would flicker.
      transitionDuration={0}
      slotProps={{
        paper: {
          role: 'dialog',
          'aria-modal': true,
          'aria-labelledby': titleId,
          sx: { width: { xs: '100%', sm: width }, maxWidth: '100%' },
        },
      }}
    >
      <Box
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: 1,
          pl: 2.5,
          pr: 1.5,
          minHeight: 52,
          flex: 'none',
          borderBottom: 1,
          borderColor: 'divider',
        }}
      >
        <Typography id={titleId} variant="h2" sx={{ flex: 1, fontSize: 16 }}>
          {title}
        </Typography>
        <IconButton aria-label={t('close')} onClick={onClose}>
          <CloseRounded fontSize="small" />
        </IconButton>
      </Box>
      {children}
    </Drawer>
  );
}

/** A drawer whose contents are on their way; it can be left meanwhile. */
export function WaitingDrawer(props: Omit<SideDrawerProps, 'children'>) {
  const { t } = useTranslation('shared');
  return (
    <SideDrawer {...props}>
      <Box role="status" aria-label={t('loading')} sx={{ p: 2.5, display: 'flex', flexDirection: 'column', gap: 2 }}>
        {['name', 'value', 'group', 'note'].map((field) => (
          <Skeleton key={field} variant="rounded" height={38} />
        ))}
      </Box>
    </SideDrawer>
  );
}
