import RouteOutlined from '@mui/icons-material/RouteOutlined';
import SavingsOutlined from '@mui/icons-material/SavingsOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const budgetsPage: FeaturePage = {
  path: 'budget',
  feature: 'budgets',
  rank: role.user,
  group: 'workspace',
  icon: SavingsOutlined,
  title: { en: 'Budgets', zh: '预算' },
  load: async () => (await import('./budgets-page.tsx')).BudgetsPage,
  loadEditor: async () => (await import('./budget-drawer.tsx')).BudgetDrawer,
};

export const runsPage: FeaturePage = {
  path: 'run',
  feature: 'budgets',
  rank: role.user,
  group: 'workspace',
  icon: RouteOutlined,
  title: { en: 'Runs', zh: '运行' },
  load: async () => (await import('./runs-page.tsx')).RunsPage,
};
