import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '../ui/error-notice.tsx';
import { SideDrawer } from '../ui/side-drawer.tsx';
import { sentOnce } from './sent-once.ts';
import { useAskedLeave } from './unsaved.ts';

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
  useAskedLeave({ dirty: dirty && !submitting, onDiscard });

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
