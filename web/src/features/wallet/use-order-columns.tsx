import type { OrderView } from '@tollgate/contracts/api/order';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Tone } from '../../shared/format.ts';
import type { Column } from '../../shared/ui/column.ts';
import { orderColumns } from '../../shared/ui/order-columns.tsx';

const tones: Record<OrderView['status'], Tone> = {
  pending: 'neutral',
  paid: 'info',
  success: 'success',
  refunded: 'neutral',
  expired: 'neutral',
};

export function useOrderColumns(): Column<OrderView>[] {
  const { t } = useTranslation('wallet');
  return useMemo(() => Object.values(orderColumns<OrderView>((key) => t(key), tones)), [t]);
}
