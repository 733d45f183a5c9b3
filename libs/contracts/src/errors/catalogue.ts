import { accountErrors } from './accounts.ts';
import { callErrors } from './calls.ts';
import { consoleErrors } from './console.ts';
import type { ErrorEntry } from './entry.ts';
import { secondStepErrors } from './second-step.ts';
import { signInErrors } from './sign-in.ts';
import { storedErrors } from './stored.ts';
import { taskErrors } from './tasks.ts';

/** Every error that a caller or a person can meet. `{name}` stands for a detail given with the error. */
export const errorCatalogue = {
  ...callErrors,
  ...storedErrors,
  ...taskErrors,
  ...signInErrors,
  ...accountErrors,
  ...secondStepErrors,
  ...consoleErrors,
} satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;
export type Language = 'en' | 'zh';

/** The words of an error, with its details put in. */
export function errorMessage(code: ErrorCode, details: Readonly<Record<string, string | number>> = {}, language: Language = 'en'): string {
  return errorCatalogue[code][language].replace(/\{(\w+)\}/g, (whole, name: string) => String(details[name] ?? whole));
}
