import Box from '@mui/material/Box';
import type { UserView } from '@tollgate/contracts/api/user';
import { role, userStatus } from '@tollgate/contracts/constants';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatQuota } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import type { Column } from '../../shared/ui/column.ts';
import { Faint } from '../../shared/ui/faint.tsx';
import { QuotaText } from '../../shared/ui/quota-text.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';

export function useUserColumns(): Column<UserView>[] {
  const { t } = useTranslation('users');
  const money = useMoneyDisplay();
  return useMemo(
    () => [
      { id: 'id', header: t('columns.id'), align: 'right', cell: (user) => <Faint>{String(user.id)}</Faint> },
      { id: 'username', header: t('columns.username'), primary: true, cell: (user) => <Name user={user} /> },
      { id: 'role', header: t('columns.role'), cell: (user) => <Role user={user} /> },
      { id: 'status', header: t('columns.status'), cell: (user) => <UserStatus user={user} /> },
      { id: 'group', header: t('columns.group'), cell: (user) => user.group },
      {
        id: 'quota',
        header: t('columns.quota'),
        align: 'right',
        cell: (user) => <QuotaText quota={user.quota} />,
      },
      {
        id: 'used',
        header: t('columns.used'),
        align: 'right',
        cell: (user) => <QuotaText quota={user.used_quota} />,
      },
      { id: 'calls', header: t('columns.calls'), align: 'right', cell: (user) => formatCount(user.request_count) },
      { id: 'email', header: t('columns.email'), clip: true, cell: (user) => user.email || <Faint>–</Faint> },
      {
        id: 'created',
        header: t('columns.created'),
        cell: (user) => (user.created_time > 0 ? <TimeText seconds={user.created_time} /> : <Faint>–</Faint>),
      },
      { id: 'invited', header: t('columns.invited'), align: 'right', hidden: true, cell: (user) => formatCount(user.aff_count) },
      {
        id: 'earned',
        header: t('columns.earned'),
        align: 'right',
        hidden: true,
        cell: (user) => formatQuota(user.aff_history_quota, money),
      },
      {
        id: 'inviter',
        header: t('columns.inviter'),
        align: 'right',
        hidden: true,
        cell: (user) => (user.inviter_id > 0 ? user.inviter_id : <Faint>{t('noInviter')}</Faint>),
      },
    ],
    [t, money],
  );
}

function Name({ user }: { user: UserView }) {
  return (
    <>
      {user.username}
      {user.display_name && user.display_name !== user.username && (
        <Box component="span" sx={{ color: 'text.secondary', fontWeight: 400, ml: 1 }}>
          {user.display_name}
        </Box>
      )}
    </>
  );
}

function Role({ user }: { user: UserView }) {
  const { t } = useTranslation('users');
  const words: Record<number, string> = { [role.user]: t('roles.user'), [role.admin]: t('roles.admin'), [role.root]: t('roles.root') };
  return (
    <Box component="span" sx={user.role >= role.admin ? { fontWeight: 550 } : { color: 'text.secondary' }}>
      {words[user.role] ?? t('roles.unknown')}
    </Box>
  );
}

function UserStatus({ user }: { user: UserView }) {
  const { t } = useTranslation('users');
  if (user.DeletedAt) return <StatusTag tone="error" label={t('status.deleted')} />;
  return user.status === userStatus.enabled ? (
    <StatusTag tone="success" label={t('status.enabled')} />
  ) : (
    <StatusTag tone="error" label={t('status.banned')} />
  );
}
