import 'dayjs/locale/zh-cn';

import { AdapterDayjs } from '@mui/x-date-pickers/AdapterDayjs';
import { DateTimePicker } from '@mui/x-date-pickers/DateTimePicker';
import { LocalizationProvider } from '@mui/x-date-pickers/LocalizationProvider';
import { zhCN } from '@mui/x-date-pickers/locales';
import dayjs, { type Dayjs } from 'dayjs';
import { useTranslation } from 'react-i18next';
import { languageOf } from '../language.ts';

interface MomentInputsProps {
  /** Unix seconds; 0 is open. */
  from: number;
  to: number;
  onFrom: (seconds: number) => void;
  onTo: (seconds: number) => void;
  isReversed: boolean;
}

const chineseTexts = zhCN.components.MuiLocalizationProvider.defaultProps.localeText;

/** Two moments, typed or picked from a calendar. */
export function MomentInputs({ from, to, onFrom, onTo, isReversed }: MomentInputsProps) {
  const { t, i18n } = useTranslation('shared');
  const isChinese = languageOf(i18n.language) === 'zh';
  const moment = (label: string, seconds: number, onChange: (seconds: number) => void, complaint = '') => (
    <DateTimePicker
      label={label}
      ampm={false}
      format="YYYY-MM-DD HH:mm"
      value={seconds > 0 ? dayjs.unix(seconds) : null}
      onChange={(next) => onChange(secondsOf(next))}
      slotProps={{ textField: { size: 'small', error: complaint !== '', helperText: complaint }, field: { clearable: true } }}
    />
  );
  return (
    <LocalizationProvider
      dateAdapter={AdapterDayjs}
      adapterLocale={isChinese ? 'zh-cn' : 'en'}
      {...(isChinese && { localeText: chineseTexts })}
    >
      {moment(t('range.from'), from, onFrom)}
      {moment(t('range.to'), to, onTo, isReversed ? t('range.reversed') : '')}
    </LocalizationProvider>
  );
}

function secondsOf(moment: Dayjs | null): number {
  return moment?.isValid() ? moment.unix() : 0;
}
