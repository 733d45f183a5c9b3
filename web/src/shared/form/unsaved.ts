import { useCallback, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type BlockerFunction, useBlocker } from 'react-router';
import { useConfirm } from '../ui/confirm.tsx';

interface Guard {
  dirty: boolean;
  /** Whether what was typed outlives this step. */
  keeps?: BlockerFunction | undefined;
  /** What was typed is thrown away: nobody needs to keep it. */
  onDiscard?: (() => void) | undefined;
}

/** What stands open with fields in it, one over the other: a dialog, a drawer, a page. */
const guards = new Set<{ readonly current: Guard }>();

/** Asks whether what was typed may be thrown away. */
function useDiscardQuestion(): () => Promise<boolean> {
  const { t } = useTranslation('shared');
  const confirm = useConfirm();
  return useCallback(
    () => confirm({ title: t('drawer.leaveTitle'), text: t('drawer.leaveText'), action: t('drawer.discard'), dangerous: true }),
    [confirm, t],
  );
}

/** Asks, where something was typed, whether its person may leave; for ways out that are no other address. */
export function useMayLeave(): () => Promise<boolean> {
  const ask = useDiscardQuestion();
  return async () => ![...guards].some(({ current }) => current.dirty) || ask();
}

/** Asks, once for all that stands open, before another address takes the place of what was typed. The shell has it: the router knows one at a time. */
export function useLeaveQuestion(): void {
  const ask = useDiscardQuestion();
  const blocker = useBlocker((step) => [...guards].some(({ current: { dirty, keeps } }) => dirty && !keeps?.(step)));
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    ask().then((leave) => {
      if (!leave) return blocker.reset();
      for (const { current } of guards) if (current.dirty) current.onDiscard?.();
      blocker.proceed();
    });
  }, [blocker, ask]);
}

/** How a dialog is left by Escape, a click beside it or Cancel: after a question, where something was typed. So is the page below it. */
export function useAskedClose(dirty: boolean, onClose: () => void): () => Promise<void> {
  const ask = useDiscardQuestion();
  // One that stands over every page would outlive the step.
  useAskedLeave({ dirty, onDiscard: onClose });
  return async () => {
    if (!dirty || (await ask())) onClose();
  };
}

/** Has the shell ask before another address takes the place of what was typed, and the browser before the page is closed. */
export function useAskedLeave(guard: Guard): void {
  const own = useRef(guard);
  own.current = guard;
  useEffect(() => {
    guards.add(own);
    return () => void guards.delete(own);
  }, []);
  useEffect(() => {
    if (!guard.dirty) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [guard.dirty]);
}
