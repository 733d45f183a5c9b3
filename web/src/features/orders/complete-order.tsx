import TaskAltRounded from '@mui/icons-material/TaskAltRounded';
import type { ManagedOrderView } from '@tollgate/contracts/api/order';
import { useTranslation } from 'react-i18next';
import { formatQuota } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useCompleteOrderMutation } from './api.ts';

/** Gives an order what it was paid for where the callback was lost. The server does it once, however often it is asked. */
export function CompleteOrder({ order }: { order: ManagedOrderView }) {
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
