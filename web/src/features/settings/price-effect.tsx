import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatQuota } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { settingsOf, useListOptionsQuery, useWeeksUsageQuery } from './api.ts';
import { effectOf } from './effect-of.ts';
import { pricesIn } from './price-rows.ts';
import type { Drafts } from './use-drafts.ts';

const weekSeconds = 7 * 86_400;
const shownModels = 5;

/** What last week's calls would have cost at the prices that are about to be saved. */
export function PriceEffect({ drafts }: { drafts: Drafts }) {
  const { t } = useTranslation('settings');
  const money = useMoneyDisplay();
  const [now] = useState(() => Math.floor(Date.now() / 1000));
  const { data: options } = useListOptionsQuery();
  const { data: usage, error } = useWeeksUsageQuery({ from: now - weekSeconds, to: now });
  const settings = options ? settingsOf(options) : [];
  const before = pricesIn(settings, { textOf: ({ value }) => value });
  const after = pricesIn(settings, drafts);
  if (error) return <Typography variant="body2">{t('effect.unknown', { reason: messageOf(error) })}</Typography>;
  if (!usage || !before || !after) return <Typography variant="body2">{t('effect.waiting')}</Typography>;
  const { changes, total, totalAfter } = effectOf(usage, { before, after, quotaPerUnit: money.quotaPerUnit });
  const words = (one: number, other: number): string =>
    t('effect.line', { before: formatQuota(one, money), after: formatQuota(other, money), difference: difference(other - one) });
  return (
    <Box component="section" aria-label={t('effect.title')} sx={{ fontSize: 13 }}>
      <Typography variant="h3" component="h3">
        {t('effect.title')}
      </Typography>
      {changes.length === 0 ? (
        <Typography variant="body2">{t('effect.none')}</Typography>
      ) : (
        <>
          <div>{words(total, totalAfter)}</div>
          <Box component="ul" sx={{ m: 0, mt: 0.5, pl: 2.5 }}>
            {changes.slice(0, shownModels).map(({ model, quota, quotaAfter }) => (
              <Box component="li" key={model} sx={{ overflowWrap: 'anywhere' }}>
                <b>{model}</b>: {words(quota, quotaAfter)}
              </Box>
            ))}
          </Box>
          {changes.length > shownModels && <div>{t('effect.more', { count: changes.length - shownModels })}</div>}
        </>
      )}
      <Typography variant="caption" color="textSecondary">
        {t('effect.note')}
      </Typography>
    </Box>
  );

  function difference(quota: number): string {
    return quota < 0 ? `−${formatQuota(-quota, money)}` : `+${formatQuota(quota, money)}`;
  }
}
