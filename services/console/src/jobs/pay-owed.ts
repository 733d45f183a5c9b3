import { z } from 'zod';
import type { Context } from '../context.ts';
import { credit, owedOrders } from '../features/orders/credit.ts';
import { creditCode, owedCodes } from '../features/redemption/redeem.ts';
import { owedAccounts, settleGrants } from '../features/users/owed.ts';
import { job } from './job.ts';

/** Finishes what dead processes left undone between a decision and its money: used codes, paid orders, gifts and transfers. */
export const payAllOwed = job({
  name: 'pay-owed',
  data: z.strictObject({}),
  alone: true,
  attempts: 3,
  everyMs: () => 15_000,
  async handle(context, _data, signal) {
    const each = { context, signal };
    await forEach(owedCodes(), { ...each, pay: (row) => creditCode(context, row), idOf: ({ id }) => `redeem:${id}` });
    await forEach(owedOrders(), { ...each, pay: (row) => credit(context, row), idOf: ({ tradeNo }) => `order:${tradeNo}` });
    await forEach(owedAccounts(), { ...each, pay: (row) => settleGrants(context, row), idOf: ({ id }) => `user:${id}` });
  },
});

interface Each<Row> {
  context: Pick<Context, 'log'>;
  signal: AbortSignal;
  pay(row: Row): Promise<unknown>;
  idOf(row: Row): string;
}

/** One that cannot be paid stops none of the rest. */
async function forEach<Row>(rows: AsyncIterable<Row>, { context: { log }, signal, pay, idOf }: Each<Row>): Promise<void> {
  for await (const row of rows) {
    signal.throwIfAborted();
    await pay(row).catch((error) => log.error({ err: error, owed: idOf(row) }, 'what is owed could not be paid'));
  }
}
