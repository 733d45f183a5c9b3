import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useRef, useState } from 'react';
import type { Question } from './confirm-dialog.tsx';

const ConfirmDialog = lazy(async () => ({ default: (await import('./confirm-dialog.tsx')).ConfirmDialog }));

type Ask = (question: Question) => Promise<boolean>;

const Context = createContext<Ask>(() => Promise.resolve(false));

/** Asks before something is done: `if (await confirm({ ... }))`. */
export function useConfirm(): Ask {
  return useContext(Context);
}

/** Holds the one confirmation dialog of the page. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<Question>();
  const answer = useRef<(yes: boolean) => void>(undefined);
  const ask = useCallback<Ask>((next) => {
    setQuestion(next);
    return new Promise((resolve) => {
      answer.current = resolve;
    });
  }, []);
  const close = (yes: boolean): void => {
    setQuestion(undefined);
    answer.current?.(yes);
  };
  return (
    <Context value={ask}>
      {children}
      {question && (
        <Suspense fallback={null}>
          <ConfirmDialog question={question} onAnswer={close} />
        </Suspense>
      )}
    </Context>
  );
}
