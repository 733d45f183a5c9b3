import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link as RouterLink } from 'react-router';
import { formatCompact, formatCount, formatQuota, formatRate } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import { QuotaText } from '../../shared/ui/quota-text.tsx';
import type { Totals } from './series.ts';

interface StatStripProps {
  self: { quota: number; used_quota: number; request_count: number } | undefined;
  /** Undefined while they are on their way. */
  totals: Totals | undefined;
  /** Days until the balance runs out; undefined where nothing says so. */
  left: number | undefined;
}

/** Days. What lasts longer need not be foretold. */
const longestForecast = 36_500;

/** What one has and used so far, and what was used in the range that is shown. */
export function StatStrip({ self, totals, left }: StatStripProps) {
  const { t, i18n } = useTranslation('dashboard');
  const money = useMoneyDisplay();
  const date = (days: number): string =>
    new Date(Date.now() + days * 86_400_000).toLocaleDateString(i18n.language, { dateStyle: 'medium' });
  const isUsedUp = self !== undefined && self.quota <= 0;
  const balanceNote = isUsedUp ? (
    <Box component="span" sx={{ color: 'error.main' }}>
      {t('stats.usedUp')}{' '}
      <Link component={RouterLink} to="/topup">
        {t('stats.topUp')}
      </Link>
    </Box>
  ) : (
    left !== undefined && left < longestForecast && t('stats.lasts', { date: date(left) })
  );
  const uncollectedNote = totals && totals.uncollected > 0 && t('stats.uncollected', { amount: formatQuota(totals.uncollected, money) });
  return (
    <Box
      component="dl"
      sx={{
        m: 0,
        display: 'grid',
        gap: '1px',
        gridTemplateColumns: { xs: 'repeat(2, minmax(0, 1fr))', sm: 'repeat(4, minmax(0, 1fr))', lg: 'repeat(8, minmax(0, 1fr))' },
        border: 1,
        borderColor: 'divider',
        borderRadius: 2,
        bgcolor: 'background.paper',
        overflow: 'hidden',
      }}
    >
      <Stat name={t('stats.balance')} note={balanceNote}>
        {self && <QuotaText quota={self.quota} />}
      </Stat>
      <Stat name={t('stats.used')}>{self && <QuotaText quota={self.used_quota} />}</Stat>
      <Stat name={t('stats.requests')}>{self && formatCount(self.request_count)}</Stat>
      <Stat name={t('stats.cost')} note={uncollectedNote}>
        {totals && <QuotaText quota={totals.quota} />}
      </Stat>
      <Stat name={t('stats.tokens')}>{totals && formatCompact(totals.tokens)}</Stat>
      <Stat name={t('stats.calls')}>{totals && formatCount(totals.calls)}</Stat>
      <Stat name={t('stats.rpm')}>{totals && formatRate(totals.rpm)}</Stat>
      <Stat name={t('stats.tpm')}>{totals && formatRate(totals.tpm)}</Stat>
    </Box>
  );
}

function Stat({ name, note, children }: { name: string; note?: ReactNode; children: ReactNode }) {
  return (
    <Box sx={{ px: 2, py: 1.25, minWidth: 0 }}>
      <Box component="dt" sx={{ fontSize: 12, color: 'text.secondary' }}>
        {name}
      </Box>
      <Box component="dd" sx={{ m: 0, fontSize: 18, fontWeight: 600, fontVariantNumeric: 'tabular-nums', overflowWrap: 'anywhere' }}>
        {children || '…'}
        {note && <Box sx={{ fontSize: 12, fontWeight: 400, color: 'text.secondary' }}>{note}</Box>}
      </Box>
    </Box>
  );
}
