import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { createUserBody, type UserView, updateUserBody } from '@tollgate/contracts/api/user';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';
import type { z } from 'zod';
import { FailedDrawer } from '../../shared/form/failed-drawer.tsx';
import { SelectInput, TextInput } from '../../shared/form/fields.tsx';
import { FormDrawer } from '../../shared/form/form-drawer.tsx';
import { useZodForm } from '../../shared/form/use-zod-form.ts';
import { formatQuota } from '../../shared/format.ts';
import { useListGroupsQuery, useMoneyDisplay } from '../../shared/site.ts';
import { useCloseEditor } from '../../shared/ui/editor-outlet.tsx';
import { WaitingDrawer } from '../../shared/ui/side-drawer.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useCreateUserMutation, useGetUserQuery, useUpdateUserMutation } from './api.ts';

const newUserForm = createUserBody.omit({ role: true });
const userForm = updateUserBody.pick({ username: true, display_name: true, password: true, group: true }).required();

/** The editor of a user: a new one at /user/add, an existing one at /user/edit/{id}. */
export function UserDrawer() {
  const { t } = useTranslation(['users', 'shared']);
  const { id } = useParams();
  const close = useCloseEditor('/user');
  const { data, error } = useGetUserQuery(Number(id), { skip: id === undefined, refetchOnMountOrArgChange: true });
  if (id === undefined) return <NewUser onClose={close} />;
  if (data) return <UserEditor key={id} user={data} onClose={close} />;
  if (error) return <FailedDrawer title={t('editTitle')} error={error} onClose={close} />;
  return <WaitingDrawer title={t('editTitle')} onClose={close} />;
}

function NewUser({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('users');
  const [create, { error }] = useCreateUserMutation();
  const { control, handleSubmit, formState } = useZodForm(newUserForm, { username: '', display_name: '', password: '' });
  const submit = handleSubmit(async (body) => {
    if ((await create(body)).error) return;
    toast('success', t('created'));
    onClose();
  });
  return (
    <FormDrawer
      title={t('createTitle')}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={t('create')}
      dirty={formState.isDirty}
      submitting={formState.isSubmitting}
      error={error}
    >
      <TextInput control={control} name="username" label={t('columns.username')} hint={t('usernameRule')} autoFocus autoComplete="off" />
      <TextInput control={control} name="display_name" label={t('fields.displayName')} autoComplete="off" />
      <TextInput
        control={control}
        name="password"
        label={t('fields.password')}
        hint={t('passwordRule')}
        type="password"
        autoComplete="new-password"
      />
    </FormDrawer>
  );
}

function UserEditor({ user, onClose }: { user: UserView; onClose: () => void }) {
  const { t } = useTranslation(['users', 'shared']);
  const money = useMoneyDisplay();
  const { data: groups = [] } = useListGroupsQuery();
  const [update, { error }] = useUpdateUserMutation();
  const values: z.input<typeof userForm> = { username: user.username, display_name: user.display_name, password: '', group: user.group };
  const { control, handleSubmit, formState } = useZodForm(userForm, values);
  const options = [...new Set([...groups, user.group])].map((name) => ({ value: name, label: name }));
  const submit = handleSubmit(async (body) => {
    // Only what was changed is sent: a name that the rules of today would refuse must not stand in the way of a new group.
    const changed = Object.fromEntries(Object.entries(body).filter(([name, value]) => value !== values[name as keyof typeof values]));
    if (Object.keys(changed).length > 0 && (await update({ id: user.id, ...changed })).error) return;
    toast('success', t('updated'));
    onClose();
  });
  return (
    <FormDrawer
      title={t('editTitle')}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={t('shared:save')}
      dirty={formState.isDirty}
      submitting={formState.isSubmitting}
      error={error}
    >
      <TextInput control={control} name="username" label={t('columns.username')} autoComplete="off" />
      <TextInput control={control} name="display_name" label={t('fields.displayName')} autoComplete="off" />
      <TextInput
        control={control}
        name="password"
        label={t('fields.newPassword')}
        hint={t('keepsPassword')}
        type="password"
        autoComplete="new-password"
      />
      <SelectInput control={control} name="group" label={t('columns.group')} options={options} />
      <Facts
        title={t('facts.money')}
        facts={[
          [t('columns.quota'), formatQuota(user.quota, money)],
          [t('columns.used'), formatQuota(user.used_quota, money)],
        ]}
      />
      <Typography variant="caption" color="textSecondary" sx={{ mt: -1 }}>
        {t('facts.quotaNote')}
      </Typography>
      <Facts
        title={t('facts.bindings')}
        facts={[
          [t('columns.email'), user.email],
          ['GitHub', user.github_id],
          [t('facts.wechat'), user.wechat_id],
          ['Telegram', user.telegram_id],
          ['LinuxDO', user.linux_do_id],
        ]}
      />
    </FormDrawer>
  );
}

/** What can be read here but not changed. */
function Facts({ title, facts }: { title: string; facts: [string, string][] }) {
  const { t } = useTranslation('users');
  return (
    <Box component="section" aria-label={title}>
      <Typography variant="h3" sx={{ mb: 1 }}>
        {title}
      </Typography>
      <Box
        component="dl"
        sx={{
          m: 0,
          display: 'grid',
          gridTemplateColumns: '120px 1fr',
          rowGap: 0.75,
          fontSize: 13,
          '& dt': { color: 'text.secondary' },
          '& dd': { m: 0, overflowWrap: 'anywhere' },
        }}
      >
        {facts.map(([name, value]) => (
          <Box key={name} sx={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>
              {value || (
                <Box component="span" sx={{ color: 'text.secondary' }}>
                  {t('facts.none')}
                </Box>
              )}
            </dd>
          </Box>
        ))}
      </Box>
    </Box>
  );
}
