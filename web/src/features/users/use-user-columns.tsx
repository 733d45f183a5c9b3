import type { UserView } from '@tollgate/contracts/api/user';
import { role, userStatus } from '@tollgate/contracts/constants';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDateTime, formatQuota } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import type { Column } from '../../shared/ui/column.ts';
import { Faint, Nothing } from '../../shared/ui/faint.tsx';
import { GroupTag } from '../../shared/ui/group-tag.tsx';
import { quotaAs } from '../../shared/ui/quota-text.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';

export function useUserColumns(): Column<UserView>[] {
  const { t } = useTranslation('users');
  const money = useMoneyDisplay();
  return useMemo(
    () => [
      { id: 'id', header: t('columns.id'), align: 'right', value: (user) => user.id, cell: (user) => <Faint>{String(user.id)}</Faint> },
      {
        id: 'username',
        header: t('columns.username'),
        primary: true,
        value: (user) => user.username,
        cell: nameOf,
      },
      {
        id: 'role',
        phone: 'bare',
        header: t('columns.role'),
        value: (user) => t(roleKey(user)),
        cell: (user) => <span className={user.role >= role.admin ? 'strong' : 'faint'}>{t(roleKey(user))}</span>,
      },
      {
        id: 'status',
        phone: 'bare',
        header: t('columns.status'),
        value: (user) => t(statusKey(user)),
        cell: (user) => <StatusTag tone={isEnabled(user) ? 'success' : 'error'} label={t(statusKey(user))} />,
      },
      { id: 'group', header: t('columns.group'), value: (user) => user.group, cell: (user) => GroupTag({ name: user.group }) },
      {
        id: 'quota',
        phone: 'figure',
        header: t('columns.quota'),
        align: 'right',
        value: (user) => user.quota,
        exported: { as: 'quota', of: (user) => user.quota },
        cell: (user) => quotaAs(money, user.quota),
      },
      {
        id: 'used',
        header: t('columns.used'),
        align: 'right',
        value: (user) => user.used_quota,
        exported: { as: 'quota', of: (user) => user.used_quota },
        cell: (user) => quotaAs(money, user.used_quota),
      },
      {
        id: 'calls',
        header: t('columns.calls'),
        needs: 'middle',
        align: 'right',
        value: (user) => user.request_count,
        cell: (user) => formatCount(user.request_count),
      },
      { id: 'email', header: t('columns.email'), clip: true, value: (user) => user.email, cell: (user) => user.email || <Nothing /> },
      {
        id: 'created',
        header: t('columns.created'),
        needs: 'middle',
        value: (user) => (user.created_time > 0 ? formatDateTime(user.created_time) : ''),
        exported: { as: 'time', of: (user) => user.created_time || '' },
        cell: (user) => (user.created_time > 0 ? <TimeText seconds={user.created_time} /> : <Nothing />),
      },
      {
        id: 'invited',
        header: t('columns.invited'),
        align: 'right',
        hidden: true,
        value: (user) => user.aff_count,
        cell: (user) => formatCount(user.aff_count),
      },
      {
        id: 'earned',
        header: t('columns.earned'),
        align: 'right',
        hidden: true,
        value: (user) => user.aff_history_quota,
        exported: { as: 'quota', of: (user) => user.aff_history_quota },
        cell: (user) => formatQuota(user.aff_history_quota, money),
      },
      {
        id: 'inviter',
        header: t('columns.inviter'),
        align: 'right',
        hidden: true,
        value: (user) => user.inviter_id,
        cell: (user) => (user.inviter_id > 0 ? user.inviter_id : <Nothing />),
      },
    ],
    [t, money],
  );
}

function nameOf({ username, display_name: display }: UserView): ReactNode {
  if (!display || display === username) return username;
  return (
    <>
      {username} <span className="second-name">{display}</span>
    </>
  );
}

function roleKey(user: UserView) {
  if (user.role === role.root) return 'roles.root';
  if (user.role === role.admin) return 'roles.admin';
  return user.role === role.user ? 'roles.user' : 'roles.unknown';
}

function statusKey(user: UserView) {
  if (user.DeletedAt) return 'status.deleted';
  return user.status === userStatus.enabled ? 'status.enabled' : 'status.banned';
}

function isEnabled(user: UserView): boolean {
  return statusKey(user) === 'status.enabled';
}
