import { rows } from '@tollgate/db';
import type { Site } from './site.ts';

/** What the books say when everything has come to rest. */
export interface Books {
  /** Rows of charged calls. */
  logs: number;
  /** Balance, less grants, plus charges: not zero means that money was lost or made. */
  difference: number;
  /** The same of the token. */
  tokenDifference: number;
}

export async function readBooks({ userId, grant }: Site): Promise<Books> {
  const [sum] = await rows
    .usageLogs()
    .aggregate<{ logs: number; quota: number; uncollected: number }>([
      { $match: { type: 2, userId } },
      { $group: { _id: null, logs: { $sum: 1 }, quota: { $sum: '$quota' }, uncollected: { $sum: '$uncollected' } } },
    ])
    .toArray();
  const { logs, quota, uncollected } = sum ?? { logs: 0, quota: 0, uncollected: 0 };
  const wallet = await rows.wallets().findOne({ _id: userId });
  const token = await rows.tokenWallets().findOne({ userId });
  const charged = quota - uncollected;
  return {
    logs,
    difference: (wallet?.balance ?? Number.NaN) - (grant - charged),
    tokenDifference: (token?.used ?? Number.NaN) - charged,
  };
}
