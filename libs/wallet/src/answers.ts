import type { WalletRedis } from './commands.ts';
import type { Wallet } from './wallet.ts';

/** Longer than reconcile looks back. */
const keptMs = 48 * 3_600_000;
const fieldsAtOnce = 1_000;
const answersKey = (hourMs: number) => `answers:${hourMs}`;

type AnswerVerbs = Pick<Wallet, 'noteAnswers' | 'answers'>;

/** How many answers users got, as the relays counted them: apart from holds and bills, which are compared with it. */
export function answerVerbs(redis: WalletRedis): AnswerVerbs {
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
