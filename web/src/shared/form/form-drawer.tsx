import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useBlocker } from 'react-router';
import { useConfirm } from '../ui/confirm.tsx';
import { messageOf } from '../ui/error-notice.tsx';
import { SideDrawer } from '../ui/side-drawer.tsx';
import { sentOnce } from './sent-once.ts';

interface FormDrawerProps {
  title: string;
  /** Leaves the drawer, that is: changes the URL. */
  onClose: () => void;
  onSubmit: (event: React.FormEvent) => void;
  submitLabel: string;
  dirty: boolean;
  submitting: boolean;
  /** What was typed is thrown away: nobody needs to keep it. */
  onDiscard?: () => void;
  /** Why the server refused, when it did. */
  error?: unknown;
  width?: number | undefined;
  children: ReactNode;
}

/** A form beside the list that stays in sight. However one leaves it, what was typed is not lost without a question. */
export function FormDrawer({
  title,
  onClose,
  onSubmit,
  submitLabel,
  dirty,
  submitting,
  onDiscard,
  error,
  width,
  children,
}: FormDrawerProps) {
  const { t } = useTranslation('shared');
  const confirm = useConfirm();
  const guarded = useRef(false);
  guarded.current = dirty && !submitting;
  const blocker = useBlocker(() => guarded.current);

  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    confirm({ title: t('drawer.leaveTitle'), text: t('drawer.leaveText'), action: t('drawer.discard'), dangerous: true }).then((leave) => {
      if (!leave) return blocker.reset();
      onDiscard?.();
      blocker.proceed();
    });
  }, [blocker, confirm, t, onDiscard]);
  useEffect(() => {
    if (!dirty) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [dirty]);

  return (
    <SideDrawer title={title} width={width} onClose={onClose}>
      <Box
        component="form"
        noValidate
        onSubmit={onSubmit}
        {...sentOnce(submitting)}
        sx={{ display: 'flex', flexDirection: 'column', flex: 1, minHeight: 0 }}
      >
        <Box sx={{ flex: 1, overflow: 'auto', p: 2.5, display: 'flex', flexDirection: 'column', gap: 2 }}>
          {error !== undefined && error !== null && <Alert severity="error">{messageOf(error)}</Alert>}
          {children}
        </Box>
        <Box sx={{ display: 'flex', justifyContent: 'flex-end', gap: 1, px: 2.5, py: 1.5, borderTop: 1, borderColor: 'divider' }}>
          <Button color="inherit" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" variant="contained" loading={submitting}>
            {submitLabel}
          </Button>
        </Box>
      </Box>
    </SideDrawer>
  );
}
