import type { ManagedOrderView } from '@tollgate/contracts/api/order';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Tone } from '../../shared/format.ts';
import type { Column } from '../../shared/ui/column.ts';
import { Faint, NumberedName } from '../../shared/ui/faint.tsx';
import { orderColumns } from '../../shared/ui/order-columns.tsx';

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
  return useMemo(() => {
    const { trade, status, quota, money, created } = orderColumns<ManagedOrderView>((key) => t(key), tones);
    return [
      trade,
      {
        id: 'user',
        phone: 'bare',
        header: t('columns.user'),
        clip: true,
        value: (order) => order.username,
        cell: (order) => <NumberedName name={order.username} id={order.user_id} />,
      },
      status,
      {
        id: 'method',
        header: t('columns.method'),
        value: ({ payment_method: method }) => t(`methods.${knownMethod(method)}`),
        cell: ({ payment_method: method }) => t(`methods.${knownMethod(method)}`),
      },
      quota,
      money,
      {
        id: 'callbacks',
        needs: 'middle',
        header: t('columns.callbacks'),
        align: 'right',
        value: ({ callbacks }) => callbacks.length,
        cell: ({ callbacks }) => callbacks.length || <Faint>{'0'}</Faint>,
      },
      created,
    ];
  }, [t]);
}

const methods = ['alipay', 'wxpay', 'stripe'] as const;
function knownMethod(method: string): (typeof methods)[number] | 'other' {
  return methods.find((known) => known === method) ?? 'other';
}
