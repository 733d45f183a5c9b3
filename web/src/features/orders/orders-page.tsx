import ReceiptLongOutlined from '@mui/icons-material/ReceiptLongOutlined';
import TaskAltRounded from '@mui/icons-material/TaskAltRounded';
import type { ManagedOrderView } from '@tollgate/contracts/api/order';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../shared/call.ts';
import { formatQuota, type Tone } from '../../shared/format.ts';
import { useList } from '../../shared/list.ts';
import { usePageSize } from '../../shared/preferences.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import type { Column } from '../../shared/ui/column.ts';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { Faint, NumberedName } from '../../shared/ui/faint.tsx';
import { FilterBar } from '../../shared/ui/filter-bar.tsx';
import { orderColumns } from '../../shared/ui/order-columns.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { usePageParam, useUrlFilters } from '../../shared/url-state.ts';
import { useCompleteOrderMutation, useListOrdersQuery } from './api.ts';
import { OrderDetail } from './order-detail.tsx';

/** `paid` and not credited is what somebody has to look at. */
const tones: Record<ManagedOrderView['status'], Tone> = {
  pending: 'neutral',
  paid: 'warning',
  success: 'success',
  refunded: 'info',
  expired: 'neutral',
};

function useOrderColumns(): Column<ManagedOrderView>[] {
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

/** As the contract has them, whose schemas would come along with its own list. */
const orderStatuses = ['pending', 'paid', 'success', 'refunded', 'expired'] as const satisfies ManagedOrderView['status'][];
const filterNames = ['keyword', 'status'] as const;

/** What was ordered and paid, what the gateways said of it, and the way to give what a lost callback left owed. */
export function OrdersPage() {
  const { t } = useTranslation('orders');
  const [page, setPage] = usePageParam();
  const [pageSize] = usePageSize();
  const filters = useUrlFilters(filterNames);
  const asked = {
    keyword: filters.values.keyword,
    status: orderStatuses.find((status) => status === filters.values.status) ?? ('' as const),
  };
  const list = useList(useListOrdersQuery({ p: page, page_size: pageSize, ...asked }, { refetchOnMountOrArgChange: true }));
  const columns = useOrderColumns();
  const detail = useCallback((order: ManagedOrderView) => <OrderDetail order={order} />, []);
  const actions = useCallback((order: ManagedOrderView) => (isOwed(order) ? <CompleteOrder order={order} /> : null), []);
  return (
    <PageFrame title={t('title')}>
      <FilterBar
        state={filters}
        search={{ name: 'keyword', label: t('search') }}
        filters={[
          {
            name: 'status',
            label: t('columns.status'),
            kind: 'select',
            options: [
              { value: '', label: t('status.all') },
              ...orderStatuses.map((status) => ({ value: status, label: t(`status.${status}`) })),
            ],
          },
        ]}
        onRefresh={list.refresh}
      />
      <ResourceTable
        name="orders-all"
        label={t('title')}
        columns={columns}
        list={list}
        whole={(format) => call('GET /api/order/export', { query: { ...asked, format } })}
        page={page}
        onPage={setPage}
        detail={detail}
        actions={actions}
        empty={<EmptyState icon={<ReceiptLongOutlined />} title={filters.anySet ? t('noneFound') : t('none')} text={t('noneText')} />}
      />
    </PageFrame>
  );
}

/** Whether it may still have to be given what it was paid for. */
function isOwed({ status }: ManagedOrderView): boolean {
  return status === 'pending' || status === 'paid';
}

/** Gives an order what it was paid for where the callback was lost. The server does it once, however often it is asked. */
function CompleteOrder({ order }: { order: ManagedOrderView }) {
  const { t } = useTranslation('orders');
  const confirm = useConfirm();
  const money = useMoneyDisplay();
  const [complete] = useCompleteOrderMutation();
  const askAndComplete = async (): Promise<void> => {
    const words = { name: order.username, amount: formatQuota(order.quota, money), price: `${order.money} ${order.currency}` };
    if (!(await confirm({ title: t('completeTitle', { order: order.trade_no }), text: t('completeText', words), action: t('complete') })))
      return;
    const { error } = await complete(order.trade_no);
    if (error) toast('error', messageOf(error));
    else toast('success', t('completed', words));
  };
  return (
    <RowButton
      label={t('completeOne', { order: order.trade_no })}
      hint={t('complete')}
      icon={<TaskAltRounded fontSize="inherit" />}
      run={() => void askAndComplete()}
    />
  );
}
