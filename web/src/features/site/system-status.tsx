import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { StatusView } from '@tollgate/contracts/api/status';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '../../shared/format.ts';
import { StatusTag } from '../../shared/ui/status-tag.tsx';

const switches = [
  'register_enabled',
  'email_verification',
  'github_oauth',
  'linuxdo_oauth',
  'wechat_login',
  'telegram_oauth',
  'turnstile_check',
] as const;

/** What the site is, and which ways in are open. */
export function SystemStatus({ status }: { status: StatusView }) {
  const { t } = useTranslation('site');
  return (
    <Box component="section" aria-labelledby="system-status" sx={{ mt: { xs: 5, md: 9 } }}>
      <Typography id="system-status" variant="h2" sx={{ mb: 1.5 }}>
        {t('status.title')}
      </Typography>
      <Box
        component="dl"
        sx={{
          m: 0,
          display: 'grid',
          gridTemplateColumns: { xs: 'repeat(2, minmax(0, 1fr))', sm: 'repeat(3, minmax(0, 1fr))', md: 'repeat(5, minmax(0, 1fr))' },
          gap: '1px',
          border: 1,
          borderColor: 'divider',
          borderRadius: 2,
          overflow: 'hidden',
          bgcolor: 'background.paper',
        }}
      >
        <Fact name={t('status.name')}>{status.system_name}</Fact>
        <Fact name={t('status.version')}>{status.version}</Fact>
        <Fact name={t('status.started')}>{formatDateTime(status.start_time)}</Fact>
        {switches.map((each) => (
          <Fact key={each} name={t(`status.${each}`)}>
            <StatusTag tone={status[each] ? 'success' : 'neutral'} label={t(status[each] ? 'status.on' : 'status.off')} />
          </Fact>
        ))}
      </Box>
    </Box>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Box sx={{ px: 2, py: 1.5, minWidth: 0, overflowWrap: 'anywhere' }}>
      <Box component="dt" sx={{ fontSize: 12, color: 'text.secondary' }}>
        {name}
      </Box>
      <Box component="dd" sx={{ m: 0, mt: 0.25, fontSize: 13.5 }}>
        {children}
      </Box>
    </Box>
  );
}
