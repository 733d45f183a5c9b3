import CloseRounded from '@mui/icons-material/CloseRounded';
import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';

type Severity = 'success' | 'info' | 'warning' | 'error';

interface Toast {
  id: number;
  severity: Severity;
  text: string;
  action?: { label: string; run: () => void };
}

/** How long a toast stays, in ms; an error stays until it is closed. */
const stay: Record<Severity, number | undefined> = { success: 3000, info: 5000, warning: 8000, error: undefined };
const mostAtOnce = 3;

let toasts: Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Says something in passing. The same words are not said twice at once; `undo` offers an action beside them. */
export function toast(severity: Severity, text: string, action?: Toast['action']): void {
  lastId += 1;
  const others = toasts.filter((shown) => shown.text !== text);
  change([...others.slice(1 - mostAtOnce), { id: lastId, severity, text, ...(action ? { action } : {}) }]);
}

function dismiss(id: number): void {
  change(toasts.filter((shown) => shown.id !== id));
}

const Region = styled('div')(({ theme }) => ({
  position: 'fixed',
  right: 16,
  bottom: 16,
  left: 16,
  zIndex: theme.zIndex.snackbar,
  display: 'flex',
  flexDirection: 'column',
  alignItems: 'flex-end',
  gap: 8,
  pointerEvents: 'none',
}));

/** Where toasts appear; one for the page. */
export function ToastRegion() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  const polite = shown.filter((item) => item.severity !== 'error');
  const errors = shown.filter((item) => item.severity === 'error');
  return (
    <Region>
      <div role="status" aria-live="polite">
        {polite.map((item) => (
          <ToastItem key={item.id} toast={item} />
        ))}
      </div>
      <div role="alert">
        {errors.map((item) => (
          <ToastItem key={item.id} toast={item} />
        ))}
      </div>
    </Region>
  );
}

function ToastItem({ toast: { id, severity, text, action } }: { toast: Toast }) {
  const { t } = useTranslation('shared');
  const [paused, setPaused] = useState(false);
  const left = useRef(stay[severity]);
  useEffect(() => {
    if (paused || left.current === undefined) return;
    const began = Date.now();
    const timer = setTimeout(() => dismiss(id), left.current);
    return () => {
      clearTimeout(timer);
      left.current = Math.max(800, (left.current ?? 0) - (Date.now() - began));
    };
  }, [id, paused]);
  return (
    <Alert
      role="presentation"
      variant="outlined"
      severity={severity}
      onMouseEnter={() => setPaused(true)}
      onMouseLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
      sx={{
        pointerEvents: 'auto',
        mt: 1,
        maxWidth: 480,
        bgcolor: 'background.paper',
        color: 'text.primary',
        boxShadow: 3,
        overflowWrap: 'anywhere',
      }}
      action={
        <>
          {action && (
            <Button
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton aria-label={t('close')} onClick={() => dismiss(id)}>
            <CloseRounded fontSize="inherit" />
          </IconButton>
        </>
      }
    >
      {text}
    </Alert>
  );
}
