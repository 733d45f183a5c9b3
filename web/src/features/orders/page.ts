import ReceiptLongOutlined from '@mui/icons-material/ReceiptLongOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const ordersPage: FeaturePage = {
  path: 'order',
  feature: 'orders',
  rank: role.admin,
  group: 'operations',
  icon: ReceiptLongOutlined,
  title: { en: 'Orders', zh: '订单' },
  load: async () => (await import('./orders-page.tsx')).OrdersPage,
};
