import type { ChannelView } from '@tollgate/contracts/api/channel-views';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';
import { EditorNotices } from '../../shared/form/editor-notices.tsx';
import { FormDrawer } from '../../shared/form/form-drawer.tsx';
import { limitLabels } from '../../shared/form/limits-in.ts';
import { isLimit } from '../../shared/form/limits-input.tsx';
import { UnreadyDrawer } from '../../shared/form/unready-drawer.tsx';
import { useEditor } from '../../shared/form/use-editor.ts';
import { useFreshRow } from '../../shared/form/use-fresh-row.ts';
import { useListGroupsQuery } from '../../shared/site.ts';
import { wideDrawer } from '../../shared/ui/side-drawer.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useCloseEditor } from '../../shared/ui/use-close-editor.ts';
import { useCreateChannelMutation, useLazyGetChannelQuery, useUpdateChannelMutation } from './api.ts';
import { ChannelFields } from './channel-fields.tsx';
import { channelForm, fieldLabels, hasSeveralKeys, initialValues } from './channel-form.ts';
import { typeName } from './channel-type.ts';

/** The editor of a channel: a new one at /channel/add, an existing one at /channel/edit/{id}. */
export function ChannelDrawer() {
  const { id } = useParams();
  const close = useCloseEditor('/channel');
  if (id === undefined) return <ChannelEditor onClose={close} />;
  return <EditedChannel key={id} id={Number(id)} onClose={close} />;
}

function EditedChannel({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation('channels');
  const [load] = useLazyGetChannelQuery();
  const { row, error } = useFreshRow(load, id);
  if (row) return <ChannelEditor channel={row} onClose={onClose} />;
  return <UnreadyDrawer title={t('editTitle')} error={error} width={wideDrawer} onClose={onClose} />;
}

function ChannelEditor({ channel, onClose }: { channel?: ChannelView; onClose: () => void }) {
  const { t, i18n } = useTranslation(['channels', 'shared']);
  const [create] = useCreateChannelMutation();
  const [update] = useUpdateChannelMutation();
  const { data: groups } = useListGroupsQuery();
  const schema = useMemo(() => channelForm(channel, groups), [channel, groups]);
  const title = channel ? t('editTitle') : t('createTitle');
  const editor = useEditor({
    record: `channel/${channel?.id ?? 'new'}`,
    title,
    schema,
    row: channel,
    valuesOf: initialValues,
    secrets: ['key'],
    save: async (changes, whole, version) => {
      const answer = channel
        ? await update({ id: channel.id, ...(version !== undefined && { version }), ...changes })
        : await create({ ...whole, mode: hasSeveralKeys(whole.key, whole.type) ? whole.mode : 'batch' });
      if (!answer.error) toast('success', channel ? t('updated') : t('created'));
      return answer;
    },
    onSaved: onClose,
  });

  return (
    <FormDrawer
      title={title}
      width={wideDrawer}
      onClose={onClose}
      submitLabel={channel ? t('shared:save') : t('create')}
      {...editor.drawer}
    >
      <EditorNotices
        editor={editor}
        labelOf={labelOf}
        textOf={(name, value) => (name === 'type' ? typeName(Number(value), i18n.language) : undefined)}
      />
      <ChannelFields form={editor.form} channelId={channel?.id} isMultiKey={channel?.channel_info.is_multi_key === true} />
    </FormDrawer>
  );

  function labelOf(name: string): string {
    if (isLimit(name)) return t(`shared:${limitLabels[name]}`);
    return name in fieldLabels ? t(fieldLabels[name as keyof typeof fieldLabels]) : name;
  }
}
