import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useTranslation } from 'react-i18next';
import { Written } from '../shared/content/written.tsx';

/** What the administrator has to say to everybody. */
export function NoticeDialog({ text, onClose, onQuiet }: { text: string; onClose: () => void; onQuiet: () => void }) {
  const { t } = useTranslation(['site', 'shared']);
  return (
    <Dialog open onClose={onClose} maxWidth="sm" fullWidth aria-labelledby="notice-title" transitionDuration={80}>
      <DialogTitle id="notice-title">{t('notice')}</DialogTitle>
      <DialogContent tabIndex={0} sx={{ display: 'flex', flexDirection: 'column' }}>
        <Written text={text} title={t('notice')} />
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button color="inherit" onClick={onQuiet}>
          {t('noticeToday')}
        </Button>
        <Button variant="contained" autoFocus onClick={onClose}>
          {t('shared:close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
