import GroupOutlined from '@mui/icons-material/GroupOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const accountPage: FeaturePage = {
  path: 'user/edit',
  feature: 'account',
  rank: role.user,
  group: 'account',
  icon: GroupOutlined,
  title: { en: 'Personal settings', zh: '个人设置' },
  load: async () => (await import('./account-page.tsx')).AccountPage,
};
