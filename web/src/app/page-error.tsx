import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate, useRouteError } from 'react-router';
import { PartMissing } from '../shared/parts.ts';
import { ErrorNotice } from '../shared/ui/error-notice.tsx';
import { PageFrame } from '../shared/ui/page-frame.tsx';

/** Stands where a page broke, or where its code could not be loaded; the shell around it goes on. */
export function PageError() {
  const { t } = useTranslation('shared');
  const error = useRouteError();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const isUpgraded = error instanceof PartMissing && error.isUpgraded;
  // A reload while the server is away would leave the browser's own error page; going there again only asks for what is missing.
  const retry = (): void => (isUpgraded ? location.reload() : void navigate(`${pathname}${search}`, { replace: true }));
  return (
    <PageFrame title={t('error.page')}>
      <ErrorNotice error={error} onRetry={retry} />
    </PageFrame>
  );
}
