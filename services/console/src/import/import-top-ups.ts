import { defaultQuotaPerUnit } from '@tollgate/contracts';
import { isDuplicate, Order } from '@tollgate/db';
import { epayCurrency } from '../features/orders/epay.ts';
import { markDone, placesOf } from './places.ts';
import { type SourceTopUp, sourceTopUp } from './rows.ts';
import { noteLeftOut, type Run, readable, timeOf } from './run.ts';
import { pagesOf } from './source.ts';

/** Takes over paid top-ups as history: what they gave is in the balances already. */
export async function importTopUps(run: Run): Promise<void> {
  for await (const page of pagesOf(run.source, 'top_ups')) {
    const rows = readable(run, 'top-up', { rows: page, schema: sourceTopUp }).filter((row) => isTakenOver(run, row));
    const places = await placesOf(
      run,
      'top-up',
      rows.map(({ id, trade_no: name }) => ({ key: String(id), name })),
    );
    const open = rows.filter(({ id }) => !places.get(String(id))?.isDone);
    run.report.made['top-up'] += open.length;
    run.report.unchanged['top-up'] += rows.length - open.length;
    if (!run.apply || open.length === 0) continue;
    await Order.insertMany(
      open.map((row) => orderRow(run, row)),
      { ordered: false },
    ).catch((error: unknown) => {
      if (!isDuplicate(error)) throw error; // a run that was killed had written some
    });
    await markDone(
      run,
      open.flatMap(({ id }) => places.get(String(id)) ?? []),
    );
  }
}

function isTakenOver(run: Run, row: SourceTopUp): boolean {
  const reason = leftOut(run, row);
  if (reason !== undefined) noteLeftOut(run, 'top-up', { which: row.id, text: reason });
  return reason === undefined;
}

function leftOut(run: Run, row: SourceTopUp): string | undefined {
  const account = run.userIds.has(row.user_id) ? undefined : `its account ${row.user_id} is deleted or left out`;
  if (run.product === 'tollgate') return account;
  if (row.status !== 'success') return `it is ${row.status || 'without a status'}: only paid ones are history`;
  if (currencyOf(row) === undefined) return `the source does not say in which currency ${row.payment_method} was paid`;
  if (row.trade_no === '') return 'it has no trade number';
  return account;
}

/** Gateways of the epay protocol, the only ones of older releases, take CNY. */
function currencyOf({ payment_provider, payment_method }: SourceTopUp): string | undefined {
  const way = payment_provider || payment_method;
  if (way === 'stripe') return 'USD';
  return ['', 'epay', 'alipay', 'wxpay'].includes(way) ? epayCurrency : undefined;
}

function orderRow(run: Run, row: SourceTopUp) {
  const owner = { userId: run.userIds.get(row.user_id) ?? 0, username: run.usernames.get(row.user_id) ?? '' };
  if (run.product === 'tollgate') return { ...row.own, ...owner, tradeNo: row.trade_no, isOwed: undefined };
  const isInDollars = run.options.get('DisplayInCurrencyEnabled') !== 'false';
  const perUnit = Number(run.options.get('QuotaPerUnit') ?? defaultQuotaPerUnit);
  const createdAt = timeOf(run, row.create_time);
  return {
    tradeNo: row.trade_no,
    ...owner,
    amount: row.amount,
    quota: isInDollars ? Math.round(row.amount * perUnit) : row.amount,
    cents: Math.round(row.money * 100),
    currency: currencyOf(row) ?? '',
    method: row.payment_method || 'epay',
    status: 'success' as const,
    createdAt,
    paidAt: row.complete_time > 0 ? timeOf(run, row.complete_time) : createdAt,
    completedAt: row.complete_time > 0 ? timeOf(run, row.complete_time) : createdAt,
    completedBy: '',
  };
}
