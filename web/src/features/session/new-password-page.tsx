import Alert from '@mui/material/Alert';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { CopyButton, copyText } from '../../shared/ui/copy.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { DoorForm, ToLogin } from './door-form.tsx';
import { DoorPage } from './door-page.tsx';
import { Field } from './fields.tsx';
import { useResetPasswordMutation } from './ways-api.ts';

/** Where a mailed link leads. The password changes on a click, not on a visit: programs that look into mails open links, too. */
export function NewPasswordPage() {
  const { t } = useTranslation(['door', 'session']);
  const [params] = useSearchParams();
  const [email, token] = [params.get('email') ?? '', params.get('token') ?? ''];
  const [reset, { isLoading, error, data: password }] = useResetPasswordMutation();
  const isBroken = email === '' || token === '';
  const copy = async (text: string): Promise<void> => {
    if (await copyText(text)) toast('success', t('newPassword.copied'));
  };
  const confirm = async (): Promise<void> => {
    const { data } = await reset({ email, token });
    if (data) await copy(data);
  };
  return (
    <DoorPage title={t('newPassword.title')} lead="">
      {isBroken ? (
        <Alert severity="error">{t('newPassword.broken')}</Alert>
      ) : (
        <DoorForm
          error={error}
          action={t(password ? 'newPassword.complete' : 'newPassword.confirm')}
          isLoading={isLoading}
          disabled={password !== undefined}
          onSubmit={confirm}
        >
          <Field label={t('newPassword.email')} value={email} readOnly autoComplete="username" />
          {password && (
            <Field
              label={t('newPassword.is')}
              hint={t('newPassword.once')}
              value={password}
              readOnly
              inputProps={{ style: { fontFamily: 'ui-monospace, monospace' } }}
              onClick={() => void copy(password)}
              endAdornment={<CopyButton text={password} label={t('newPassword.copy')} />}
            />
          )}
        </DoorForm>
      )}
      <ToLogin />
    </DoorPage>
  );
}
