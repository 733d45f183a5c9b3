import Tune from '@mui/icons-material/Tune';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const settingPage: FeaturePage = {
  path: 'setting',
  feature: 'settings',
  rank: role.root,
  group: 'configuration',
  icon: Tune,
  title: { en: 'Settings', zh: '设置' },
  load: async () => (await import('./setting-page.tsx')).SettingPage,
};
