import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';

type Arg = string | number;

/** The reply of a script that needs a projection from the database first. */
export type NotProjected = [-1, 'wallet' | 'token'] | [-1, 'budget', number];
/** The budget that refuses (from 1), what is used, what is needed, and when enough of it is free (`reserve.lua`). */
export type BudgetReply = [-3, number, number, number, number];
/** The limit is reached: the numbers of subject and rule (from 1), what is used, and in how many ms there is room. */
export type LimitReply = [-2, number, number, number, number];
/** Held and counted: the amount, the time, the rule of the last subject that is reached (0: none), and what is used. */
export type CountedReply = [1, number, number, number, ...number[]];
export type HoldReply = [1, number] | [0, 'user' | 'token', number] | NotProjected;
export type ProgressReply = HoldReply | [0, 'budget', number];

/** The scripts as commands. The head of each Lua file documents keys, arguments and replies. */
interface WalletCommands {
  walletReserve(
    wallet: string,
    token: string,
    hold: string,
    index: string,
    amount: number,
    minimum: number,
    limited: Arg,
    lifeMs: number,
  ): Promise<HoldReply>;
  walletReserveLimited(keyCount: number, ...keysAndArguments: Arg[]): Promise<HoldReply | CountedReply | LimitReply>;
  walletReserveBudgeted(keyCount: number, ...keysAndArguments: Arg[]): Promise<HeldBudgetsReply | HoldReply | BudgetReply>;
  walletReserveBudgetedLimited(keyCount: number, ...keysAndArguments: Arg[]): Promise<BudgetedReply>;
  walletReserveMany(keyCount: number, ...keysAndArguments: Arg[]): Promise<string>;
  walletReportMany(keyCount: number, ...keysAndArguments: Arg[]): Promise<string>;
  walletLease(
    windows: string,
    calls: string,
    tokens: number,
    requestId: string,
    lifeMs: number,
    ...rules: Arg[]
  ): Promise<[1 | 0, ...number[]]>;
  walletEndLeases(keyCount: number, ...keysAndArguments: Arg[]): Promise<1>;
  walletProgress(
    wallet: string,
    token: string,
    hold: string,
    index: string,
    amount: Arg,
    limited: Arg,
    lifeMs: number,
    event: string,
    quota: number,
    tokens: number,
    budgets: string,
  ): Promise<ProgressReply>;
  walletReport(
    wallet: string,
    token: string,
    hold: string,
    index: string,
    quota: number,
    limited: Arg,
    event: string,
    score: number,
    tokens: number,
    budgets: string,
  ): Promise<ReportReply>;
  walletReportLimited(keyCount: number, ...keysAndArguments: Arg[]): Promise<ReportReply>;
  walletRelease(wallet: string, token: string, hold: string, index: string): Promise<1 | 0>;
  walletSettle(keyCount: number, ...keysAndArguments: Arg[]): Promise<number>;
  walletExpire(wallet: string, token: string, hold: string, index: string, nowMs: number, score: number): Promise<ExpireReply>;
  walletProject(key: string, field: 'balance' | 'remain', value: number, version: number, create: '1' | ''): Promise<0 | 1>;
  walletProjectBudget(wallet: string, field: string, ...buckets: number[]): Promise<1>;
}
/** Held: the amount, the tokens, when it was reserved (ms since 1970), and what is used of each budget. */
export type HeldBudgetsReply = [1, number, number, number, ...number[]];
/** The reply; where held, also the tokens, when it was reserved (ms since 1970), and what is used of each budget. */
export type BudgetedReply = [HoldReply | CountedReply | LimitReply | BudgetReply, ...number[]];
export type ReportReply = [1, number, 0 | 1] | NotProjected;
export type ExpireReply = ['none'] | ['released'] | ['reported', string, number, '1' | '', string];
export type WalletRedis = Redis & WalletCommands;

const scripts = {
  walletReserve: 4,
  walletReserveLimited: undefined,
  walletReserveBudgeted: undefined,
  walletReserveBudgetedLimited: undefined,
  walletReserveMany: undefined,
  walletReportMany: undefined,
  walletLease: 2,
  walletEndLeases: undefined,
  walletProgress: 4,
  walletReport: 4,
  walletReportLimited: undefined,
  walletRelease: 4,
  walletSettle: undefined,
  walletExpire: 4,
  walletProject: 1,
  walletProjectBudget: 1,
};

const sourceOf = (name: string) => readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8');

const noBudgets = 'local budgetsAt = 0';
const withBudgets = ['local budgetsAt = 5', 'buckets', 'room-at'];
const limits = ['limits', 'count', 'reserve-limited'];

/** Scripts that are built from several files and lines of code. */
const composed: Record<string, readonly string[]> = {
  walletReserve: ['clock', noBudgets, 'reserve', 'return (reserve())'],
  walletReserveLimited: ['clock', noBudgets, 'reserve', ...limits, 'return (countLimits((#KEYS - 4) / 2, 5))'],
  walletReserveBudgeted: ['clock', ...withBudgets, 'reserve', 'return (reserve())'],
  walletReserveBudgetedLimited: ['clock', ...withBudgets, 'reserve', ...limits, 'reserve-budgeted'],
  walletReserveMany: ['clock', 'reserve-many'],
  walletReportMany: ['clock', 'report-many'],
  walletLease: ['clock', 'limits', 'count', 'lease'],
  walletEndLeases: ['clock', 'limits', 'end-leases', 'return endLeases(0, 1)'],
  walletProgress: ['clock', 'budgets', 'progress'],
  walletReport: ['clock', 'budgets', 'report', 'return (report())'],
  walletReportLimited: ['clock', 'budgets', 'report', 'limits', 'end-leases', 'report-limited'],
  walletRelease: ['clock', 'budgets', 'release'],
  walletExpire: ['clock', 'budgets', 'expire'],
  walletSettle: ['clock', 'budgets', 'buckets', 'store-buckets', 'settle'],
  walletProjectBudget: ['clock', 'buckets', 'store-buckets', 'project-budget'],
};

function luaOf(command: string): string {
  const parts = composed[command] ?? [command.slice('wallet'.length).toLowerCase()];
  return parts.map((part) => (part.includes(' ') ? part : sourceOf(part))).join('\n');
}

/** Adds the wallet's scripts to the connection as commands (sent in full once per connection, by hash afterwards). */
export function withWalletCommands(redis: Redis): WalletRedis {
  for (const [command, numberOfKeys] of Object.entries(scripts)) {
    redis.defineCommand(command, { lua: luaOf(command), numberOfKeys });
  }
  return redis as WalletRedis;
}
