import CloseRounded from '@mui/icons-material/CloseRounded';
import SearchRounded from '@mui/icons-material/SearchRounded';
import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

const pauseMs = 300;

/** Searches while one types, after a pause; not in the middle of a word that an input method is still composing. */
export function SearchField({ label, value, onChange }: { label: string; value: string; onChange: (text: string) => void }) {
  const { t } = useTranslation('shared');
  const [text, setText] = useState(value);
  const composing = useRef(false);
  /** What went out and has not come back yet, oldest first. */
  const sent = useRef<string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The value is the address's, which follows what is typed here: its echo must not overwrite what was typed since.
  useEffect(() => {
    const echo = sent.current.lastIndexOf(value);
    sent.current = echo < 0 ? [] : sent.current.slice(echo + 1);
    if (echo >= 0) return;
    clearTimeout(timer.current);
    setText(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const send = (next: string): void => {
    clearTimeout(timer.current);
    const wanted = next.trim();
    if (wanted === (sent.current.at(-1) ?? value)) return;
    sent.current.push(wanted);
    onChange(wanted);
  };
  const later = (next: string): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current(next), pauseMs);
  };
  const latest = useRef(send);
  latest.current = send;
  return (
    <OutlinedInput
      size="small"
      value={text}
      placeholder={label}
      onChange={(event) => {
        setText(event.target.value);
        if (!composing.current) later(event.target.value);
      }}
      onCompositionStart={() => {
        composing.current = true;
      }}
      onCompositionEnd={(event) => {
        composing.current = false;
        later((event.target as HTMLInputElement).value);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || composing.current) return;
        send(text);
      }}
      slotProps={{ input: { 'aria-label': label, type: 'text', inputMode: 'search', autoComplete: 'off' } }}
      startAdornment={
        <InputAdornment position="start">
          <SearchRounded sx={{ fontSize: 18 }} />
        </InputAdornment>
      }
      endAdornment={
        text && (
          <InputAdornment position="end">
            <IconButton
              edge="end"
              aria-label={t('filter.clearOne', { name: label })}
              onClick={() => {
                setText('');
                send('');
              }}
            >
              <CloseRounded sx={{ fontSize: 16 }} />
            </IconButton>
          </InputAdornment>
        )
      }
      // It gives way to what stands beside it.
      sx={{ width: { xs: '100%', sm: 260 }, flex: { sm: '0 100 auto' }, minWidth: { sm: 200 }, height: 32, '& input': { py: 0 } }}
    />
  );
}
