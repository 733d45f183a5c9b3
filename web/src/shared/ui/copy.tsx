import CheckRounded from '@mui/icons-material/CheckRounded';
import ContentCopyRounded from '@mui/icons-material/ContentCopyRounded';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import i18next from 'i18next';
import { useEffect, useState } from 'react';
import { toast } from './toasts.ts';

/** Puts a text on the clipboard; where the page may not, it says so and shows the text in a prompt to copy by hand. */
export async function copyText(text: string): Promise<boolean> {
  const t = i18next.getFixedT(null, 'shared');
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (copyBySelection(text)) return true;
    toast('error', t('copy.failed', { text }));
    return false;
  }
}

/** The older way, which also works on pages that came over plain http. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
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
    <Tooltip placement="right" disableInteractive title={copied ? i18next.getFixedT(null, 'shared')('copy.done') : label}>
      <IconButton
        aria-label={label}
        onClick={async (event) => {
          event.stopPropagation();
          setCopied(await copyText(text));
        }}
      >
        {copied ? <CheckRounded color="success" fontSize="inherit" /> : <ContentCopyRounded fontSize="inherit" />}
      </IconButton>
    </Tooltip>
  );
}
