import ImageOutlined from '@mui/icons-material/ImageOutlined';
import Button from '@mui/material/Button';
import type { DrawingView } from '@tollgate/contracts/api/task';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Nothing } from '../../shared/ui/faint.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';

const PictureDialog = lazyPart(async () => (await import('./picture-dialog.tsx')).PictureDialog);

/** Opens the picture of a drawing that has one. */
export function PictureButton({ drawing }: { drawing: DrawingView }) {
  const { t } = useTranslation('tasks');
  const [open, setOpen] = useState(false);
  const address = addressOf(drawing.image_url);
  if (address === '') return <Nothing />;
  return (
    <>
      <Button
        size="small"
        startIcon={<ImageOutlined />}
        aria-label={t('viewPictureOf', { id: drawing.mj_id || drawing.id })}
        onClick={() => setOpen(true)}
        sx={{ whiteSpace: 'nowrap' }}
      >
        {t('viewPicture')}
      </Button>
      {open && <PictureDialog address={address} prompt={drawing.prompt} onClose={() => setOpen(false)} />}
    </>
  );
}

/** A picture that this server forwards is read from where the page came from: its own name may be another one. Else only what is https or http. */
function addressOf(address: string): string {
  const url = URL.parse(address, location.origin);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || address === '') return '';
  return url.pathname.startsWith('/mj/image/') ? `${url.pathname}${url.search}` : url.href;
}
