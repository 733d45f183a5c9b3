import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Portal from '@mui/material/Portal';
import { Component, type ComponentType, type ReactNode, Suspense, startTransition, use, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { loadPart, PartMissing } from '../parts.ts';
import { messageOf } from './error-notice.tsx';

interface Closable {
  onClose?: () => void;
}

type Outcome<Props> = { Part: ComponentType<Props> } | { error: unknown };

/**
 * A component whose code comes when it is first shown. When it does not come, or breaks, only the part is missing: a notice says so
 * and offers to try again; the page around it, and what was typed there, stays. Nothing stands there until the code has come, or
 * with `suspends` what the `Suspense` around it shows.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { suspends = false } = {},
): (props: Props & Closable) => ReactNode {
  let coming: Promise<Outcome<Props>> | undefined;
  const come = (): Promise<Outcome<Props>> => {
    coming ??= loadPart(load).then(
      (Part) => ({ Part }),
      (error: unknown) => ({ error }),
    );
    return coming;
  };
  const forget = (failed: Promise<Outcome<Props>>): void => {
    if (coming === failed) coming = undefined;
  };
  return (props) => {
    const part = <Arrived come={come} forget={forget} props={props} />;
    return suspends ? part : <Suspense fallback={null}>{part}</Suspense>;
  };
}

interface ArrivedProps<Props> {
  come: () => Promise<Outcome<Props>>;
  forget: (failed: Promise<Outcome<Props>>) => void;
  props: Props & Closable;
}

function Arrived<Props extends object>({ come, forget, props }: ArrivedProps<Props>) {
  const [, render] = useState({});
  const coming = come();
  const outcome = use(coming);
  const hasFailed = 'error' in outcome;
  // Opened another time, a part that did not come is asked for anew.
  useEffect(() => (hasFailed ? () => forget(coming) : undefined), [hasFailed, forget, coming]);
  const retry = (): void => {
    forget(coming);
    startTransition(() => render({}));
  };
  if ('error' in outcome) return <PartNotice error={outcome.error} onRetry={retry} onClose={props.onClose} />;
  return (
    <PartBoundary onClose={props.onClose}>
      <outcome.Part {...props} />
    </PartBoundary>
  );
}

/** Keeps a part that breaks from taking the page with it. */
class PartBoundary extends Component<{ children: ReactNode; onClose: (() => void) | undefined }, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <PartNotice error={error} onRetry={() => this.setState({ error: undefined })} onClose={this.props.onClose} />;
  }
}

/** Says, at the foot of the window, that a part is missing. */
export function PartNotice({ error, onRetry, onClose }: { error: unknown; onRetry: () => void; onClose: (() => void) | undefined }) {
  const { t } = useTranslation('shared');
  const isUpgraded = error instanceof PartMissing && error.isUpgraded;
  return (
    <Portal>
      <Alert
        severity={isUpgraded ? 'info' : 'error'}
        onClose={onClose}
        slotProps={{ closeButton: { 'aria-label': t('close') } }}
        closeText={t('close')}
        sx={{
          position: 'fixed',
          bottom: 16,
          left: 16,
          right: 16,
          mx: 'auto',
          maxWidth: 560,
          zIndex: 'snackbar',
          bgcolor: 'background.paper',
          boxShadow: 6,
        }}
      >
        {messageOf(error)}
        <span>
          {!isUpgraded && <Button onClick={onRetry}>{t('retry')}</Button>}
          <Button onClick={() => location.reload()}>{t('reload')}</Button>
        </span>
      </Alert>
    </Portal>
  );
}
