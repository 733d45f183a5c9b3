import type { UserView } from '@tollgate/contracts';
import type { UserDoc } from '@tollgate/db';
import type { Wallet } from '@tollgate/wallet';

type Account = Omit<UserDoc, 'passwordHash' | 'accessTokenHash' | 'totp'>;

/** Users as the console shows them, with their money, which is read in one query. */
export async function userViews(wallet: Wallet, users: Account[]): Promise<UserView[]> {
  const ids = users.map((user) => user.id);
  const [balances, remaining] = await Promise.all([wallet.balances(ids), wallet.remaining(ids)]);
  return users.map((user) => {
    const money = balances.get(user.id);
    return {
      id: user.id,
      username: user.username,
      password: '',
      display_name: user.displayName,
      role: user.role,
      status: user.status,
      email: user.email,
      github_id: user.githubId,
      wechat_id: user.wechatId,
      telegram_id: user.telegramId,
      linux_do_id: user.linuxDoId,
      oidc_id: user.oidcId ?? '',
      quota: remaining.get(user.id) ?? 0,
      quota_shown: remaining.get(user.id) ?? 0,
      used_quota: money?.usedQuota ?? 0,
      request_count: money?.requests ?? 0,
      group: user.group,
      aff_code: user.affCode,
      aff_count: user.affCount,
      aff_quota: user.affQuota,
      aff_history_quota: user.affHistoryQuota,
      inviter_id: user.inviterId,
      DeletedAt: user.deletedAt?.toISOString() ?? null,
      setting: settingWithoutSecret(user.setting),
      created_time: Math.floor(user.createdAt.getTime() / 1000),
      version: user.version ?? 0,
    };
  });
}

/** A webhook's secret is written, never read back. */
function settingWithoutSecret(setting: string): string {
  if (setting === '') return '';
  const { webhook_secret: _, ...rest } = JSON.parse(setting) as Record<string, unknown>;
  return JSON.stringify(rest);
}
