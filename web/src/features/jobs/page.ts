import ScheduleOutlined from '@mui/icons-material/ScheduleOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const jobsPage: FeaturePage = {
  path: 'jobs',
  feature: 'jobs',
  rank: role.root,
  group: 'configuration',
  icon: ScheduleOutlined,
  title: { en: 'Jobs', zh: '后台任务' },
  load: async () => (await import('./jobs-page.tsx')).JobsPage,
};
