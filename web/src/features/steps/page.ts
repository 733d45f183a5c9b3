import RocketLaunchOutlined from '@mui/icons-material/RocketLaunchOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

/** Reached from the front page: nothing that the navigation needs for ever. */
export const stepsPage: FeaturePage = {
  path: 'start',
  feature: 'steps',
  rank: role.root,
  icon: RocketLaunchOutlined,
  title: { en: 'Get started', zh: '开始使用' },
  load: async () => (await import('./steps-page.tsx')).StepsPage,
};
