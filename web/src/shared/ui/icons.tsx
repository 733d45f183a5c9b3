import type { ReactNode } from 'react';

function drawn(path: string, strokeWidth?: number): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} strokeWidth={strokeWidth} />
    </svg>
  );
}

const ring = 'M12 3.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 1 0 0-17';

/** The pictures of a table's rows: made once for all rows, and of two elements each. */
export const icons = {
  success: drawn(`${ring}M8.2 12.2l2.6 2.7l5-5.4`),
  info: drawn(`${ring}M12 11.5v4.5M12 8v.01`),
  warning: drawn(`${ring}M12 7.8v5.2M12 16v.01`),
  error: drawn(`${ring}M6 6l12 12`),
  neutral: drawn(`${ring}M8 12h8`),
  edit: drawn('M4.5 19.5l.8-3.8L16.5 4.5l3 3L8.3 18.7zM14 7l3 3'),
  more: drawn('M5.5 12h.01M12 12h.01M18.5 12h.01', 3.6),
  copy: drawn('M9 8.5h10.5v12H9zM5 16V4h10'),
  test: drawn('M8 5.5v13l10.5-6.5z'),
  power: drawn('M12 3.5v8M7 6.3a7.5 7.5 0 1 0 10 0'),
  remove: drawn('M4.5 7h15M9.5 7V4.5h5V7M6.5 7l1 13h9l1-13'),
  view: drawn('M2.5 12s3.5-6 9.5-6s9.5 6 9.5 6s-3.5 6-9.5 6s-9.5-6-9.5-6zM12 9.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5'),
  done: drawn('M5 12.5l4.5 4.5L19 7.5', 2.4),
  opened: drawn('M7 10l5 5l5-5'),
  closed: drawn('M10 7l5 5l-5 5'),
};
