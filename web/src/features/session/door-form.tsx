import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { messageOf } from '../../shared/ui/error-notice.tsx';

interface DoorFormProps {
  /** Of the last try: why it did not succeed. */
  error: unknown;
  /** What stands on the button. */
  action: string;
  isLoading: boolean;
  disabled?: boolean;
  onSubmit: () => unknown;
  /** What went well, above the fields. */
  notice?: ReactNode;
  children?: ReactNode;
}

/** The one form of a page before the door: why the last try failed, the fields, and the button that sends them. */
export function DoorForm({ error, action, isLoading, disabled = false, onSubmit, notice, children }: DoorFormProps) {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <>
      {error !== undefined && (
        <Alert severity="error" sx={{ mb: 2 }}>
          {messageOf(error)}
        </Alert>
      )}
      {notice}
      <Box component="form" noValidate onSubmit={submit} sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        {children}
        <Button type="submit" variant="contained" size="large" disabled={disabled} loading={isLoading} sx={{ minHeight: 42, fontSize: 14 }}>
          {action}
        </Button>
      </Box>
    </>
  );
}

/** The way back, under the form. */
export function ToLogin() {
  const { t } = useTranslation('session');
  return (
    <Button component={Link} to="/login" sx={{ mt: 2 }}>
      {t('toLogin')}
    </Button>
  );
}
