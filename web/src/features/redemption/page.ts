import RedeemOutlined from '@mui/icons-material/RedeemOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const redemptionPage: FeaturePage = {
  path: 'redemption',
  feature: 'redemption',
  rank: role.admin,
  group: 'operations',
  icon: RedeemOutlined,
  title: { en: 'Redemption codes', zh: '兑换码' },
  load: async () => (await import('./redemption-page.tsx')).RedemptionPage,
  loadEditor: async () => (await import('./redemption-drawer.tsx')).RedemptionDrawer,
};
