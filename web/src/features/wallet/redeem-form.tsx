import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatQuota } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useRedeemMutation } from './api.ts';

/** A code is typed or pasted, and becomes balance. `link` is where codes are to be had. */
export function RedeemForm({ link }: { link: string }) {
  const { t } = useTranslation('wallet');
  const money = useMoneyDisplay();
  const [code, setCode] = useState('');
  const [failure, setFailure] = useState<string>();
  const [redeem, { isLoading }] = useRedeemMutation();

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isLoading) return;
    if (code.trim() === '') return setFailure(t('codeMissing'));
    const { data, error } = await redeem(code.trim());
    if (error) return setFailure(t('redeemFailed', { reason: messageOf(error) }));
    setFailure(undefined);
    setCode('');
    toast('success', t('redeemed', { amount: formatQuota(data ?? 0, money) }));
  };

  return (
    <Box component="form" noValidate onSubmit={submit} sx={{ display: 'flex', flexDirection: 'column', gap: 1.25 }}>
      <TextField
        label={t('code')}
        value={code}
        error={failure !== undefined}
        helperText={failure}
        onChange={(event) => {
          setCode(event.target.value);
          setFailure(undefined);
        }}
        slotProps={{ htmlInput: { maxLength: 64, autoComplete: 'off', spellCheck: false }, formHelperText: { role: 'alert' } }}
      />
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
        <Button type="submit" variant="contained" loading={isLoading}>
          {t('redeem')}
        </Button>
        <Button
          color="inherit"
          onClick={() => (link === '' ? toast('error', t('linkMissing')) : void window.open(link, '_blank', 'noopener'))}
        >
          {t('getCode')}
        </Button>
      </Box>
    </Box>
  );
}
