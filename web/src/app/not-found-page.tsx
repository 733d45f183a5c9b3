import SignpostOutlined from '@mui/icons-material/SignpostOutlined';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useSessionUser } from '../shared/session.ts';
import { EmptyState } from '../shared/ui/empty-state.tsx';
import { PageFrame } from '../shared/ui/page-frame.tsx';

export function NotFoundPage() {
  const { t } = useTranslation('app');
  const user = useSessionUser();
  return (
    <PageFrame title={t('notFound.title')}>
      <EmptyState
        icon={<SignpostOutlined />}
        title={t('notFound.text')}
        action={
          <Button component={Link} to={user ? '/token' : '/'} variant="outlined">
            {t(user ? 'notFound.back' : 'notFound.home')}
          </Button>
        }
      />
    </PageFrame>
  );
}
