import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import type { Clash } from './use-editor.ts';

interface EditorNoticesProps {
  editor: { clashes: Clash[]; settle: (clash: Clash, keep: 'mine' | 'theirs') => void; isRestored: boolean; discard: () => void };
  /** What people call a field, and how they read its value. */
  labelOf: (name: string) => string;
  textOf?: (name: string, value: unknown) => string | undefined;
}

/** What the person at an editor has to know: that it took up a draft, and what somebody else changed at the same time. */
export function EditorNotices({ editor, labelOf, textOf }: EditorNoticesProps) {
  const { t } = useTranslation('shared');
  const shown = ({ name }: Clash, value: unknown): string => textOf?.(name, value) || plainText(value) || t('editor.empty');
  return (
    <>
      {editor.isRestored && editor.clashes.length === 0 && (
        <Alert severity="info" action={<Button onClick={editor.discard}>{t('editor.discard')}</Button>}>
          {t('editor.restored')}
        </Alert>
      )}
      {editor.clashes.length > 0 && (
        <Alert severity="warning" sx={{ alignItems: 'flex-start', '& .MuiAlert-message': { flex: 1, minWidth: 0 } }}>
          {t('editor.clash')}
          {editor.clashes.map((clash) => (
            <Box key={clash.name} role="group" aria-label={labelOf(clash.name)} sx={{ mt: 1 }}>
              <strong>{labelOf(clash.name)}</strong>
              {(['mine', 'theirs'] as const).map((side) => (
                <Box key={side} sx={{ display: 'flex', alignItems: 'center', gap: 1, mt: 0.5 }}>
                  <Box sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
                    {t(`editor.${side}`, { value: shown(clash, clash[side]) })}
                  </Box>
                  <Button variant="outlined" sx={{ flex: 'none' }} onClick={() => editor.settle(clash, side)}>
                    {t(side === 'mine' ? 'editor.keepMine' : 'editor.takeTheirs')}
                  </Button>
                </Box>
              ))}
            </Box>
          ))}
        </Alert>
      )}
    </>
  );
}

function plainText(value: unknown): string {
  const text = String(value ?? '');
  return text.length > 300 ? `${text.slice(0, 300)} …` : text;
}
