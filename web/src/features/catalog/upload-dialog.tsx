import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import type { TakenFile, UploadCatalogBody } from '@tollgate/contracts/api/catalog';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FileButton } from '../../shared/form/file-button.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useUploadCatalogMutation } from './api.ts';

const formats: readonly UploadCatalogBody['kind'][] = ['catalog', 'models.dev', 'openrouter', 'litellm', 'pricing'];

/** Shows what would become of a file, then takes it. */
export function UploadDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['catalog', 'shared']);
  const [upload, { isLoading }] = useUploadCatalogMutation();
  const [kind, setKind] = useState<UploadCatalogBody['kind']>('catalog');
  const [file, setFile] = useState<{ name: string; text: string }>();
  const [plan, setPlan] = useState<TakenFile>();
  const [problem, setProblem] = useState('');
  const send = async (isDryRun: boolean): Promise<void> => {
    setProblem('');
    const { data, error } = await upload({ kind, text: file?.text ?? '', dry_run: isDryRun });
    if (error) return setProblem(messageOf(error));
    if (isDryRun) return setPlan(data);
    toast('success', t('taken', data ?? { applied: 0, waiting: 0, quarantined: 0, listed: 0 }));
    onClose();
  };
  const choose = async (chosen: File): Promise<void> => {
    setPlan(undefined);
    setProblem('');
    setFile({ name: chosen.name, text: await chosen.text() });
  };
  return (
    <Dialog open onClose={onClose} maxWidth="sm" fullWidth aria-labelledby="upload-title" transitionDuration={80}>
      <DialogTitle id="upload-title">{t('uploadTitle')}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 1.5 }}>
        <Typography variant="body2">{t('uploadText')}</Typography>
        <TextField
          select
          margin="dense"
          label={t('columns.format')}
          value={kind}
          onChange={(event) => {
            setKind(event.target.value as UploadCatalogBody['kind']);
            setPlan(undefined);
          }}
        >
          {formats.map((format) => (
            <MenuItem key={format} value={format}>
              {t(`formats.${format === 'models.dev' ? 'modelsDev' : format}`)}
            </MenuItem>
          ))}
        </TextField>
        <FileButton
          label={t('chooseFile')}
          accept=".json,application/json"
          onFile={(chosen) => void choose(chosen)}
          variant="outlined"
          color="inherit"
        >
          {file === undefined ? t('chooseFile') : file.name}
        </FileButton>
        <Typography variant="body2" role="status" color={problem === '' ? 'textPrimary' : 'error'}>
          {problem || (plan && t('plan', plan))}
        </Typography>
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button color="inherit" onClick={onClose}>
          {t('shared:cancel')}
        </Button>
        {plan === undefined ? (
          <Button variant="contained" disabled={file === undefined || isLoading} onClick={() => void send(true)}>
            {t('check')}
          </Button>
        ) : (
          <Button variant="contained" disabled={isLoading} onClick={() => void send(false)}>
            {t('upload')}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
