import Tooltip from '@mui/material/Tooltip';
import { useTranslation } from 'react-i18next';
import { formatDateTime, formatRelative } from '../format.ts';

/** A moment in words ("3 hours ago"), the exact time on hover and focus. */
export function TimeText({ seconds }: { seconds: number }) {
  const { i18n } = useTranslation();
  const exact = formatDateTime(seconds);
  return (
    <Tooltip title={exact} placement="left">
      <time dateTime={new Date(seconds * 1000).toISOString()}>{formatRelative(seconds, Date.now(), i18n.language)}</time>
    </Tooltip>
  );
}
