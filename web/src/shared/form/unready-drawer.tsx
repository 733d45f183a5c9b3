import { useTranslation } from 'react-i18next';
import { WaitingDrawer } from '../ui/side-drawer.tsx';
import { FormDrawer } from './form-drawer.tsx';

/** The drawer of something that is not there yet, or could not be read: its title, why, and the way out. */
export function UnreadyDrawer({ title, error, width, onClose }: { title: string; error: unknown; width?: number; onClose: () => void }) {
  const { t } = useTranslation('shared');
  if (!error) return <WaitingDrawer title={title} width={width} onClose={onClose} />;
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
