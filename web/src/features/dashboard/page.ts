import InsightsOutlined from '@mui/icons-material/InsightsOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const dashboardPage: FeaturePage = {
  path: 'detail',
  feature: 'dashboard',
  rank: role.user,
  shownWith: 'enable_data_export',
  group: 'workspace',
  icon: InsightsOutlined,
  title: { en: 'Dashboard', zh: '数据看板' },
  load: async () => (await import('./dashboard-page.tsx')).DashboardPage,
};
