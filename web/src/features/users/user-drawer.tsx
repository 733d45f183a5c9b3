import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { createUserBody, type UserView, updateUserBody } from '@tollgate/contracts/api/user';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';
import type { z } from 'zod';
import { EditorNotices } from '../../shared/form/editor-notices.tsx';
import { SelectInput, TextInput } from '../../shared/form/fields.tsx';
import { FormDrawer } from '../../shared/form/form-drawer.tsx';
import { UnreadyDrawer } from '../../shared/form/unready-drawer.tsx';
import { useEditor } from '../../shared/form/use-editor.ts';
import { useFreshRow } from '../../shared/form/use-fresh-row.ts';
import { formatQuota } from '../../shared/format.ts';
import { useListGroupsQuery, useMoneyDisplay } from '../../shared/site.ts';
import { toast } from '../../shared/ui/toasts.ts';
import { useCloseEditor } from '../../shared/ui/use-close-editor.ts';
import { AddQuota } from './add-quota.tsx';
import { useCreateUserMutation, useLazyGetUserQuery, useUpdateUserMutation } from './api.ts';

const newUserForm = createUserBody.omit({ role: true });
const userForm = updateUserBody.pick({ username: true, display_name: true, password: true, group: true, add_quota: true }).required();

const fieldLabels = {
  username: 'columns.username',
  display_name: 'fields.displayName',
  password: 'fields.password',
  group: 'columns.group',
  add_quota: 'quota.add',
} as const;

/** The editor of a user: a new one at /user/add, an existing one at /user/edit/{id}. */
export function UserDrawer() {
  const { id } = useParams();
  const close = useCloseEditor('/user');
  if (id === undefined) return <NewUser onClose={close} />;
  return <EditedUser key={id} id={Number(id)} onClose={close} />;
}

function EditedUser({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation('users');
  const [load] = useLazyGetUserQuery();
  const { row, error } = useFreshRow(load, id);
  if (row) return <UserEditor user={row} onClose={onClose} />;
  return <UnreadyDrawer title={t('editTitle')} error={error} onClose={onClose} />;
}

function useLabelOf(): (name: string) => string {
  const { t } = useTranslation('users');
  return (name) => (name in fieldLabels ? t(fieldLabels[name as keyof typeof fieldLabels]) : name);
}

function NewUser({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('users');
  const [create] = useCreateUserMutation();
  const editor = useEditor({
    record: 'user/new',
    title: t('createTitle'),
    schema: newUserForm,
    valuesOf: () => ({ username: '', display_name: '', password: '' }),
    secrets: ['password'],
    save: async (_changes, whole) => {
      const answer = await create(whole);
      if (!answer.error) toast('success', t('created'));
      return answer;
    },
    onSaved: onClose,
  });
  const { control } = editor.form;
  return (
    <FormDrawer title={t('createTitle')} onClose={onClose} submitLabel={t('create')} {...editor.drawer}>
      <EditorNotices editor={editor} labelOf={useLabelOf()} />
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
  const [update] = useUpdateUserMutation();
  const editor = useEditor({
    record: `user/${user.id}`,
    title: t('editTitle'),
    schema: userForm,
    row: user,
    valuesOf,
    secrets: ['password'],
    save: async (changes, _whole, version) => {
      const answer = await update({ id: user.id, ...(version !== undefined && { version }), ...changes });
      if (!answer.error) toast('success', t('updated'));
      return answer;
    },
    onSaved: onClose,
  });
  const { control, watch } = editor.form;
  const options = [...new Set([...groups, user.group, watch('group')])].map((name) => ({ value: name, label: name }));
  return (
    <FormDrawer title={t('editTitle')} onClose={onClose} submitLabel={t('shared:save')} {...editor.drawer}>
      <EditorNotices editor={editor} labelOf={useLabelOf()} />
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
      <AddQuota control={control} user={user} />
      <Facts
        title={t('facts.bindings')}
        facts={[
          [t('columns.email'), user.email],
          ['GitHub', user.github_id],
          [t('facts.wechat'), user.wechat_id],
          ['Telegram', user.telegram_id],
          ['LinuxDO', user.linux_do_id],
          ['OIDC', user.oidc_id],
        ]}
      />
    </FormDrawer>
  );
}

function valuesOf(user?: UserView): z.input<typeof userForm> {
  return { username: user?.username ?? '', display_name: user?.display_name ?? '', password: '', group: user?.group ?? '', add_quota: 0 };
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
