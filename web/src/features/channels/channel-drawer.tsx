import type { ChannelView, UpdateChannelBody } from '@tollgate/contracts/api/channel';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';
import { FailedDrawer } from '../../shared/form/failed-drawer.tsx';
import { FormDrawer } from '../../shared/form/form-drawer.tsx';
import { useZodForm } from '../../shared/form/use-zod-form.ts';
import { useCloseEditor } from '../../shared/ui/editor-outlet.tsx';
import { WaitingDrawer, wideDrawer } from '../../shared/ui/side-drawer.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useCreateChannelMutation, useGetChannelQuery, useUpdateChannelMutation } from './api.ts';
import { ChannelFields } from './channel-fields.tsx';
import { channelForm, initialValues } from './channel-form.ts';

/** The editor of a channel: a new one at /channel/add, an existing one at /channel/edit/{id}. */
export function ChannelDrawer() {
  const { t } = useTranslation(['channels', 'shared']);
  const { id } = useParams();
  const close = useCloseEditor('/channel');
  const { data, error } = useGetChannelQuery(Number(id), { skip: id === undefined, refetchOnMountOrArgChange: true });
  if (id === undefined) return <ChannelEditor onClose={close} />;
  if (data) return <ChannelEditor key={id} channel={data} onClose={close} />;
  if (error) return <FailedDrawer title={t('editTitle')} error={error} width={wideDrawer} onClose={close} />;
  return <WaitingDrawer title={t('editTitle')} width={wideDrawer} onClose={close} />;
}

function ChannelEditor({ channel, onClose }: { channel?: ChannelView; onClose: () => void }) {
  const { t } = useTranslation(['channels', 'shared']);
  const [create, creating] = useCreateChannelMutation();
  const [update, updating] = useUpdateChannelMutation();
  const schema = useMemo(() => channelForm(channel === undefined), [channel]);
  const form = useZodForm(schema, initialValues(channel));
  const { formState, handleSubmit } = form;

  const submit = handleSubmit(async (body) => {
    const answer = channel ? await update({ id: channel.id, ...body } as UpdateChannelBody) : await create(body);
    if (answer.error) return;
    toast('success', channel ? t('updated') : t('created'));
    onClose();
  });

  return (
    <FormDrawer
      title={channel ? t('editTitle') : t('createTitle')}
      width={wideDrawer}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={channel ? t('shared:save') : t('create')}
      dirty={formState.isDirty}
      submitting={formState.isSubmitting}
      error={creating.error ?? updating.error}
    >
      <ChannelFields form={form} channelId={channel?.id} />
    </FormDrawer>
  );
}
