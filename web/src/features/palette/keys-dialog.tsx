import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormControlLabel from '@mui/material/FormControlLabel';
import Switch from '@mui/material/Switch';
import { useTranslation } from 'react-i18next';
import { useRemembered } from '../../shared/preferences.ts';

const keys = [
  { keys: ['Ctrl K', '⌘ K'], deed: 'palette' },
  { keys: ['/'], deed: 'search' },
  { keys: ['?'], deed: 'help' },
  { keys: ['Esc'], deed: 'close' },
] as const;

/** Which keys do what; those of one letter can be switched off, for who speaks to the browser or types by switches. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['palette', 'shared']);
  const [single, setSingle] = useRemembered('single-keys');
  return (
    <Dialog open onClose={onClose} maxWidth="xs" fullWidth aria-labelledby="keys-title" transitionDuration={80}>
      <DialogTitle id="keys-title">{t('keys.title')}</DialogTitle>
      <DialogContent>
        <Box
          component="dl"
          sx={{ m: 0, display: 'grid', gridTemplateColumns: 'auto 1fr', gap: 1.25, alignItems: 'center', fontSize: 13.5 }}
        >
          {keys.map(({ keys: strokes, deed }) => (
            <Box key={deed} sx={{ display: 'contents' }}>
              <Box component="dt" sx={{ display: 'flex', gap: 0.75 }}>
                {strokes.map((stroke) => (
                  <Box
                    key={stroke}
                    component="kbd"
                    sx={{
                      font: 'inherit',
                      fontSize: 12,
                      border: 1,
                      borderColor: 'divider',
                      borderRadius: 1,
                      px: 0.75,
                      py: 0.25,
                      bgcolor: 'background.default',
                    }}
                  >
                    {stroke}
                  </Box>
                ))}
              </Box>
              <Box component="dd" sx={{ m: 0 }}>
                {t(`keys.${deed}`)}
              </Box>
            </Box>
          ))}
        </Box>
        <FormControlLabel
          sx={{ mt: 2 }}
          control={<Switch checked={single !== 'off'} onChange={(event) => setSingle(event.target.checked ? undefined : 'off')} />}
          label={t('keys.single')}
        />
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button variant="contained" autoFocus onClick={onClose}>
          {t('shared:close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
