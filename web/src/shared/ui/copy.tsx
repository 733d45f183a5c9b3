import i18next from 'i18next';
import { useEffect, useState } from 'react';
import { copyByHand } from './copy-by-hand.tsx';
import { hint } from './hint.tsx';
import { icons } from './icons.tsx';

/**
 * Puts a text on the clipboard; where the page may not, as on plain http, a dialog shows it to be copied by hand.
 * true once it is on the clipboard.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByHand(text);
  }
}

/** A button that copies and, for a moment, says that it did. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      data-done={copied || undefined}
      onClick={async (event) => {
        event.stopPropagation();
        setCopied(await copyText(text));
      }}
      {...hint(copied ? i18next.t('shared:copy.done') : label, 'right')}
    >
      {copied ? icons.done : icons.copy}
    </button>
  );
}
