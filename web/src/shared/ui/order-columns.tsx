import type { OrderView } from '@tollgate/contracts/api/order';
import type { ReactNode } from 'react';
import { formatDateTime, type Tone } from '../format.ts';
import type { Column } from './column.ts';
import { QuotaText } from './quota-text.tsx';
import { StatusTag } from './status-tag.tsx';
import { TimeText } from './time-text.tsx';

type Name = 'trade' | 'status' | 'quota' | 'money' | 'created';
type Status = OrderView['status'];

/** A narrow card breaks the number of an order before its moment, not anywhere. */
function breakable(tradeNo: string): ReactNode {
  const moment = /\d{10}$/.exec(tradeNo)?.[0] ?? '';
  return (
    <>
      {tradeNo.slice(0, tradeNo.length - moment.length)}
      <wbr />
      {moment}
    </>
  );
}

/** What every list of orders shows, each by its name. `t` and `tones` say it as who reads it needs to hear it. */
export function orderColumns<Row extends OrderView>(
  t: (key: `columns.${Name}` | `status.${Status}`) => string,
  tones: Record<Status, Tone>,
): Record<Name, Column<Row>> {
  const named = <Id extends Name>(id: Id) => ({ id, header: t(`columns.${id}`) });
  const priceOf = ({ money, currency }: Row): string => `${money} ${currency}`;
  return {
    trade: { ...named('trade'), primary: true, value: (order) => order.trade_no, cell: (order) => breakable(order.trade_no) },
    status: {
      ...named('status'),
      phone: 'bare',
      value: ({ status }) => t(`status.${status}`),
      cell: ({ status }) => <StatusTag tone={tones[status]} label={t(`status.${status}`)} />,
    },
    quota: {
      ...named('quota'),
      align: 'right',
      value: ({ quota }) => quota,
      exported: { as: 'quota', of: ({ quota }) => quota },
      cell: ({ quota }) => <QuotaText quota={quota} />,
    },
    money: { ...named('money'), phone: 'bare', align: 'right', value: priceOf, cell: priceOf },
    created: {
      ...named('created'),
      phone: 'bare',
      value: (order) => formatDateTime(order.create_time),
      exported: { as: 'time', of: (order) => order.create_time },
      cell: (order) => <TimeText seconds={order.create_time} />,
    },
  };
}
