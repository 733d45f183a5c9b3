import type { LoginAnswer } from '@tollgate/contracts/api/user';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDispatch } from 'react-redux';
import { sessionStarted } from '../../shared/session.ts';
import { toast } from '../../shared/ui/toasts.ts';

/** What follows an answer to a sign-in: the session begins, or the second step is asked for. */
export function useComeIn(): { needsSecondStep: boolean; completeOauth: (answer: LoginAnswer) => void; begin: () => void } {
  const { t } = useTranslation('session');
  const dispatch = useDispatch();
  const [needsSecondStep, setNeeds] = useState(false);
  const completeOauth = useCallback(
    (answer: LoginAnswer): void => {
      if ('require_2fa' in answer) return void setNeeds(true);
      dispatch(sessionStarted({ ...answer, factoryPassword: answer.factory_password, temporaryPassword: answer.temporary_password }));
      if (!answer.factory_password) toast('success', t('signedIn'));
    },
    [dispatch, t],
  );
  return { needsSecondStep, completeOauth, begin: () => setNeeds(false) };
}
