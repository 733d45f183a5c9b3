import { useTranslation } from 'react-i18next';
import { useRouteError } from 'react-router';
import { ErrorNotice } from '../shared/ui/error-notice.tsx';
import { PageFrame } from '../shared/ui/page-frame.tsx';

/** Stands where a page broke, or where its code could not be loaded; the shell around it goes on. */
export function PageError() {
  const { t } = useTranslation('shared');
  const error = useRouteError();
  return (
    <PageFrame title={t('error.page')}>
      <ErrorNotice error={error} onRetry={() => location.reload()} />
    </PageFrame>
  );
}
