import { type ComponentType, createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { loadPart } from '../parts.ts';
import type { ConfirmDialogProps, Question } from './confirm-dialog.tsx';

type Ask = (question: Question) => Promise<boolean>;

const Context = createContext<Ask>(() => Promise.resolve(false));

/** Asks before something is done: `if (await confirm({ ... }))`. */
export function useConfirm(): Ask {
  return useContext(Context);
}

/** Holds the one confirmation dialog of the page. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<{ question: Question; Dialog: ComponentType<ConfirmDialogProps> }>();
  const answer = useRef<(yes: boolean) => void>(undefined);
  const ask = useCallback<Ask>(async (question) => {
    const Dialog = await loadPart(async () => (await import('./confirm-dialog.tsx')).ConfirmDialog).catch(() => undefined);
    // The question must be asked also where our dialog cannot be loaded.
    if (!Dialog) return askNatively(question);
    answer.current?.(false);
    setAsked({ question, Dialog });
    return new Promise((resolve) => {
      answer.current = resolve;
    });
  }, []);
  const close = (yes: boolean): void => {
    setAsked(undefined);
    answer.current?.(yes);
    answer.current = undefined;
  };
  return (
    <Context value={ask}>
      {children}
      {asked && <asked.Dialog question={asked.question} onAnswer={close} />}
    </Context>
  );
}

function askNatively({ title, text = '', typed }: Question): boolean {
  const words = `${title}\n\n${text}`.trim();
  return typed === undefined ? window.confirm(words) : window.prompt(`${words}\n\n${typed}`) === typed;
}
