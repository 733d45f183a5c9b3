import type { RedemptionView } from '@tollgate/contracts';
import { type RedemptionDoc, unseal } from '@tollgate/db';

export function redemptionView(row: RedemptionDoc): RedemptionView {
  return {
    id: row.id,
    user_id: row.userId,
    key: unseal(row.keySealed, `redemption:${row.id}:key`),
    status: row.status,
    name: row.name,
    quota: row.quota,
    created_time: seconds(row.createdAt),
    redeemed_time: row.redeemedAt ? seconds(row.redeemedAt) : 0,
    used_user_id: row.usedUserId,
    used_username: row.usedUsername,
    count: 0,
    version: row.version ?? 0,
  };
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
