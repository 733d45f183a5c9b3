import type { ManagedOrderView } from '@tollgate/contracts/api/order';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime, type Tone } from '../../shared/format.ts';
import type { Column } from '../../shared/ui/column.ts';
import { Faint } from '../../shared/ui/faint.tsx';
import { QuotaText } from '../../shared/ui/quota-text.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';

/** `paid` and not credited is what somebody has to look at. */
const tones: Record<ManagedOrderView['status'], Tone> = {
  pending: 'neutral',
  paid: 'warning',
  success: 'success',
  refunded: 'info',
  expired: 'neutral',
};

export function useOrderColumns(): Column<ManagedOrderView>[] {
  const { t } = useTranslation('orders');
  return useMemo(
    () => [
      {
        id: 'trade',
        header: t('columns.trade'),
        primary: true,
        clip: true,
        value: (order) => order.trade_no,
        cell: (order) => order.trade_no,
      },
      { id: 'user', header: t('columns.user'), clip: true, value: (order) => order.username, cell: (order) => <Payer order={order} /> },
      {
        id: 'status',
        header: t('columns.status'),
        value: ({ status }) => t(`status.${status}`),
        cell: ({ status }) => <StatusTag tone={tones[status]} label={t(`status.${status}`)} />,
      },
      {
        id: 'method',
        header: t('columns.method'),
        value: ({ payment_method: method }) => t(`methods.${knownMethod(method)}`),
        cell: ({ payment_method: method }) => t(`methods.${knownMethod(method)}`),
      },
      {
        id: 'quota',
        header: t('columns.quota'),
        align: 'right',
        value: ({ quota }) => quota,
        cell: ({ quota }) => <QuotaText quota={quota} />,
      },
      {
        id: 'money',
        header: t('columns.money'),
        align: 'right',
        value: ({ money, currency }) => `${money} ${currency}`,
        cell: ({ money, currency }) => `${money} ${currency}`,
      },
      {
        id: 'callbacks',
        header: t('columns.callbacks'),
        align: 'right',
        value: ({ callbacks }) => callbacks.length,
        cell: ({ callbacks }) => callbacks.length || <Faint>{'0'}</Faint>,
      },
      {
        id: 'created',
        header: t('columns.created'),
        value: (order) => formatDateTime(order.create_time),
        cell: (order) => <TimeText seconds={order.create_time} />,
      },
    ],
    [t],
  );
}

function Payer({ order }: { order: ManagedOrderView }) {
  return (
    <>
      {order.username} <Faint>{`#${order.user_id}`}</Faint>
    </>
  );
}

const methods = ['alipay', 'wxpay', 'stripe'] as const;
function knownMethod(method: string): (typeof methods)[number] | 'other' {
  return methods.find((known) => known === method) ?? 'other';
}
