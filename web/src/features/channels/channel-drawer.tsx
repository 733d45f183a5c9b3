import type { ChannelView, UpdateChannelBody } from '@tollgate/contracts/api/channel';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate, useParams } from 'react-router';
import { FailedDrawer } from '../../shared/form/failed-drawer.tsx';
import { FormDrawer } from '../../shared/form/form-drawer.tsx';
import { useZodForm } from '../../shared/form/use-zod-form.ts';
import { toast } from '../../shared/ui/toasts.tsx';
import { useCreateChannelMutation, useGetChannelQuery, useUpdateChannelMutation } from './api.ts';
import { ChannelFields } from './channel-fields.tsx';
import { channelForm, initialValues } from './channel-form.ts';

const width = 640;

/** The editor of a channel: a new one at /channel/add, an existing one at /channel/edit/{id}. */
export function ChannelDrawer() {
  const { t } = useTranslation(['channels', 'shared']);
  const { id } = useParams();
  const navigate = useNavigate();
  const { search } = useLocation();
  const close = (): void => void navigate(`/channel${search}`);
  const { data, error } = useGetChannelQuery(Number(id), { skip: id === undefined, refetchOnMountOrArgChange: true });
  if (id === undefined) return <ChannelEditor onClose={close} />;
  if (data) return <ChannelEditor key={id} channel={data} onClose={close} />;
  return error ? <FailedDrawer title={t('editTitle')} error={error} width={width} onClose={close} /> : null;
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
      width={width}
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
