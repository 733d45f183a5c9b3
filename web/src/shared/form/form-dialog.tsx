import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { type FormEvent, type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '../ui/error-notice.tsx';
import { sentOnce } from './sent-once.ts';
import { useAskedClose } from './unsaved.ts';

interface FormDialogProps {
  title: string;
  /** What the button says that sends it: the deed. */
  submit: string;
  onSubmit: (event: FormEvent) => unknown;
  onClose: () => void;
  /** Something was typed that is not lost without a question. */
  dirty: boolean;
  isBusy?: boolean;
  /** Why the server refused it. */
  error?: unknown;
  width?: 'xs' | 'sm';
  children: ReactNode;
}

/** A few fields over the page, with what sends them and what gives them up. */
export function FormDialog({ title, submit, onSubmit, onClose, dirty, isBusy = false, error, width = 'xs', children }: FormDialogProps) {
  const { t } = useTranslation('shared');
  const titleId = useId();
  const close = useAskedClose(dirty && !isBusy, onClose);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    // Through the portal the form of the page that it stands in would be sent as well.
    event.stopPropagation();
    onSubmit(event);
  };
  return (
    <Dialog open onClose={close} maxWidth={width} fullWidth aria-labelledby={titleId} transitionDuration={80}>
      <form noValidate onSubmit={send} {...sentOnce(isBusy)}>
        <DialogTitle id={titleId}>{title}</DialogTitle>
        <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2, '&&': { pt: 1 } }}>
          {error !== undefined && <Alert severity="error">{messageOf(error)}</Alert>}
          {children}
        </DialogContent>
        <DialogActions sx={{ px: 3, pb: 2 }}>
          <Button color="inherit" onClick={close}>
            {t('cancel')}
          </Button>
          <Button type="submit" variant="contained" loading={isBusy}>
            {submit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
