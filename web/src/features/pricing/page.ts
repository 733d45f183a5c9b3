import SellOutlined from '@mui/icons-material/SellOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const pricingPage: FeaturePage = {
  path: 'pricing',
  feature: 'pricing',
  rank: role.guest,
  group: 'workspace',
  icon: SellOutlined,
  title: { en: 'Models & pricing', zh: '模型定价' },
  load: async () => (await import('./pricing-page.tsx')).PricingPage,
};
