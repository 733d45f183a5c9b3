import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLateFailure } from '../../shared/form/use-late-failure.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import type { Bulk } from '../../shared/ui/use-bulk.ts';
import { usePatchChannelsMutation } from './api.ts';
import type { ChannelFilters } from './rows.ts';

/** Puts one tag on several channels; an empty one takes theirs away. */
export function TagDialog({ bulk, onClose, onDone }: { bulk: Bulk<ChannelFilters>; onClose: () => void; onDone: () => void }) {
  const { t } = useTranslation(['channels', 'shared']);
  const [tag, setTag] = useState('');
  const [save, { isLoading, error }] = usePatchChannelsMutation();
  const failedLate = useLateFailure(t('setTag'));
  return (
    <Dialog open onClose={onClose} maxWidth="xs" fullWidth aria-labelledby="tag-title" transitionDuration={80}>
      <form
        onSubmit={async (event) => {
          event.preventDefault();
          const answer = await save({ ...bulk.rows, set: { tag: tag.trim() } });
          if (answer.error) return failedLate(answer.error);
          toast('success', t('tagged', { count: answer.data.matched }));
          onDone();
        }}
      >
        <DialogTitle id="tag-title">{t('setTag')}</DialogTitle>
        <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2, '&&': { pt: 1 } }}>
          {error && <Alert severity="error">{messageOf(error)}</Alert>}
          <TextField
            autoFocus
            label={t('columns.tag')}
            value={tag}
            onChange={(event) => setTag(event.target.value)}
            helperText={t('tagNote')}
            slotProps={{ htmlInput: { maxLength: 128 } }}
          />
        </DialogContent>
        <DialogActions sx={{ px: 3, pb: 2 }}>
          <Button color="inherit" onClick={onClose}>
            {t('shared:cancel')}
          </Button>
          <Button type="submit" variant="contained" loading={isLoading}>
            {t('shared:apply')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
