import type { Redis } from 'ioredis';
import { answerVerbs } from './answers.ts';
import { balanceVerbs } from './balances.ts';
import { catchUpVerb } from './catch-up.ts';
import { openClock } from './clock.ts';
import { withWalletCommands } from './commands.ts';
import { holdVerbs } from './holds.ts';
import { leaseVerbs } from './leases.ts';
import { ledgerVerbs } from './ledger.ts';
import { overdueVerbs } from './overdue-holds.ts';
import { openProjection } from './projection.ts';
import type { Turn } from './turn.ts';
import type { Wallet } from './wallet.ts';

/**
 * The money verbs on one Redis connection and the models of `@tollgate/db` (connect the database first). Open the connection with
 * `enableAutoPipelining`, so that commands of one tick share a packet. With `turn`, calls of one user in one event-loop turn are reserved
 * by one script and reported by one.
 */
export function openWallet({ redis, turn }: { redis: Redis; turn?: Turn }): Wallet {
  const commands = withWalletCommands(redis);
  const projection = openProjection(commands);
  const clock = openClock(async () => {
    const [seconds, microseconds] = await redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  });
  return {
    now: clock.ask,
    time: clock.read,
    ...holdVerbs(commands, projection, turn),
    ...leaseVerbs(commands, clock),
    ...overdueVerbs(commands),
    ...ledgerVerbs(projection, clock),
    ...balanceVerbs(commands, projection),
    ...answerVerbs(commands),
    ...catchUpVerb(commands, projection),
  };
}
