import MonitorHeartOutlined from '@mui/icons-material/MonitorHeartOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const systemPage: FeaturePage = {
  path: 'system',
  feature: 'system',
  rank: role.root,
  group: 'configuration',
  icon: MonitorHeartOutlined,
  title: { en: 'System health', zh: '系统健康' },
  load: async () => (await import('./system-page.tsx')).SystemPage,
};
