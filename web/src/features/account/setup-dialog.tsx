import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { create } from 'qrcode';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '../../shared/form/form-dialog.tsx';
import { CopyButton } from '../../shared/ui/copy.tsx';
import { useEnableTwoFactorMutation } from './api.ts';

interface SetupDialogProps {
  offered: { secret: string; qr_code_data: string };
  onDone: (codes: string[]) => void;
  onClose: () => void;
}

/** Hands the secret over to an app, and takes a code back to see that it has it. */
export function SetupDialog({ offered: { secret, qr_code_data: uri }, onDone, onClose }: SetupDialogProps) {
  const { t } = useTranslation('account');
  const [enable, { isLoading, error }] = useEnableTwoFactorMutation();
  const [code, setCode] = useState('');
  const submit = async (): Promise<void> => {
    if (code.trim() === '') return;
    const { data } = await enable(code.trim());
    if (data) onDone(data.backup_codes);
  };
  return (
    <FormDialog
      title={t('twoFactor.setup')}
      submit={t('twoFactor.on')}
      onSubmit={submit}
      onClose={onClose}
      dirty={code !== ''}
      isBusy={isLoading}
      error={error}
    >
      <Typography variant="body2">{t('twoFactor.scan')}</Typography>
      <QrCode text={uri} label={t('twoFactor.qr')} />
      <TextField
        label={t('twoFactor.secret')}
        value={secret}
        slotProps={{ input: { readOnly: true, endAdornment: <CopyButton text={secret} label={t('twoFactor.copySecret')} /> } }}
      />
      <TextField
        autoFocus
        autoComplete="one-time-code"
        label={t('twoFactor.code')}
        value={code}
        onChange={(event) => setCode(event.target.value)}
        slotProps={{ htmlInput: { inputMode: 'numeric' } }}
      />
    </FormDialog>
  );
}

/** Dark on light in either theme: cameras want it so. One path for all modules, in their own measure. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const { modules } = create(text, { errorCorrectionLevel: 'M' });
    const dark = [...modules.data].flatMap((bit, at) => (bit ? [`M${at % modules.size} ${Math.floor(at / modules.size)}h1v1h-1z`] : []));
    return { size: modules.size, path: dark.join('') };
  }, [text]);
  return (
    <Box
      component="svg"
      role="img"
      aria-label={label}
      viewBox={`-4 -4 ${size + 8} ${size + 8}`}
      shapeRendering="crispEdges"
      sx={{ width: '100%', maxWidth: 220, mx: 'auto', bgcolor: '#fff', borderRadius: 1 }}
    >
      <path d={path} fill="#000" />
    </Box>
  );
}
