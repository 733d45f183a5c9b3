import CloseRounded from '@mui/icons-material/CloseRounded';
import Box from '@mui/material/Box';
import CircularProgress from '@mui/material/CircularProgress';
import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import IconButton from '@mui/material/IconButton';
import Link from '@mui/material/Link';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

/** A picture in the size of the window, with the way to it alone. */
export function PictureDialog({ address, prompt, onClose }: { address: string; prompt: string; onClose: () => void }) {
  const { t } = useTranslation(['tasks', 'shared']);
  const isOurs = new URL(address, location.origin).origin === location.origin;
  const [state, setState] = useState<'coming' | 'there' | 'missing' | 'elsewhere'>(isOurs ? 'coming' : 'elsewhere');
  return (
    <Dialog open onClose={onClose} maxWidth="lg" aria-labelledby="picture-title" transitionDuration={80}>
      <DialogTitle id="picture-title" sx={{ display: 'flex', alignItems: 'center', gap: 1, pr: 1.5 }}>
        <Box component="span" sx={{ flex: 1 }}>
          {t('picture')}
        </Box>
        <Link href={address} target="_blank" rel="noopener noreferrer" variant="body2">
          {t('openPicture')}
        </Link>
        <IconButton aria-label={t('shared:close')} onClick={onClose} autoFocus>
          <CloseRounded />
        </IconButton>
      </DialogTitle>
      <DialogContent sx={{ display: 'grid', placeItems: 'center', minWidth: { sm: 360 }, minHeight: 160 }}>
        {state === 'coming' && <CircularProgress aria-label={t('shared:loading')} />}
        {state === 'missing' && <p role="alert">{t('pictureMissing')}</p>}
        {state === 'elsewhere' && <p>{t('pictureElsewhere', { host: new URL(address).host })}</p>}
        {(state === 'coming' || state === 'there') && (
          <img
            src={address}
            alt={prompt || t('picture')}
            referrerPolicy="no-referrer"
            onLoad={() => setState('there')}
            onError={() => setState('missing')}
            style={{ maxWidth: '100%', maxHeight: '74vh', display: state === 'there' ? 'block' : 'none' }}
          />
        )}
      </DialogContent>
    </Dialog>
  );
}
