import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { useTranslation } from 'react-i18next';
import { Card } from '../../shared/ui/card.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { CopyButton, copyText } from '../../shared/ui/copy.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useRenewAccessTokenMutation } from './api.ts';

/** The token by which programs use the console in one's name; each new one ends the last. */
export function TokenCard() {
  const { t } = useTranslation('account');
  const confirm = useConfirm();
  const [renew, { data: token, isLoading }] = useRenewAccessTokenMutation();
  const make = async (): Promise<void> => {
    if (!(await confirm({ title: t('token.title'), text: t('token.question'), action: t('token.make') }))) return;
    const { data, error } = await renew();
    if (error) return toast('error', messageOf(error));
    if (data && (await copyText(data))) toast('success', t('token.copied'));
  };
  return (
    <Card title={t('token.title')} lead={t('token.lead')}>
      {token && (
        <TextField
          label={t('token.once')}
          value={token}
          slotProps={{ input: { readOnly: true, endAdornment: <CopyButton text={token} label={t('token.copy')} /> } }}
        />
      )}
      <div>
        <Button variant="outlined" onClick={make} loading={isLoading}>
          {t('token.make')}
        </Button>
      </div>
    </Card>
  );
}
