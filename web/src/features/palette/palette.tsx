import Box from '@mui/material/Box';
import Dialog from '@mui/material/Dialog';
import { styled, useColorScheme } from '@mui/material/styles';
import { role } from '@tollgate/contracts/constants';
import { Command } from 'cmdk';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { languageOf } from '../../shared/language.ts';
import { useHasRole } from '../../shared/session.ts';
import { useListUsableModelsQuery } from '../../shared/site.ts';
import { useFindChannelsQuery, useFindTokensQuery, useFindUsersQuery } from './api.ts';

/** A page that one may go to. */
export interface PaletteEntry {
  path: string;
  title: string;
}

const pauseMs = 200;
const mostModels = 6;
const mostRequests = 3;
/** Request ids, also within a pasted error message. */
const requestIds = /\b\d{14}[0-9a-f]{20}(?:-\d{1,9})?\b/g;

const Menu = styled(Command)(({ theme }) => ({
  display: 'flex',
  flexDirection: 'column',
  minHeight: 0,
  '& [cmdk-input]': {
    flex: 'none',
    height: 48,
    paddingInline: 16,
    border: 0,
    borderBottom: `1px solid ${theme.vars?.palette.divider}`,
    outline: 'none',
    background: 'transparent',
    color: theme.vars?.palette.text.primary,
    font: 'inherit',
    fontSize: 15,
  },
  '& [cmdk-input]::placeholder': { color: theme.vars?.palette.text.secondary, opacity: 1 },
  '& [cmdk-list]': { maxHeight: 380, overflow: 'auto', padding: 6 },
  '& [cmdk-group-heading]': { fontSize: 12, fontWeight: 550, color: theme.vars?.palette.text.secondary, padding: '8px 10px 4px' },
  '& [cmdk-item]': {
    display: 'flex',
    gap: 8,
    alignItems: 'baseline',
    padding: '8px 10px',
    borderRadius: 6,
    fontSize: 13.5,
    cursor: 'pointer',
    overflowWrap: 'anywhere',
  },
  '& [cmdk-item][data-selected="true"]': { background: theme.vars?.palette.action.selected },
  '& [cmdk-empty]': { padding: 24, textAlign: 'center', fontSize: 13, color: theme.vars?.palette.text.secondary },
  '@media (pointer: coarse)': { '& [cmdk-item]': { minHeight: 44, alignItems: 'center' } },
}));

/** Finds a page, a thing by its name or id, or a deed, and goes there: all by the keyboard. */
export function Palette({ entries, onClose }: { entries: PaletteEntry[]; onClose: () => void }) {
  const { t, i18n } = useTranslation('palette');
  const navigate = useNavigate();
  const { setMode } = useColorScheme();
  const [text, setText] = useState('');
  const wanted = useSettled(text.trim());
  const input = useRef<HTMLInputElement>(null);
  useKeptFocus(input);
  const isAdmin = useHasRole(role.admin);
  const { currentData: tokens } = useFindTokensQuery(wanted, { skip: wanted === '' });
  const { currentData: channels } = useFindChannelsQuery(wanted, { skip: wanted === '' || !isAdmin });
  const { currentData: users } = useFindUsersQuery(wanted, { skip: wanted === '' || !isAdmin });
  const { data: models = [] } = useListUsableModelsQuery();
  const close = (deed: () => unknown) => (): void => {
    onClose();
    deed();
  };
  const go = (path: string) => close(() => navigate(path));
  const part = text.trim().toLowerCase();
  const has = (title: string): boolean => part === '' || title.toLowerCase().includes(part);
  const found = entries.filter(({ title, path }) => has(title) || has(path));
  const named = part === '' ? [] : models.filter(has).slice(0, mostModels);
  const requests = [...new Set(text.match(requestIds))].slice(0, mostRequests);
  const otherLanguage = languageOf(i18n.language) === 'zh' ? 'en' : 'zh';
  const deeds = [
    { name: t('newToken'), run: go('/token/add') },
    ...(isAdmin ? [{ name: t('newChannel'), run: go('/channel/add') }] : []),
    ...(['light', 'dark', 'system'] as const).map((mode) => ({ name: t(`theme.${mode}`), run: close(() => setMode(mode)) })),
    { name: t('otherLanguage'), run: close(() => i18n.changeLanguage(otherLanguage)) },
  ].filter(({ name }) => has(name));

  return (
    <Dialog
      open
      onClose={onClose}
      fullWidth
      maxWidth="sm"
      transitionDuration={80}
      sx={{ '& .MuiDialog-container': { alignItems: 'flex-start' } }}
      slotProps={{
        paper: { 'aria-label': t('title'), sx: { mt: { xs: 2, sm: '12vh' }, mx: { xs: 1.5 }, width: { xs: 'calc(100% - 24px)' } } },
      }}
    >
      <Menu label={t('title')} shouldFilter={false} loop>
        <Command.Input ref={input} autoFocus value={text} onValueChange={setText} placeholder={t('hint')} />
        <Command.List label={t('found')}>
          <Command.Empty>{t('nothing')}</Command.Empty>
          <Found heading={t('pages')} items={found.map(({ path, title }) => ({ id: path, name: title, run: go(path) }))} />
          <Found
            heading={t('logs')}
            items={requests.map((id) => ({ id: `request-${id}`, name: t('request', { id }), run: go(`/log?request=${id}`) }))}
          />
          <Found
            heading={t('tokens')}
            items={tokens?.items.map(({ id, name }) => ({ id: `token-${id}`, name: name || `#${id}`, run: go(`/token/edit/${id}`) }))}
          />
          <Found
            heading={t('channels')}
            items={channels?.items.map(({ id, name }) => ({ id: `channel-${id}`, name, note: `#${id}`, run: go(`/channel/edit/${id}`) }))}
          />
          <Found
            heading={t('users')}
            items={users?.items.map(({ id, username, email }) => ({
              id: `user-${id}`,
              name: username,
              note: email || `#${id}`,
              run: go(`/user/edit/${id}`),
            }))}
          />
          <Found
            heading={t('models')}
            items={named.map((name) => ({ id: `model-${name}`, name, run: go(`/pricing?keyword=${encodeURIComponent(name)}`) }))}
          />
          <Found heading={t('deeds')} items={deeds.map(({ name, run }) => ({ id: name, name, run }))} />
        </Command.List>
      </Menu>
    </Dialog>
  );
}

interface Item {
  id: string;
  name: string;
  note?: string;
  run: () => void;
}

function Found({ heading, items = [] }: { heading: string; items?: Item[] | undefined }): ReactNode {
  if (items.length === 0) return null;
  return (
    <Command.Group heading={heading}>
      {items.map(({ id, name, note, run }) => (
        <Command.Item key={id} value={id} onSelect={run}>
          <span>{name}</span>
          {note && (
            <Box component="span" sx={{ flex: 'none', maxWidth: '50%', color: 'text.secondary', fontSize: 12 }}>
              {note}
            </Box>
          )}
        </Command.Item>
      ))}
    </Command.Group>
  );
}

/** Everything here is done from the field: a drawer that is still closing under the palette must not take the keys for its opener. */
function useKeptFocus(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const takeBack = (): void => field.current?.focus();
    document.addEventListener('focusin', takeBack);
    return () => document.removeEventListener('focusin', takeBack);
  }, [field]);
}

/** A text once it has not changed for a moment: the server is not asked at each key. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
