import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatQuota } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { settingsOf, useListOptionsQuery, useWeeksUsageQuery } from './api.ts';
import { effectOf } from './effect-of.ts';
import { useLabel } from './field.ts';
import { priceKeys, pricesIn } from './price-rows.ts';
import { type Difference, differences } from './setting-text.ts';
import type { Change, Drafts } from './use-drafts.ts';

const weekSeconds = 7 * 86_400;
const shownModels = 5;

/** What last week's calls would have cost at the prices that are about to be saved. */
function PriceEffect({ drafts }: { drafts: Drafts }) {
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

/** What saving would change: each setting, and of JSON objects each member. */
export function ChangesDialog({ drafts, onClose }: { drafts: Drafts; onClose: () => void }) {
  const { t } = useTranslation(['settings', 'shared']);
  const labelOf = useLabel();
  return (
    <Dialog open onClose={onClose} maxWidth="md" fullWidth aria-labelledby="changes-title" transitionDuration={80}>
      <DialogTitle id="changes-title">{t('reviewTitle')}</DialogTitle>
      <DialogContent tabIndex={0} sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        {drafts.changes.map((change) => (
          <section key={change.setting.key}>
            <Typography variant="h3" component="h3">
              {labelOf(change.setting)}
            </Typography>
            {linesOf(change).map((line) => (
              <DifferenceLine key={line.name} line={line} isSecret={change.setting.access === 'secret'} />
            ))}
          </section>
        ))}
        {drafts.changes.some(({ setting }) => isPrice(setting.key)) && <PriceEffect drafts={drafts} />}
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button color="inherit" onClick={onClose}>
          {t('shared:close')}
        </Button>
        <Button
          variant="contained"
          autoFocus
          onClick={() => {
            onClose();
            void drafts.save();
          }}
        >
          {t('save')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function isPrice(key: string): boolean {
  return (Object.values(priceKeys) as string[]).includes(key);
}

function linesOf({ setting, value }: Change): Difference[] {
  return differences(setting, setting.value, value ?? setting.default);
}

function DifferenceLine({ line: { name, before, after }, isSecret }: { line: Difference; isSecret: boolean }) {
  const { t } = useTranslation('settings');
  const words = (text: string | undefined): string => {
    if (isSecret) return t('hidden');
    if (text === undefined) return t('unset');
    return text === '' ? t('empty') : text;
  };
  return (
    <Box sx={{ fontSize: 13, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
      {name && <b>{name}: </b>}
      <Box component="del" sx={{ color: 'text.secondary' }}>
        {words(before)}
      </Box>
      {' → '}
      <Box component="ins" sx={{ textDecoration: 'none' }}>
        {words(after)}
      </Box>
    </Box>
  );
}
