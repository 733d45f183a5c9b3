import { useTranslation } from 'react-i18next';
import { FormDrawer } from './form-drawer.tsx';

/** The drawer of something that could not be read: its title, why, and the way out. */
export function FailedDrawer({ title, error, width, onClose }: { title: string; error: unknown; width?: number; onClose: () => void }) {
  const { t } = useTranslation('shared');
  return (
    <FormDrawer
      title={title}
      width={width}
      onClose={onClose}
      onSubmit={(event) => event.preventDefault()}
      submitLabel={t('save')}
      dirty={false}
      submitting={false}
      error={error}
    >
      {null}
    </FormDrawer>
  );
}
