import { rows } from '@tollgate/db';
import type { Redis } from 'ioredis';
import { balanceVerbs } from './balances.ts';
import { budgetUsages } from './budgets.ts';
import { openClock } from './clock.ts';
import { type WalletRedis, withWalletCommands } from './commands.ts';
import { holdVerbs } from './holds.ts';
import { leaseVerbs } from './leases.ts';
import { ledgerVerbs } from './ledger.ts';
import { overdueVerbs } from './overdue-holds.ts';
import { openProjection, type Projection } from './projection.ts';
import type { Turn } from './turn.ts';
import type { Wallet } from './wallet.ts';

/** Longer than reconcile looks back. */
const keptMs = 48 * 3_600_000;
const fieldsAtOnce = 1_000;
const answersKey = (hourMs: number) => `answers:${hourMs}`;

type AnswerVerbs = Pick<Wallet, 'noteAnswers' | 'answers'>;

/** How many answers users got, as the relays counted them: apart from holds and bills, which are compared with it. */
function answerVerbs(redis: WalletRedis): AnswerVerbs {
  return {
    async noteAnswers(hourMs, source, counts) {
      const fields = [...counts].map(([userId, count]) => [`${userId}:${source}`, count] as const);
      for (let from = 0; from < fields.length; from += fieldsAtOnce) {
        const slice = Object.fromEntries(fields.slice(from, from + fieldsAtOnce));
        await Promise.all([redis.hset(answersKey(hourMs), slice), redis.pexpire(answersKey(hourMs), keptMs)]);
      }
    },

    async answers(hourMs) {
      const bySource = new Map<string, number>(); // a scan may return a field twice
      for await (const found of redis.hscanStream(answersKey(hourMs), { count: fieldsAtOnce }) as AsyncIterable<string[]>) {
        for (let i = 0; i < found.length; i += 2) bySource.set(found[i] as string, Number(found[i + 1]));
      }
      const byUser = new Map<number, number>();
      for (const [field, count] of bySource) {
        const userId = Number.parseInt(field, 10);
        byUser.set(userId, (byUser.get(userId) ?? 0) + count);
      }
      return byUser;
    },
  };
}

const pageSize = 500;

/** Refreshes Redis's copies of balances after a restore: Redis was backed up before the database and is older. */
function catchUpVerb(redis: WalletRedis, projection: Projection): Pick<Wallet, 'catchUp'> {
  async function catchUpWallets(userIds: number[]): Promise<void> {
    const found = rows.wallets().find({ _id: { $in: userIds } }, { projection: { balance: 1, version: 1 } });
    for await (const { _id, balance, version } of found) await projection.refreshWallet(_id, { balance, version });
  }

  async function catchUpTokens(tokenIds: number[]): Promise<void> {
    const found = rows.tokenWallets().find({ _id: { $in: tokenIds } }, { projection: { userId: 1, remain: 1, version: 1 } });
    for await (const { _id, userId, remain, version } of found) await projection.refreshToken(userId, _id, { remain, version });
  }

  return {
    async catchUp() {
      for await (const ids of idsIn(redis, '{u*}:wallet:*')) await catchUpWallets(ids);
      for await (const ids of idsIn(redis, '{u*}:token:*')) await catchUpTokens(ids);
    },
  };
}

/** The ids at the ends of the matching keys, page by page. */
async function* idsIn(redis: WalletRedis, pattern: string): AsyncGenerator<number[]> {
  for await (const keys of redis.scanStream({ match: pattern, count: pageSize }) as AsyncIterable<string[]>) {
    const ids = keys.map((key) => Number(key.slice(key.lastIndexOf(':') + 1)));
    if (ids.length > 0) yield ids;
  }
}

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
    ...holdVerbs(commands, { projection, clock, turn }),
    ...leaseVerbs(commands, clock),
    ...overdueVerbs(commands),
    ...ledgerVerbs(projection, clock),
    ...balanceVerbs(commands, projection),
    ...answerVerbs(commands),
    budgetUsages: (asked) => budgetUsages(commands, asked, clock.read()),
    ...catchUpVerb(commands, projection),
  };
}
