import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import type { LoginAnswer } from '@tollgate/contracts/api/user';
import { Suspense, useCallback, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useNavigate, useParams, useSearchParams } from 'react-router';
import { remember } from '../../shared/preferences.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useComeIn } from './come-in.ts';
import { DoorPage } from './door-page.tsx';
import { inviterKey } from './inviter.ts';
import { useFinishAtProviderMutation } from './ways-api.ts';

const SecondStepPage = lazyPart(async () => (await import('./second-step-page.tsx')).SecondStepPage);
const providers = ['github', 'linuxdo', 'oidc'] as const;

/** Where a provider leads back to: the code is exchanged, once, and whoever it stands for is in, or bound. */
export function OAuthPage() {
  return (
    <Suspense fallback={null}>
      <WayBack />
    </Suspense>
  );
}

function WayBack() {
  const { t } = useTranslation('door');
  const { provider: named } = useParams();
  const provider = providers.find((each) => each === named);
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const [finish] = useFinishAtProviderMutation();
  const { needsSecondStep, completeOauth } = useComeIn();
  const enter = useCallback(
    (answer: LoginAnswer): void => {
      completeOauth(answer);
      if (!('require_2fa' in answer)) void navigate('/token', { replace: true });
    },
    [completeOauth, navigate],
  );
  const hasAsked = useRef(false);
  const query = params.toString();
  useEffect(() => {
    // A state is good once: React may run an effect twice.
    if (!provider || hasAsked.current) return;
    hasAsked.current = true;
    void (async () => {
      const { data, error: failure } = await finish({ provider, query: Object.fromEntries(new URLSearchParams(query)) });
      if (failure) {
        toast('error', `${t('oauth.failed')} ${messageOf(failure)}`);
        return void navigate('/setting', { replace: true });
      }
      remember(inviterKey, undefined);
      if (data) return enter(data);
      toast('success', t('oauth.bound'));
      void navigate('/setting', { replace: true });
    })();
  }, [provider, query, finish, enter, navigate, t]);

  if (!provider) return <Navigate to="/login" replace />;
  if (needsSecondStep) return <SecondStepPage onDone={enter} onBack={() => void navigate('/login')} />;
  return <Waiting />;
}

function Waiting() {
  const { t } = useTranslation('door');
  return (
    <DoorPage title={t('oauth.title')} lead="">
      <LinearProgress aria-label={t('oauth.title')} />
      <Typography variant="body2" color="textSecondary" role="status" sx={{ mt: 2 }}>
        {t('oauth.working')}
      </Typography>
    </DoorPage>
  );
}
