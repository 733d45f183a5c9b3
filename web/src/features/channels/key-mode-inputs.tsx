import { keyModes } from '@tollgate/contracts/channel-keys';
import { useTranslation } from 'react-i18next';
import { SelectInput } from '../../shared/form/fields.tsx';
import { type ChannelForm, hasSeveralKeys } from './channel-form.ts';

/** What becomes of several keys, and how one of them is chosen for a call; shown where there are several. */
export function KeyModeInputs({ form, isNew, isMultiKey }: { form: ChannelForm; isNew: boolean; isMultiKey: boolean }) {
  const { t } = useTranslation('channels');
  const { control, watch } = form;
  const isSeveral = hasSeveralKeys(watch('key') ?? '', watch('type'));
  const mode = watch('mode');
  if (!isMultiKey && !isSeveral) return null;
  return (
    <>
      {isNew && (
        <SelectInput
          control={control}
          name="mode"
          label={t('keys.mode')}
          options={[
            { value: 'multi_to_single', label: t('keys.oneChannel') },
            { value: 'batch', label: t('keys.channelEach') },
          ]}
        />
      )}
      {!(isNew && mode === 'batch') && (
        <SelectInput
          control={control}
          name="multi_key_mode"
          label={t('keys.strategy')}
          options={keyModes.map((value) => ({ value, label: t(`keys.strategies.${value}`) }))}
        />
      )}
    </>
  );
}
