import { limitsOf, type TokenView, tokenStatus } from '@tollgate/contracts';
import { type TokenDoc, unseal } from '@tollgate/db';
import type { Wallet } from '@tollgate/wallet';

type TokenRow = Pick<TokenDoc, 'status' | 'expiresAt' | 'unlimited'>;

/** Tokens as their owner sees them, with what they may still spend. The key is shown to its owner only. */
export async function tokenViews(wallet: Wallet, tokens: TokenDoc[]): Promise<TokenView[]> {
  const [balances, remaining] = await Promise.all([
    wallet.tokenBalances(tokens.map((token) => token.id)),
    wallet.tokensRemaining(tokens.map(({ id, userId }) => ({ tokenId: id, userId }))),
  ]);
  return tokens.map((token) => {
    const money = balances.get(token.id);
    const remain = remaining.get(token.id) ?? 0;
    return {
      id: token.id,
      user_id: token.userId,
      key: unseal(token.keySealed, `token:${token.id}:key`),
      status: statusOf(token, remain, wallet.time()),
      name: token.name,
      created_time: seconds(token.createdAt),
      accessed_time: money?.accessedAt ? seconds(money.accessedAt) : seconds(token.createdAt),
      expired_time: token.expiresAt ? seconds(token.expiresAt) : -1,
      remain_quota: remain,
      quota_shown: remain,
      unlimited_quota: token.unlimited,
      used_quota: money?.used ?? 0,
      model_limits_enabled: token.modelLimitsEnabled,
      model_limits: token.modelLimits.join(','),
      allow_ips: token.allowIps.join('\n'),
      deny_ips: (token.denyIps ?? []).join('\n'),
      drawing_modes: (token.drawingModes ?? []).join(','),
      group: token.group,
      run_budget: token.runBudget ?? 0,
      parent_id: token.parentId ?? 0,
      ...limitsOf(token),
      version: token.version ?? 0,
    };
  });
}

/** Expired and exhausted are computed: nothing has to be written when the time comes. `nowMs` is Redis's time. */
export function statusOf(token: TokenRow, remain: number, nowMs: number): number {
  if (token.status !== tokenStatus.enabled) return token.status;
  if (token.expiresAt && token.expiresAt.getTime() <= nowMs) return tokenStatus.expired;
  if (!token.unlimited && remain <= 0) return tokenStatus.exhausted;
  return tokenStatus.enabled;
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
