import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import { useTranslation } from 'react-i18next';
import { formatCompact, formatCount, formatDateTime, formatQuota } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import { type LogScope, useGetLogStatQuery } from './api.ts';

/** What the filtered rows come to: what was used, and how busy the last minute was. */
export function StatLine({ scope, live }: { scope: LogScope; live: { pollingInterval: number; skipPollingIfUnfocused: boolean } }) {
  const { t } = useTranslation('logs');
  const money = useMoneyDisplay();
  const { data } = useGetLogStatQuery(scope, live);
  /** A sum that is there only where it is not nothing. */
  const extra = (key: 'uncollected' | 'givenBack', quota = 0) =>
    quota > 0 ? [{ key, label: t(`stat.${key}`), value: formatQuota(quota, money), hint: t(`stat.${key}Hint`) }] : [];
  const facts = [
    {
      key: 'used',
      label: t('stat.used'),
      value: data && `${data.since === undefined ? '' : '≥ '}${formatQuota(data.quota, money)}`,
      hint:
        data &&
        [
          t('stat.usedHint', { amount: formatCount(data.quota) }),
          ...(data.since === undefined ? [] : [t('stat.usedSince', { date: formatDateTime(data.since) })]),
        ].join(' · '),
    },
    ...extra('uncollected', data?.uncollected),
    ...extra('givenBack', data?.given_back),
    { key: 'rpm', label: t('stat.rpm'), value: data && formatCount(data.rpm), hint: t('stat.rpmHint') },
    { key: 'tpm', label: t('stat.tpm'), value: data && formatCompact(data.tpm), hint: t('stat.tpmHint') },
  ];
  return (
    <Box component="dl" sx={{ m: 0, display: 'flex', gap: 2.5, fontVariantNumeric: 'tabular-nums', fontSize: 13 }}>
      {facts.map(({ key, label, value, hint }) => (
        <Box key={key} sx={{ display: 'flex', gap: 0.75, alignItems: 'baseline' }}>
          <Box component="dt" sx={{ color: 'text.secondary' }}>
            {label}
          </Box>
          <Tooltip title={hint ?? ''}>
            <Box component="dd" tabIndex={0} data-stat={key} sx={{ m: 0, fontWeight: 600 }}>
              {value ?? '…'}
            </Box>
          </Tooltip>
        </Box>
      ))}
    </Box>
  );
}
