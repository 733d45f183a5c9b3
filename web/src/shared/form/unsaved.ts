import { useCallback, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type BlockerFunction, useBlocker } from 'react-router';
import { useConfirm } from '../ui/confirm.tsx';

/** Asks whether what was typed may be thrown away. */
function useDiscardQuestion(): () => Promise<boolean> {
  const { t } = useTranslation('shared');
  const confirm = useConfirm();
  return useCallback(
    () => confirm({ title: t('drawer.leaveTitle'), text: t('drawer.leaveText'), action: t('drawer.discard'), dangerous: true }),
    [confirm, t],
  );
}

/** How a dialog is left by Escape, a click beside it or Cancel: after a question, where something was typed. */
export function useAskedClose(dirty: boolean, onClose: () => void): () => Promise<void> {
  const ask = useDiscardQuestion();
  useUnloadWarning(dirty);
  return async () => {
    if (!dirty || (await ask())) onClose();
  };
}

interface PageGuard {
  dirty: boolean;
  /** Whether what was typed outlives this step. */
  keeps?: BlockerFunction;
  /** What was typed is thrown away: nobody needs to keep it. */
  onDiscard?: (() => void) | undefined;
}

/** Asks before another address takes the place of what was typed. A page may have one of these: the router knows one at a time. */
export function useAskedLeave({ dirty, keeps = () => false, onDiscard }: PageGuard): void {
  const ask = useDiscardQuestion();
  const guarded = useRef(false);
  guarded.current = dirty;
  const blocker = useBlocker((step) => guarded.current && !keeps(step));
  useUnloadWarning(dirty);
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    ask().then((leave) => {
      if (!leave) return blocker.reset();
      onDiscard?.();
      blocker.proceed();
    });
  }, [blocker, ask, onDiscard]);
}

function useUnloadWarning(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [dirty]);
}
