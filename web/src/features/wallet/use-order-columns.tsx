import type { OrderView } from '@tollgate/contracts/api/order';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime, type Tone } from '../../shared/format.ts';
import type { Column } from '../../shared/ui/column.ts';
import { QuotaText } from '../../shared/ui/quota-text.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';

const tones: Record<OrderView['status'], Tone> = {
  pending: 'neutral',
  paid: 'info',
  success: 'success',
  refunded: 'neutral',
  expired: 'neutral',
};

export function useOrderColumns(): Column<OrderView>[] {
  const { t } = useTranslation('wallet');
  return useMemo(
    () => [
      {
        id: 'trade',
        header: t('columns.trade'),
        primary: true,
        clip: true,
        value: ({ trade_no }) => trade_no,
        cell: ({ trade_no }) => trade_no,
      },
      {
        id: 'status',
        header: t('columns.status'),
        value: ({ status }) => t(`status.${status}`),
        cell: ({ status }) => <StatusTag tone={tones[status]} label={t(`status.${status}`)} />,
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
        id: 'created',
        header: t('columns.created'),
        value: (order) => formatDateTime(order.create_time),
        cell: (order) => <TimeText seconds={order.create_time} />,
      },
    ],
    [t],
  );
}
