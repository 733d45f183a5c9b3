import type { StatusView } from '@tollgate/contracts/api/status';
import { remember, remembered } from './preferences.ts';

/** What scripts and older pages of the one-api family read by single keys. */
const singleKeys = [
  'system_name',
  'logo',
  'footer_html',
  'quota_per_unit',
  'display_in_currency',
  'enable_drawing',
  'enable_task',
  'enable_data_export',
  'mj_notify_enabled',
  'chat_link',
  'chat_link2',
  'data_export_default_time',
  'default_collapse_sidebar',
] as const satisfies (keyof StatusView)[];

/** Keeps the public status in this browser: whole, and its flags by themselves. */
export function storeStatus(status: StatusView): void {
  remember('status', JSON.stringify(status));
  for (const key of singleKeys) remember(key, String(status[key]));
}

/** The status of the last visit, for what should not wait until it has been read again. */
export function storedStatus(): Partial<StatusView> | undefined {
  try {
    return (JSON.parse(remembered('status') ?? 'null') as Partial<StatusView> | null) ?? undefined;
  } catch {
    return undefined;
  }
}
