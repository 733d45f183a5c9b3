import type { Redis } from 'ioredis';
import { balanceVerbs } from './balances.ts';
import { withWalletCommands } from './commands.ts';
import { holdVerbs } from './holds.ts';
import { ledgerVerbs } from './ledger.ts';
import { overdueVerbs } from './overdue-holds.ts';
import { openProjection } from './projection.ts';
import type { Wallet } from './wallet.ts';

/**
 * The money verbs on one Redis connection and the models of `@tollgate/db` (connect the database first). Open the connection
 * with `enableAutoPipelining`: what is asked for in one tick then travels together.
 */
export function openWallet({ redis }: { redis: Redis }): Wallet {
  const commands = withWalletCommands(redis);
  const projection = openProjection(commands);
  return {
    ...holdVerbs(commands, projection),
    ...overdueVerbs(commands),
    ...ledgerVerbs(projection),
    ...balanceVerbs(commands, projection),
  };
}
