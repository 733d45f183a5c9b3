import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAskedClose } from '../../shared/form/unsaved.ts';
import { usePersistedState } from '../../shared/form/use-kept.ts';
import { namesIn } from '../../shared/format.ts';
import { toast } from '../../shared/ui/toasts.ts';

/** So many are shown; a search leads to the others. */
const mostShown = 200;

interface ModelsDialogProps {
  /** Names the list for what is kept of it. */
  record: string;
  chosen: string[];
  /** What may be chosen besides. */
  known: string[];
  onApply: (names: string[]) => void;
  onClose: () => void;
}

/** A long list of models: found by a search, chosen by boxes, pasted, and held against what was before it is taken over. */
export function ModelsDialog({ record, chosen, known, onApply, onClose }: ModelsDialogProps) {
  const { t } = useTranslation(['channels', 'shared']);
  const [picked, setPicked] = usePersistedState<readonly string[]>(record, chosen);
  const names = useMemo(() => new Set(picked), [picked]);
  const [search, setSearch] = useState('');
  const [pasted, setPasted] = usePersistedState(`${record}/pasted`, '');
  const all = useMemo(() => [...new Set([...chosen, ...names, ...known])], [chosen, names, known]);
  const found = all.filter((name) => name.toLowerCase().includes(search.trim().toLowerCase()));
  const added = [...names].filter((name) => !chosen.includes(name));
  const removed = chosen.filter((name) => !names.has(name));
  const close = useAskedClose(added.length > 0 || removed.length > 0 || pasted.trim() !== '', onClose);
  const set = (which: readonly string[], isIn: boolean): void =>
    setPicked((before) => {
      const next = new Set(before);
      for (const name of which) isIn ? next.add(name) : next.delete(name);
      return [...next];
    });
  return (
    <Dialog open onClose={close} maxWidth="sm" fullWidth aria-labelledby="models-title" transitionDuration={80}>
      <DialogTitle id="models-title">{t('modelsDialog.title')}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 1.5, '&&': { pt: 1 } }}>
        <TextField autoFocus label={t('modelsDialog.search')} value={search} onChange={(event) => setSearch(event.target.value)} />
        <Box sx={{ display: 'flex', gap: 0.5, flexWrap: 'wrap' }}>
          <Button onClick={() => set(found, true)}>{t('modelsDialog.takeFound', { count: found.length })}</Button>
          <Button color="inherit" onClick={() => set(found, false)}>
            {t('modelsDialog.dropFound')}
          </Button>
        </Box>
        <Box
          component="ul"
          aria-label={t('fields.models')}
          tabIndex={0}
          sx={{
            m: 0,
            p: 1,
            listStyle: 'none',
            height: 260,
            overflow: 'auto',
            border: 1,
            borderColor: 'divider',
            borderRadius: 1,
            fontSize: 13,
            accentColor: 'var(--tg-palette-primary-main)',
          }}
        >
          {found.slice(0, mostShown).map((name) => (
            <li key={name} style={{ contentVisibility: 'auto', containIntrinsicSize: 'auto 26px' }}>
              <Box
                component="label"
                sx={{ display: 'flex', gap: 1, alignItems: 'center', minHeight: 26, py: '3px', lineHeight: 1.3, overflowWrap: 'anywhere' }}
              >
                <input type="checkbox" checked={names.has(name)} onChange={(event) => set([name], event.target.checked)} />
                {name}
              </Box>
            </li>
          ))}
          {found.length > mostShown && <li>{t('modelsDialog.more', { count: found.length - mostShown })}</li>}
        </Box>
        <TextField
          label={t('modelsDialog.paste')}
          multiline
          minRows={2}
          maxRows={5}
          value={pasted}
          onChange={(event) => setPasted(event.target.value)}
          slotProps={{ htmlInput: { spellCheck: false } }}
        />
        <div>
          <Button
            disabled={pasted.trim() === ''}
            onClick={() => {
              const lines = namesIn(pasted.replaceAll(/\s+/g, ','));
              if (lines.some((name) => names.has(name))) toast('warning', t('modelsDialog.someThere'));
              set(lines, true);
              setPasted('');
            }}
          >
            {t('modelsDialog.addPasted')}
          </Button>
        </div>
        <Typography variant="body2" role="status" sx={{ overflowWrap: 'anywhere' }}>
          {t('modelsDialog.difference', { count: names.size, added: added.length, removed: removed.length })}
          {added.length > 0 && <Names sign="+" names={added} />}
          {removed.length > 0 && <Names sign="−" names={removed} />}
        </Typography>
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button color="inherit" onClick={close}>
          {t('shared:cancel')}
        </Button>
        <Button
          variant="contained"
          onClick={() => {
            onApply([...names]);
            onClose();
          }}
        >
          {t('shared:apply')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

const mostNamed = 12;
function Names({ sign, names }: { sign: string; names: string[] }) {
  const shown = names.slice(0, mostNamed).join(', ');
  return (
    <Box component="span" sx={{ display: 'block', color: 'text.secondary', fontSize: 12.5 }}>
      {`${sign} ${shown}${names.length > mostNamed ? ' …' : ''}`}
    </Box>
  );
}
