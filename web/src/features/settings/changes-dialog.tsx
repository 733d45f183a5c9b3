import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { useLabel } from './field.ts';
import { PriceEffect } from './price-effect.tsx';
import { priceKeys } from './price-rows.ts';
import { type Difference, differences } from './setting-text.ts';
import type { Change, Drafts } from './use-drafts.ts';

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
