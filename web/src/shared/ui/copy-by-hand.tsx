import { useSyncExternalStore } from 'react';
import { lazyPart } from './lazy-part.tsx';

const CopyDialog = lazyPart(async () => (await import('./copy-dialog.tsx')).CopyDialog);

interface Offer {
  text: string;
  end: (copied: boolean) => void;
}

let offer: Offer | undefined;
const listeners = new Set<() => void>();

function show(next: Offer | undefined): void {
  offer = next;
  for (const listener of listeners) listener();
}

/** Shows a text to be copied by hand; true when it was. */
export function copyByHand(text: string): Promise<boolean> {
  offer?.end(false);
  return new Promise((resolve) => {
    const end = (copied: boolean): void => {
      show(undefined);
      resolve(copied);
    };
    show({ text, end });
  });
}

/** Where the dialog for copying by hand appears; one for the page. */
export function CopyByHand() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => offer,
  );
  return shown ? <CopyDialog text={shown.text} onCopied={() => shown.end(true)} onClose={() => shown.end(false)} /> : null;
}
