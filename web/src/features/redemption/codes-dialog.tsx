import DownloadRounded from '@mui/icons-material/DownloadRounded';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { saveCsv, saveText } from '../../shared/save-file.ts';
import { CopyButton } from '../../shared/ui/copy.tsx';
import { QuotaText } from '../../shared/ui/quota-text.tsx';
import { type CodesMade, codesAsCsv } from './codes.ts';

interface CodesDialogProps {
  made: CodesMade;
  title: string;
  onClose: () => void;
}

/** Codes to be read, copied, or saved as a file. */
export function CodesDialog({ made: { name, quota, keys }, title, onClose }: CodesDialogProps) {
  const { t } = useTranslation(['redemption', 'shared']);
  const text = keys.join('\n');
  return (
    <Dialog open onClose={onClose} maxWidth="sm" fullWidth aria-labelledby="codes-title" transitionDuration={80}>
      <DialogTitle id="codes-title">{title}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 1.5 }}>
        <Typography variant="body2" color="textSecondary">
          {name} · <QuotaText quota={quota} /> {t('each')}
        </Typography>
        <Box sx={{ display: 'flex', gap: 1, border: 1, borderColor: 'divider', borderRadius: 1, px: 1.25, py: 0.75 }}>
          <Box
            component="code"
            tabIndex={0}
            sx={{ flex: 1, fontSize: 12.5, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', maxHeight: 260, overflow: 'auto' }}
          >
            {text}
          </Box>
          <CopyButton text={text} label={t('copyAll')} />
        </Box>
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2, flexWrap: 'wrap', gap: 1 }}>
        <Button variant="outlined" color="inherit" startIcon={<DownloadRounded />} onClick={() => saveText(name, `${text}\n`)}>
          {t('downloadText')}
        </Button>
        <Button
          variant="outlined"
          color="inherit"
          startIcon={<DownloadRounded />}
          onClick={() => saveCsv(name, codesAsCsv(keys.map((key) => ({ key, name, quota }))))}
        >
          {t('download')}
        </Button>
        <Button variant="contained" autoFocus onClick={onClose}>
          {t('shared:close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
