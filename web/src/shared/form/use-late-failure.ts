import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '../ui/error-notice.tsx';
import { toast } from '../ui/toasts.ts';

/** For a dialog that may be closed while it saves: says by a toast what then failed, which the dialog itself no longer can. */
export function useLateFailure(title: string): (error: unknown) => void {
  const { t } = useTranslation('shared');
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  return (error) => {
    if (!isOpen.current) toast('error', t('editor.failedLate', { title, reason: messageOf(error) }));
  };
}
