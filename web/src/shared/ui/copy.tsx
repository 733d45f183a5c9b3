import CheckRounded from '@mui/icons-material/CheckRounded';
import ContentCopyRounded from '@mui/icons-material/ContentCopyRounded';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyByHand } from './copy-by-hand.tsx';

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
  const { t } = useTranslation('shared');
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Tooltip placement="right" disableInteractive title={copied ? t('copy.done') : label}>
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
