import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { useAskedClose } from '../../shared/form/unsaved.ts';
import { usePersistedState } from '../../shared/form/use-kept.ts';
import { type PriceRow, pastedRows } from './price-rows.ts';

/** Lines of a sheet become rows; what cannot be read is named, and nothing is taken over before it is mended. */
export function PasteDialog({ onApply, onClose }: { onApply: (rows: PriceRow[]) => void; onClose: () => void }) {
  const { t } = useTranslation(['settings', 'shared']);
  const [text, setText] = usePersistedState('pasted-prices', '');
  const { rows, wrong } = pastedRows(text);
  const [first] = wrong;
  const close = useAskedClose(text.trim() !== '', onClose);
  return (
    <Dialog open onClose={close} maxWidth="sm" fullWidth aria-labelledby="paste-title" transitionDuration={80}>
      <DialogTitle id="paste-title">{t('prices.pasteTitle')}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 1.5 }}>
        <Typography variant="body2">{t('prices.pasteHow')}</Typography>
        <TextField
          autoFocus
          multiline
          minRows={6}
          maxRows={16}
          label={t('prices.pasteLabel')}
          value={text}
          onChange={(event) => setText(event.target.value)}
          error={first !== undefined}
          helperText={first && t('prices.pasteWrong', first)}
          slotProps={{ htmlInput: { spellCheck: false } }}
        />
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button color="inherit" onClick={close}>
          {t('shared:cancel')}
        </Button>
        <Button
          variant="contained"
          disabled={rows.length === 0 || first !== undefined}
          onClick={() => {
            onApply(rows);
            onClose();
          }}
        >
          {t('prices.pasteApply', { count: rows.length })}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
