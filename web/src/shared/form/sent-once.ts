import i18next from 'i18next';
import type { KeyboardEvent } from 'react';
import { toast } from '../ui/toasts.ts';

/** For a form that is being sent: its button rests meanwhile, so that Enter would do nothing; it says why. */
export function sentOnce(isBusy: boolean) {
  return {
    onKeyDown(event: KeyboardEvent): void {
      if (isBusy && event.key === 'Enter' && event.target instanceof HTMLInputElement) toast('warning', i18next.t('shared:sentTwice'));
    },
  };
}
