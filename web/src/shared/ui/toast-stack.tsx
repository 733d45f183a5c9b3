import CloseRounded from '@mui/icons-material/CloseRounded';
import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import GlobalStyles from '@mui/material/GlobalStyles';
import IconButton from '@mui/material/IconButton';
import { type CustomContentProps, closeSnackbar, enqueueSnackbar, SnackbarProvider } from 'notistack';
import { forwardRef, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { type Severity, type Toast, type ToastAction, takeToasts } from './toasts.ts';

declare module 'notistack' {
  interface VariantOverrides {
    default: false;
    success: { deed?: ToastAction | undefined };
    info: { deed?: ToastAction | undefined };
    warning: { deed?: ToastAction | undefined };
    error: { deed?: ToastAction | undefined };
  }
}

/** How long a toast stays, in ms; an error stays until it is closed. A pointer on it stops the clock. */
const stay: Record<Severity, number | null> = { success: 3000, info: 5000, warning: 8000, error: null };
/** What can be taken back has to be read and reached first. */
const stayWithDeed = 10_000;

/** Toasts stand over the header, whose middle is empty: below, they would lie on the paging and on the buttons of rows. */
const places = { '.notistack-SnackbarContainer.toasts': { top: 4 } };

type CardProps = CustomContentProps & { deed?: ToastAction | undefined };

const ToastCard = forwardRef<HTMLDivElement, CardProps>(function ToastCard({ id, message, variant, deed, style, className }, ref) {
  const severity = variant as Severity;
  const { t } = useTranslation('shared');
  return (
    <Alert
      ref={ref}
      role={severity === 'error' ? 'alert' : 'status'}
      variant="outlined"
      severity={severity}
      style={style}
      {...(className ? { className } : {})}
      sx={{ maxWidth: 480, bgcolor: 'background.paper', color: 'text.primary', boxShadow: 3, overflowWrap: 'anywhere' }}
      action={
        <>
          {deed && (
            <Button
              onClick={() => {
                closeSnackbar(id);
                deed.run();
              }}
            >
              {deed.label}
            </Button>
          )}
          <IconButton aria-label={t('close')} onClick={() => closeSnackbar(id)}>
            <CloseRounded fontSize="inherit" />
          </IconButton>
        </>
      }
    >
      {message}
    </Alert>
  );
});

const cards = { success: ToastCard, info: ToastCard, warning: ToastCard, error: ToastCard };

/** Words that are just coming are not said twice; words that stand there already are said anew, for those may be about to leave. */
function speaker(): (toast: Toast) => void {
  const said = new Map<string, { key: number; isComing: boolean }>();
  let count = 0;
  return ({ severity, text, action }) => {
    const before = said.get(text);
    if (before?.isComing) return;
    if (before) closeSnackbar(before.key);
    const now = { key: ++count, isComing: true };
    const hasCome = () => {
      now.isComing = false;
    };
    said.set(text, now);
    enqueueSnackbar(text, {
      key: now.key,
      variant: severity,
      autoHideDuration: action && stay[severity] ? stayWithDeed : stay[severity],
      persist: severity === 'error',
      deed: action,
      onEntered: hasCome,
      onClose: hasCome,
      onExited: () => {
        if (said.get(text) === now) said.delete(text);
      },
    });
  };
}

export function ToastStack() {
  useEffect(() => takeToasts(speaker()), []);
  return (
    <>
      <GlobalStyles styles={places} />
      <SnackbarProvider
        maxSnack={3}
        dense
        anchorOrigin={{ vertical: 'top', horizontal: 'center' }}
        transitionDuration={120}
        classes={{ containerRoot: 'toasts' }}
        Components={cards}
      />
    </>
  );
}
