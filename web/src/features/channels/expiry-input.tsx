import { useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { fieldErrorText } from '../../shared/form/use-zod-form.ts';
import { MomentField } from '../../shared/range/moment-field.tsx';
import type { ChannelForm } from './channel-form.ts';

/** When a channel begins to rest: a moment, or, left empty, never. The field holds unix seconds, -1 for never. */
export function ExpiryInput({ control }: { control: ChannelForm['control'] }) {
  const { t } = useTranslation('channels');
  const { field, fieldState } = useController({ control, name: 'expired_time' });
  const seconds = Number(field.value ?? -1);
  const problem = Number.isNaN(seconds) ? t('issues.date') : fieldErrorText(fieldState.error?.message);
  return (
    <MomentField
      label={t('fields.expires')}
      withSeconds
      value={seconds === -1 ? null : seconds}
      onChange={(next) => field.onChange(next ?? -1)}
      onBlur={field.onBlur}
      focusRef={field.ref}
      isWrong={fieldState.invalid}
      note={fieldState.invalid ? problem : t('hints.expires')}
    />
  );
}
