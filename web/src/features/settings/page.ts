import Tune from '@mui/icons-material/Tune';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

/** Its code is put together in `app/setting-page.tsx`. */
export const settingPage: Omit<FeaturePage, 'load'> = {
  path: 'setting',
  feature: 'settings',
  rank: role.user,
  group: 'configuration',
  icon: Tune,
  title: { en: 'Settings', zh: '设置' },
};
