import Button from '@mui/material/Button';
import type { LoginView } from '@tollgate/contracts/api/user';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DoorForm } from './door-form.tsx';
import { DoorPage } from './door-page.tsx';
import { Field } from './fields.tsx';
import { useSecondStepMutation } from './ways-api.ts';

/** Asks for a code of the app after the first step of signing in. */
export function SecondStepPage({ onDone, onBack }: { onDone: (answer: LoginView) => void; onBack: () => void }) {
  const { t } = useTranslation('door');
  const [send, { isLoading, error }] = useSecondStepMutation();
  const [code, setCode] = useState('');
  const submit = async (): Promise<void> => {
    if (code.trim() === '') return;
    const { data } = await send(code.trim());
    if (data) onDone(data);
  };
  return (
    <DoorPage title={t('secondStep.title')} lead={t('secondStep.lead')}>
      <DoorForm error={error} action={t('secondStep.submit')} isLoading={isLoading} onSubmit={submit}>
        <Field
          autoFocus
          label={t('secondStep.code')}
          name="code"
          autoComplete="one-time-code"
          value={code}
          hint={t('secondStep.hint')}
          onChange={(event) => setCode(event.target.value)}
          inputProps={{ autoCapitalize: 'none', spellCheck: false }}
        />
      </DoorForm>
      <Button color="inherit" onClick={onBack} sx={{ mt: 2 }}>
        {t('secondStep.back')}
      </Button>
    </DoorPage>
  );
}
