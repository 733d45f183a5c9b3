import i18next from 'i18next';
import { formatDateTime, formatRelative } from '../format.ts';
import { hint } from './hint.tsx';

/** A moment in words ("3 hours ago"), the exact time on hover and focus. In the language of whoever draws it: it asks for none itself. */
export function TimeText({ seconds }: { seconds: number }) {
  return (
    <time dateTime={new Date(seconds * 1000).toISOString()} {...hint(formatDateTime(seconds))}>
      {formatRelative(seconds, Date.now(), i18next.language)}
    </time>
  );
}
