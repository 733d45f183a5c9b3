import 'dayjs/locale/zh-cn';

import { AdapterDayjs } from '@mui/x-date-pickers/AdapterDayjs';
import { DateTimePicker } from '@mui/x-date-pickers/DateTimePicker';
import { LocalizationProvider } from '@mui/x-date-pickers/LocalizationProvider';
import { enUS, zhCN } from '@mui/x-date-pickers/locales';
import type { FieldRef } from '@mui/x-date-pickers/models';
import dayjs, { type Dayjs } from 'dayjs';
import { type FocusEvent, type RefCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { languageOf } from '../language.ts';

export interface MomentPickerProps {
  label: string;
  /** Unix seconds; null where there is no moment, NaN for one that is not whole. */
  value: number | null;
  onChange: (value: number | null) => void;
  onBlur?: () => void;
  /** Gets what can be given the focus. */
  focusRef?: RefCallback<{ focus: () => void }>;
  withSeconds?: boolean;
  /** Under the field, as a complaint where it is one. */
  note?: string | undefined;
  isWrong?: boolean;
}

/** Which part has the focus is seen, too, not only that the field has it. */
const activePart = { '& .MuiPickersInputBase-sectionContent:focus': { bgcolor: 'action.focus', borderRadius: '3px' } };

const texts = { en: calledAsSeen(enUS), zh: calledAsSeen(zhCN) };

/** Hours and the like are called as they are shown, with both digits: who speaks to the page says what is seen. */
function calledAsSeen(locale: typeof enUS) {
  const { localeText } = locale.components.MuiLocalizationProvider.defaultProps;
  const withDigits = (say: ((digits: string) => string) | undefined) => (digits: string) => say?.(digits.padStart(2, '0')) ?? digits;
  return {
    ...localeText,
    hoursClockNumberText: withDigits(localeText.hoursClockNumberText),
    minutesClockNumberText: withDigits(localeText.minutesClockNumberText),
    secondsClockNumberText: withDigits(localeText.secondsClockNumberText),
  };
}

/** In a narrow window, too, all of the calendar can be come to. */
const withinWindow = { maxWidth: 'calc(100vw - 16px)', maxHeight: 'calc(100dvh - 16px)', overflow: 'auto' };

/** A moment, typed or picked from a calendar, in the page's language whatever the browser's is. */
export function MomentPicker({ label, value, onChange, onBlur, focusRef, withSeconds, note, isWrong = false }: MomentPickerProps) {
  const { i18n } = useTranslation();
  const language = languageOf(i18n.language);
  const field = useRef<FieldRef<Dayjs | null>>(null);
  // What is typed stays as it is while it is no moment yet; only a value that came from elsewhere takes its place.
  const [shown, setShown] = useState(() => momentOf(value));
  const sent = useRef(value);
  const send = (next: number | null): void => {
    if (Object.is(next, sent.current)) return;
    sent.current = next;
    onChange(next);
  };
  useEffect(() => {
    if (Object.is(value, sent.current)) return;
    sent.current = value;
    setShown(momentOf(value));
    if (value === null) field.current?.clearValue();
  }, [value]);
  const left = (event: FocusEvent): void => {
    if (event.currentTarget.contains(event.relatedTarget)) return;
    // Of a field that is half filled the picker says that it is empty.
    const parts = field.current?.getSections() ?? [];
    const filled = parts.filter((part) => part.value !== '').length;
    if (filled < parts.length) send(filled > 0 ? Number.NaN : null);
    onBlur?.();
  };
  return (
    <LocalizationProvider dateAdapter={AdapterDayjs} adapterLocale={language === 'zh' ? 'zh-cn' : 'en'} localeText={texts[language]}>
      <DateTimePicker
        label={label}
        ampm={false}
        format={withSeconds ? 'YYYY-MM-DD HH:mm:ss' : 'YYYY-MM-DD HH:mm'}
        value={shown}
        onChange={(next) => {
          setShown(next);
          send(secondsOf(next));
        }}
        slotProps={{
          desktopPaper: { sx: withinWindow },
          textField: { size: 'small', fullWidth: true, error: isWrong, helperText: note, sx: activePart },
          field: {
            clearable: true,
            onBlur: left,
            fieldRef: (at: FieldRef<Dayjs | null> | null) => {
              field.current = at;
              focusRef?.(at && { focus: () => at.focusField() });
            },
          },
        }}
      />
    </LocalizationProvider>
  );
}

function momentOf(seconds: number | null): Dayjs | null {
  return seconds === null || Number.isNaN(seconds) ? null : dayjs.unix(seconds);
}

function secondsOf(moment: Dayjs | null): number | null {
  return moment === null ? null : moment.unix();
}
