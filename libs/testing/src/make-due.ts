import { openWallet } from '@tollgate/wallet';
import type { Redis } from 'ioredis';

/** As if the time had passed after which the sweep looks at holds that are reported and not charged. */
export async function makeReportedDue(redis: Redis): Promise<void> {
  const wallet = openWallet({ redis });
  // Of an open hold this moves nothing but the time of the next look.
  for (const hold of await wallet.due(Date.now() + 3_600_000, 10_000)) await wallet.republished(hold, Date.now());
}
