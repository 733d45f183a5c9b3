import DescriptionOutlined from '@mui/icons-material/DescriptionOutlined';
import { role } from '@tollgate/contracts/constants';
import type { FeaturePage } from '../../shared/page.ts';

export const logsPage: FeaturePage = {
  path: 'log',
  feature: 'logs',
  rank: role.user,
  group: 'workspace',
  icon: DescriptionOutlined,
  title: { en: 'Usage logs', zh: '使用日志' },
  load: async () => (await import('./logs-page.tsx')).LogsPage,
};
