export type Severity = 'success' | 'info' | 'warning' | 'error';

export interface ToastAction {
  label: string;
  run: () => void;
}

export interface Toast {
  severity: Severity;
  text: string;
  action?: ToastAction | undefined;
}

let show: ((toast: Toast) => void) | undefined;
let waiting: Toast[] = [];

/** Says something in passing. The same words are not said twice at once; `action` offers a deed beside them, such as undo. */
export function toast(severity: Severity, text: string, action?: ToastAction): void {
  if (show) show({ severity, text, action });
  else waiting.push({ severity, text, action });
}

/** Takes what is to be said from now on, and what was said before anybody listened. */
export function takeToasts(listener: (toast: Toast) => void): () => void {
  show = listener;
  for (const early of waiting) listener(early);
  waiting = [];
  return () => {
    show = undefined;
  };
}
