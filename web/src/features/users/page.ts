import GroupOutlined from '@mui/icons-material/GroupOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const usersPage: FeaturePage = {
  path: 'user',
  feature: 'users',
  rank: role.admin,
  group: 'operations',
  icon: GroupOutlined,
  title: { en: 'Users', zh: '用户' },
  load: async () => (await import('./users-page.tsx')).UsersPage,
  loadEditor: async () => (await import('./user-drawer.tsx')).UserDrawer,
};
