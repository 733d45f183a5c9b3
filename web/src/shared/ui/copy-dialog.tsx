import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useTranslation } from 'react-i18next';

const mostRows = 10;

/** A text, selected and ready for Ctrl+C or a long press: for browsers that give this page no clipboard. */
export function CopyDialog({ text, onCopied, onClose }: { text: string; onCopied: () => void; onClose: () => void }) {
  const { t } = useTranslation('shared');
  return (
    <Dialog open onClose={onClose} maxWidth="sm" fullWidth aria-labelledby="copy-title" transitionDuration={80}>
      <DialogTitle id="copy-title">{t('copy.byHand')}</DialogTitle>
      <DialogContent sx={{ '&&': { pt: 1 } }}>
        <TextField
          multiline
          maxRows={mostRows}
          value={text}
          helperText={t('copy.byHandHow')}
          slotProps={{
            htmlInput: {
              readOnly: true,
              'aria-label': t('copy.byHand'),
              ref: selectAll,
              onFocus: (event: React.FocusEvent<HTMLTextAreaElement>) => event.currentTarget.select(),
              // The browser copies what is selected after this event; closing at once would take the selection away.
              onCopy: () => setTimeout(onCopied),
              style: { fontFamily: 'ui-monospace, monospace', fontSize: 12.5 },
            },
          }}
        />
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button color="inherit" onClick={onClose}>
          {t('close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function selectAll(area: HTMLTextAreaElement | null): void {
  area?.focus();
  area?.select();
}
