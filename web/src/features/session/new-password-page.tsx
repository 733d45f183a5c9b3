import Alert from '@mui/material/Alert';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { CopyButton, copyText } from '../../shared/ui/copy.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { DoorForm, ToLogin } from './door-form.tsx';
import { DoorPage } from './door-page.tsx';
import { useResetPasswordMutation } from './ways-api.ts';

/** Where a mailed link leads. The password changes on a click, not on a visit: programs that look into mails open links, too. */
export function NewPasswordPage() {
  const { t } = useTranslation(['door', 'session']);
  const [params] = useSearchParams();
  const [email, token] = [params.get('email') ?? '', params.get('token') ?? ''];
  const [reset, { isLoading, error, data: password }] = useResetPasswordMutation();
  const isBroken = email === '' || token === '';
  const confirm = async (): Promise<void> => {
    const { data } = await reset({ email, token });
    if (data && (await copyText(data))) toast('success', t('newPassword.copied'));
  };
  return (
    <DoorPage title={t('newPassword.title')} lead={email}>
      {isBroken && <Alert severity="error">{t('newPassword.broken')}</Alert>}
      {password && (
        <Alert severity="success" icon={false} action={<CopyButton text={password} label={t('newPassword.copy')} />}>
          {t('newPassword.is')}
          <Typography component="p" sx={{ fontFamily: 'monospace', fontSize: 18, overflowWrap: 'anywhere' }}>
            {password}
          </Typography>
        </Alert>
      )}
      {!isBroken && !password && <DoorForm error={error} action={t('newPassword.confirm')} isLoading={isLoading} onSubmit={confirm} />}
      <ToLogin />
    </DoorPage>
  );
}
