import AddPhotoAlternateOutlined from '@mui/icons-material/AddPhotoAlternateOutlined';
import CloseRounded from '@mui/icons-material/CloseRounded';
import SendRounded from '@mui/icons-material/SendRounded';
import StopRounded from '@mui/icons-material/StopRounded';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { type KeyboardEvent, memo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useKeptText } from '../../shared/form/use-kept.ts';
import { toast } from '../../shared/ui/toasts.ts';

const mostImages = 4;
/** Of one picture. The gateway takes larger requests, but a browser that keeps several of these grows slow. */
const mostBytes = 8 << 20;

/** Pictures as data: addresses; how many were refused for what or how large they are, or for there being too many. */
async function readImages(files: Iterable<File>, room: number): Promise<{ read: string[]; refused: number }> {
  const all = [...files];
  const fitting = all.filter(({ type, size }) => type.startsWith('image/') && size <= mostBytes).slice(0, Math.max(0, room));
  const read = await Promise.all(fitting.map(dataAddress));
  return { read: [...new Set(read)], refused: all.length - fitting.length };
}

function dataAddress(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('the picture could not be read'));
    reader.readAsDataURL(file);
  });
}

interface ComposerProps {
  isAnswering: boolean;
  canSend: boolean;
  onSend: (text: string, images: string[]) => void;
  onStop: () => void;
}

/** Where a question is written. The text is the field's own: a long one is not drawn again at each key. */
export const Composer = memo(function Composer({ isAnswering, canSend, onSend, onStop }: ComposerProps) {
  const { t } = useTranslation('playground');
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [images, setImages] = useState<string[]>([]);
  const { first, keep } = useKeptText('question');
  const [isEmpty, setEmpty] = useState(first.trim() === '');

  const take = async (files: Iterable<File>): Promise<void> => {
    const { read, refused } = await readImages(files, mostImages - images.length);
    setImages((before) => [...before, ...read].slice(0, mostImages));
    if (refused > 0) toast('warning', t('picturesRefused', { most: mostImages }));
  };
  const send = (): void => {
    const text = field.current?.value.trim() ?? '';
    if (text === '' || isAnswering || !canSend) return;
    onSend(text, images);
    if (field.current) field.current.value = '';
    keep('');
    setEmpty(true);
    setImages([]);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && isAnswering) onStop();
    // Enter that ends a word of an input method is not meant for us.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };

  return (
    <Box
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer.files);
      }}
      sx={{
        border: 1,
        borderColor: 'divider',
        borderRadius: 2,
        bgcolor: 'background.paper',
        p: 1,
        '&:has(textarea:focus)': { borderColor: 'primary.main', outline: '1px solid', outlineColor: 'var(--tg-palette-primary-main)' },
      }}
    >
      {images.length > 0 && (
        <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', pb: 1 }}>
          {images.map((url, place) => (
            <Box key={url.slice(-60)} sx={{ position: 'relative' }}>
              <Box component="img" src={url} alt={t('picture')} sx={{ height: 56, borderRadius: 1, display: 'block' }} />
              <IconButton
                aria-label={t('removePicture', { place: place + 1 })}
                onClick={() => setImages(images.filter((each) => each !== url))}
                sx={{ position: 'absolute', top: -6, right: -6, bgcolor: 'background.paper', border: 1, borderColor: 'divider', p: 0.25 }}
              >
                <CloseRounded sx={{ fontSize: 14 }} />
              </IconButton>
            </Box>
          ))}
        </Box>
      )}
      <Box
        component="textarea"
        ref={field}
        rows={3}
        aria-label={t('ask')}
        placeholder={t('askHint')}
        defaultValue={first}
        onChange={({ target: { value } }) => {
          keep(value);
          setEmpty(value.trim() === '');
        }}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const files = [...event.clipboardData.files];
          if (files.length === 0) return;
          event.preventDefault();
          void take(files);
        }}
        sx={{
          display: 'block',
          width: '100%',
          resize: 'vertical',
          border: 0,
          outline: 'none',
          bgcolor: 'transparent',
          color: 'text.primary',
          font: 'inherit',
          fontSize: 14,
          lineHeight: 1.5,
          p: 0.5,
          '&::placeholder': { color: 'text.secondary', opacity: 1 },
        }}
      />
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
        <input
          ref={picker}
          type="file"
          accept="image/*"
          multiple
          hidden
          onChange={(event) => {
            void take(event.target.files ?? []);
            event.target.value = '';
          }}
        />
        <Tooltip title={t('addPicture')}>
          <IconButton aria-label={t('addPicture')} onClick={() => picker.current?.click()}>
            <AddPhotoAlternateOutlined fontSize="small" />
          </IconButton>
        </Tooltip>
        <Box sx={{ flex: 1 }} />
        {isAnswering ? (
          // Who sends by two clicks stops nothing by the second, for which this button came under the pointer.
          <Button variant="outlined" color="inherit" startIcon={<StopRounded />} onClick={({ detail }) => detail < 2 && onStop()}>
            {t('stop')}
          </Button>
        ) : (
          <Button type="submit" variant="contained" endIcon={<SendRounded />} disabled={isEmpty || !canSend}>
            {t('send')}
          </Button>
        )}
      </Box>
    </Box>
  );
});
