import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import type { RowAction } from '../../shared/ui/row-menu.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useUndo } from '../../shared/ui/use-undo.ts';
import { useSwitchTagMutation } from './api.ts';

/** What can be done with all channels of a tag; nothing where there is none. */
export function useTagActions(tag: string | null): RowAction[] {
  const { t } = useTranslation(['channels', 'shared']);
  const confirm = useConfirm();
  const [switchTag] = useSwitchTagMutation();
  const undo = useUndo();
  if (!tag) return [];

  const askAndSwitch = async (on: boolean): Promise<void> => {
    const title = on ? t('tagSwitch.enableTitle', { tag }) : t('tagSwitch.disableTitle', { tag });
    if (!(await confirm({ title, text: t('tagSwitch.text'), action: on ? t('shared:enable') : t('shared:disable') }))) return;
    const { data, error } = await switchTag({ tag, on });
    if (error) toast('error', messageOf(error));
    else toast('success', on ? t('tagSwitch.enabled', { tag }) : t('tagSwitch.disabled', { tag }), undo(data));
  };
  return [
    { key: 'enable-tag', label: t('tagSwitch.enable', { tag }), divided: true, run: () => askAndSwitch(true) },
    { key: 'disable-tag', label: t('tagSwitch.disable', { tag }), run: () => askAndSwitch(false) },
  ];
}
