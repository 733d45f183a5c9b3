import SearchRounded from '@mui/icons-material/SearchRounded';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { role } from '@tollgate/contracts/constants';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { languageOf } from '../shared/language.ts';
import { remembered } from '../shared/preferences.ts';
import { useSessionUser } from '../shared/session.ts';
import { lazyPart } from '../shared/ui/lazy-part.tsx';
import { loadTexts } from './i18n.ts';
import { pages } from './pages.ts';

const Palette = lazyPart(async () => {
  const [part] = await Promise.all([import('../features/palette/palette.tsx'), loadTexts('palette')]);
  return part.Palette;
});
const KeysDialog = lazyPart(async () => {
  const [part] = await Promise.all([import('../features/palette/keys-dialog.tsx'), loadTexts('palette')]);
  return part.KeysDialog;
});

/** The way to everything by a few keys: Ctrl+K finds pages and things, `/` goes to the list's search, `?` says which keys there are. */
export function Shortcuts() {
  const { t, i18n } = useTranslation('app');
  const [open, setOpen] = useState<'palette' | 'keys'>();
  const rank = useSessionUser()?.role ?? role.guest;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const deed = deedOf(event);
      if (!deed) return;
      event.preventDefault();
      const field = deed === 'search' ? document.querySelector<HTMLInputElement>('[role="search"] input') : null;
      if (field) field.focus();
      else setOpen(deed === 'keys' ? 'keys' : 'palette');
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const language = languageOf(i18n.language);
  const entries = pages
    .filter(({ group, rank: least }) => group !== undefined && rank >= least)
    .map(({ path, title }) => ({ path: `/${path}`, title: title[language] }));
  const close = (): void => setOpen(undefined);
  return (
    <>
      <Tooltip title={t('find')}>
        <IconButton aria-label={t('find')} aria-haspopup="dialog" aria-keyshortcuts="Control+K Meta+K" onClick={() => setOpen('palette')}>
          <SearchRounded fontSize="small" />
        </IconButton>
      </Tooltip>
      {open === 'palette' && <Palette entries={entries} onClose={close} />}
      {open === 'keys' && <KeysDialog onClose={close} />}
    </>
  );
}

/** What a key asks for. A single one means nothing while something is typed, or over a dialog, or where they are switched off. */
function deedOf(event: KeyboardEvent): 'palette' | 'search' | 'keys' | undefined {
  if (event.defaultPrevented || event.isComposing) return undefined;
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') return 'palette';
  if (event.ctrlKey || event.metaKey || event.altKey || remembered('single-keys') === 'off') return undefined;
  const isTyping =
    event.target instanceof HTMLElement &&
    event.target.closest('input, textarea, select, [contenteditable], [role="dialog"], [role="menu"]');
  if (isTyping) return undefined;
  if (event.key === '/') return 'search';
  return event.key === '?' ? 'keys' : undefined;
}
